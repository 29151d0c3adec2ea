"""Bars of gangs whose members change: on each node they begin or end at the change."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, member_fact, node_fact
from coschedule import GangKey, Members
from engine.builders import seeded
from lockstep.belief.state import State
from lockstep.facts.elastic import ChangeMode, ElasticSpec, NextSize
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.timeline import draw, freeze
from lockstep.report.timeline.bars import Bar, NextNodes, Stage, bars

NOW, AT, FINISH, LATER = 1000.0, 1120.0, 5000.0, 9000.0
PLACED = (ConditionFact(Condition.PLACED, "True", Reason.BOUND, "", 1, 0.0),)
UNDOING = (ConditionFact(Condition.PLACED, "False", Reason.UNDOING, "", 1, 0.0),)
RELEASED = (ConditionFact(Condition.PLACED, "False", Reason.CHANGING_SIZE, "", 1, 0.0),)
RESTARTS = replace(gang_spec(size=1, most=4), elastic=ElasticSpec(120.0, 600.0, has_notice=True))
COMES_AND_GOES = replace(RESTARTS, elastic=ElasticSpec(120.0, 600.0, mode=ChangeMode.MEMBERS))


def following(*nodes, begins_at=None):
    members = tuple(Members(node, 1) for node in nodes)
    return NextSize(members=members, decided_at=NOW, expected_finish=LATER, why="w", begins_at=begins_at)


def running_on(*nodes, conditions=PLACED, **status):
    """The status of a gang with a member on each node."""
    return GangStatus(
        attempt=1,
        members=tuple(Members(node, 1) for node in nodes),
        size=len(nodes),
        reserved_at=100.0,
        start=100.0,
        expected_finish=FINISH,
        conditions=conditions,
        **status,
    )


def seen(status, *, spec=RESTARTS, pods=(), **known):
    """A cache with four nodes and a gang of that status; ``pods`` has the nodes of its members by rank."""
    state = State(lambda: None)
    for number in range(1, 5):
        state.nodes.apply(node_fact(f"n{number}"))
    state.apply_gang(gang_fact(spec=spec, status=status))
    for rank, node in enumerate(pods):
        state.apply_pod(member_fact(rank=rank, node=node, **known))
    return state


def drawn(state):
    [bar] = bars(freeze(state, (), planned_at=NOW, now=NOW))
    return bar


def spans(bar):
    """By node, the members of each part with its start and its end."""
    found = {}
    for node, part in bar.parts():
        found.setdefault(node, []).append((part.members, *bar.span(part)))
    return found


def test_change_of_which_members_have_notice_begins_when_they_have_left():
    state = seen(running_on("n1", "n2", next_size=following("n2", "n3", "n4", begins_at=AT)), pods=("n1", "n2"))

    bar = drawn(state)

    assert (bar.stage, bar.size, bar.then.size) == (Stage.PLACED, 2, 3)
    # They are asked to end at the change, and take their grace.
    assert spans(bar) == {
        "n1": [(1, 100.0, AT + 30)],
        "n2": [(1, 100.0, LATER)],
        "n3": [(1, AT + 30, LATER)],
        "n4": [(1, AT + 30, LATER)],
    }


def test_change_that_has_begun_ends_when_the_last_member_has_left():
    state = seen(
        running_on("n1", "n2", conditions=UNDOING, next_size=following("n1")), pods=("n1", "n2"), gone_by=1020.0
    )

    bar = drawn(state)

    assert (bar.stage, bar.size, bar.then.size) == (Stage.UNDOING, 2, 1)
    assert spans(bar) == {"n1": [(1, 100.0, LATER)], "n2": [(1, 100.0, 1020.0)]}


def test_next_size_has_a_bar_before_its_attempt_begins():
    status = replace(running_on("n1", "n2", conditions=RELEASED, next_size=following("n1", "n3")), reserved_at=None)

    bar = drawn(seen(status))

    assert (bar.stage, bar.then) == (Stage.RESERVED, None)
    assert spans(bar) == {"n1": [(1, NOW, LATER)], "n3": [(1, NOW, LATER)]}


def test_members_that_join_begin_at_the_change():
    status = running_on("n1", next_size=following("n1", "n2", "n3"), member_changes=1)

    bar = drawn(seen(status, spec=COMES_AND_GOES, pods=("n1",)))

    assert (bar.size, bar.then.size) == (1, 3)
    assert spans(bar) == {"n1": [(1, 100.0, FINISH)], "n2": [(1, NOW, FINISH)], "n3": [(1, NOW, FINISH)]}


def test_members_that_leave_end_at_their_grace():
    state = seen(running_on("n1"), spec=COMES_AND_GOES, pods=("n1", "n1", "n3"), gone_by=1020.0)

    bar = drawn(state)

    assert (bar.size, bar.then.size) == (3, 1)
    assert spans(bar) == {"n1": [(2, 100.0, 1020.0), (1, 1020.0, FINISH)], "n3": [(1, 100.0, 1020.0)]}


def test_gang_whose_members_stay_has_no_step():
    bar = drawn(seen(running_on("n1", "n2"), pods=("n1", "n2")))

    assert (bar.then, spans(bar)) == (None, {"n1": [(1, 100.0, FINISH)], "n2": [(1, 100.0, FINISH)]})


def test_picture_has_both_sizes_and_the_times_of_each_node():
    state = seen(running_on("n1", "n2", next_size=following("n2", "n3", begins_at=AT)), pods=("n1", "n2"))

    picture = draw(freeze(state, (), planned_at=NOW, now=NOW))

    [gang] = picture["gangs"]
    assert (gang["size"], gang["nodes"], gang["start"], gang["finish"]) == (2, "n1, n2", 100.0, LATER)
    assert gang["next"] == {"size": 2, "at": AT + 30, "nodes": "n2, n3"}
    assert {row["nodes"]: row["bars"] for row in picture["kinds"][0]["rows"]} == {
        "n1": [[0, 0, 1, None, AT + 30]],
        "n2": [[0, 0, 1]],
        "n3": [[0, 0, 1, AT + 30, None]],
        "n4": [],
    }
    assert picture["waiting"] == []


def test_picture_of_a_change_is_the_same_until_something_happens():
    state = seen(running_on("n1", conditions=UNDOING, next_size=following("n2")), pods=("n1",))

    assert draw(freeze(state, (), planned_at=NOW, now=NOW)) == draw(freeze(state, (), planned_at=NOW, now=NOW + 5))


@pytest.mark.parametrize("seed", range(20))
def test_at_each_time_the_parts_of_a_node_are_its_members(seed):
    rnd = seeded(seed)
    before, after = ({f"n{node}": rnd.randint(1, 2) for node in rnd.sample(range(4), rnd.randint(1, 4))} for _ in "ab")
    bar = Bar(
        gang=GangKey("default", "g"),
        stage=Stage.PLACED,
        start=1.0,
        finish=rnd.choice([9.0, None]),
        nodes=before,
        then=NextNodes(5.0, after),
    )

    for time, want in ((3.0, before), (7.0, after), (0.0, {})):
        there = [(node, count) for node, parts in spans(bar).items() for count, *span in parts if is_there(span, time)]
        assert (sorted(there), len(there)) == (sorted(want.items()), len(dict(there)))


def is_there(span, time):
    start, finish = span
    return start <= time and (finish is None or time < finish)
