"""Gangs that learn are planned with what runs took on each kind of nodes, and nothing is learned from that alone."""

from dataclasses import replace

import pytest

from builders.facts import DEFAULT, bid_fact, gang_fact, gang_spec, node_fact, start_estimate
from builders.statuses import reserved
from coschedule import KindFactor, Load, Members, SerialWork, plan
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.belief.state import State
from lockstep.cycle.placed.run_time_learning import observation_of
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import KIND_LABEL, Template, run_of
from lockstep.report.status.plan_marks import mark_planned_for_later
from lockstep.snapshot.snapshots import SnapshotCutter

HEAT = "0" * 32
NOW = 1_800_000_000.0
STATED = SerialWork(serial=100.0)
START_ESTIMATE = start_estimate(NOW + 60, promised_start=NOW + 60, expected_finish=NOW + 160)


def asked(*, learns=True, size=1, load=Load.EQUAL, pieces=None, status=None):
    spec = gang_spec(work=STATED, size=size, run_template=HEAT, learns=learns)
    roles = tuple(replace(role, load=load, pieces=pieces) for role in spec.roles)
    return gang_fact("g", spec=replace(spec, roles=roles), created=NOW, status=status or GangStatus())


def cluster(**kinds):
    """Nodes of these kinds, after runs of one member that took twice as long on kind slow as on kind usual."""
    state = State(lambda: None)
    for name, kind in kinds.items():
        state.nodes.apply(node_fact(name, cpu=1500, labels={KIND_LABEL: kind} if kind else {}))
    for kind, seconds, count in (("usual", 100.0, 5), ("slow", 200.0, 3)):
        for _ in range(count):
            run = run_of(seconds / 100, members=1, slowdown=1.0, seconds=seconds, kind=kind)
            state.past_runs.learn(Template(DEFAULT, HEAT), run)
    state.past_runs.put_in_force()
    return state


def cut(state, gang):
    return SnapshotCutter(state).cut(NOW, [gang])


def placed(state, gang):
    [placement] = plan(cut(state, gang)).decisions
    return placement


def test_gang_is_planned_where_its_runs_were_fast():
    state = cluster(a="slow", b="usual")

    placement = placed(state, asked())

    assert [one.node for one in placement.members] == ["b"]
    assert placement.finish - NOW == pytest.approx(100)
    assert placed(cluster(a="slow"), asked()).finish - NOW == pytest.approx(200)


@pytest.mark.parametrize(
    ("kinds", "gang", "want"),
    [
        pytest.param({"a": "slow", "b": "usual"}, asked(), (KindFactor(0, 2.0), KindFactor(1, 1.0)), id="both"),
        pytest.param({"a": "slow", "b": "gpu"}, asked(), (KindFactor(1, 2.0),), id="one, and one that is unknown"),
        pytest.param({"a": None}, asked(), (), id="nodes without a kind"),
        pytest.param({"a": "slow"}, asked(learns=False), (), id="who does not ask"),
    ],
)
def test_factors_are_those_of_the_kinds_that_are_there(kinds, gang, want):
    [pending] = cut(cluster(**kinds), gang).gangs

    assert pending.factors == want


def test_thousands_of_kinds_cost_no_more_factors():
    kinds = {f"n{number}": f"kind-{number}" for number in range(3000)} | {"a": "slow", "b": "usual"}

    [pending] = cut(cluster(**kinds), asked()).gangs

    assert [factor.times for factor in pending.factors] == [2.0, 1.0]


@pytest.mark.parametrize(
    ("load", "pieces"),
    [(Load.EQUAL, None), (Load.PROPORTIONAL, None), (Load.PIECES, 300)],
    ids=["equal", "proportional", "pieces"],
)
def test_run_on_several_kinds_counts_as_what_it_would_have_taken_on_the_usual_one(load, pieces):
    state = cluster(a="slow", b="usual")
    state.bids.apply(bid_fact("b", slowdown=1.5))
    gang = asked(size=2, load=load, pieces=pieces)
    placement = placed(state, gang)
    status = reserved(gang, placement, now=NOW, learned=state.past_runs.in_force(gang))
    holds = replace(gang, status=status)

    # It takes just as long as it was planned to.
    observation = observation_of(holds, reserved_in_status(holds), placement.finish - NOW, state.nodes)

    plain = placed(state, replace(gang, spec=replace(gang.spec, learns=False, run_template="")))
    assert observation.run.slowdown == pytest.approx(1000 * (plain.finish - NOW) / 50, rel=5e-3)
    assert observation.run.kind == ""


def test_factor_of_one_kind_is_still_learned_from_its_runs():
    state = cluster(a="slow")
    gang = asked()
    placement = placed(state, gang)
    status = reserved(gang, placement, now=NOW, learned=state.past_runs.in_force(gang))
    holds = replace(gang, status=status)

    observation = observation_of(holds, reserved_in_status(holds), 200.0, state.nodes)

    assert status.run_time_factor == "2"
    assert (observation.run.thousandths, observation.run.slowdown, observation.run.kind) == (2000, 1000, "slow")


def test_next_process_keeps_the_plan_of_a_gang_with_factors():
    state = cluster(a="slow", b="slow")
    gang = asked(size=2)
    placement = replace(placed(state, gang), start=NOW + 60, finish=NOW + 160, promised=NOW + 60)
    planned_status = mark_planned_for_later(gang, placement, now=NOW, learned=state.past_runs.in_force(gang))
    planned_status = replace(planned_status, plan=START_ESTIMATE)

    [pending] = cut(state, replace(gang, status=planned_status)).gangs

    assert (pending.kept.start, pending.kept.finish) == (NOW + 60, pytest.approx(NOW + 160))
    [forgets] = cut(cluster(a="usual", b="slow"), replace(gang, status=planned_status)).gangs
    assert forgets.kept.finish == pytest.approx(NOW + 160), "the slowest node is as slow"
    assert cut(cluster(a="usual", b="usual"), replace(gang, status=planned_status)).gangs[
        0
    ].kept.finish == pytest.approx(NOW + 110)


def test_forged_members_of_a_status_cost_nothing():
    members = (Members("nowhere", 10**6), Members("a", 2**40))
    forged = GangStatus(members=members, start=NOW, expected_finish=NOW + 1, run_time_factor="1e300")

    [pending] = cut(cluster(a="slow"), asked(status=forged)).gangs

    assert pending.kept is None
