"""Which gangs give up seats on which others start, by the plan and by what is kept for next sizes."""

import math

import pytest

from builders.facts import gang_fact, member_fact, node_fact, reservation
from coschedule import ChangeTerms, GangKey, Members, OpenEndedRun, Placement, Plan, SizeChange, Sizes
from lockstep.belief.state import State
from lockstep.cycle.explaining.giving import giving_gangs
from lockstep.cycle.planning.decided import ElasticGangs, LastPlan, Seen
from lockstep.snapshot.snapshots import SnapshotCutter

NOW = 1000.0
RUN = OpenEndedRun(
    key=GangKey("default", "g"),
    sizes=Sizes(minimum=1, maximum=4),
    request=(),
    nodes=(0, 0, 1, 2),
    end=math.inf,
    terms=ChangeTerms(),
    priority=0,
    least=1,
    grace=30.0,
)


def decided(state, *changes):
    """A plan with these changes of that run."""
    seen = Seen(SnapshotCutter(state).cut(NOW, []), {}, elastic=ElasticGangs([RUN]))
    return LastPlan(seen=seen, plan=Plan(generation=1, decisions=()), asked={}, preemptions=(), changes=changes)


def state_with_nodes():
    state = State(lambda: None)
    for number in range(1, 5):
        state.nodes.apply(node_fact(f"n{number}"))
    return state


def starting(start, *nodes, promised=None):
    """The placement of a gang that waits."""
    return Placement(
        gang=GangKey("default", "waits"),
        size=len(nodes),
        start=start,
        finish=start + 60,
        speedup=None,
        members=tuple(Members(name, 1) for name in nodes),
        slowest=nodes[0],
        latest=None,
        alternative=None,
        promised=promised,
    )


def test_gang_that_changes_with_the_plan_gives_up_the_members_that_it_loses():
    state = state_with_nodes()

    [giving] = giving_gangs(state, decided(state, SizeChange(RUN.key, 4, (0, 2, 3), math.inf, math.inf)))

    assert giving == (RUN.key, {"n1", "n2"}, NOW + 30)


def test_gang_whose_change_is_ahead_gives_up_what_its_next_size_has_not():
    state = state_with_nodes()
    state.apply_gang(gang_fact("g"))
    state.assumptions.hold(reservation(members=(("n1", 2), ("n2", 1))))
    for rank, name in enumerate(("n1", "n1", "n2")):
        state.apply_pod(member_fact(rank=rank, node=name))
    state.assumptions.keep_room(reservation(members=(("n1", 1), ("n3", 1)), start=NOW + 90))

    [giving] = giving_gangs(state, decided(state))

    assert (giving.gang, giving.nodes) == (RUN.key, {"n1", "n2"})
    assert giving.gone_by >= NOW + 90


@pytest.mark.parametrize(
    ("placement", "want"),
    [
        pytest.param(starting(NOW + 30, "n4", "n1"), True, id="when they have left"),
        pytest.param(starting(NOW + 20, "n1", promised=NOW + 20), True, id="by its promise, which comes first"),
        pytest.param(starting(NOW + 20, "n1", promised=NOW + 90), False, id="before"),
        pytest.param(starting(NOW + 3600, "n1"), False, id="long after"),
        pytest.param(starting(NOW + 30, "n3", "n4"), False, id="on other nodes"),
    ],
)
def test_gang_waits_for_seats_if_it_starts_there_when_they_are_given_up(placement, want):
    state = state_with_nodes()
    [giving] = giving_gangs(state, decided(state, SizeChange(RUN.key, 4, (0, 2, 3), math.inf, math.inf)))

    assert giving.is_awaited_by(placement) is want
