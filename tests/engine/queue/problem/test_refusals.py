"""Why a gang fits nowhere: values with true numbers, one for each reason."""

import math

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.open_ended import Blocker
from coschedule.queue.problem.refusals import (
    ConstraintsTooLong,
    DeadlineCannotBeMet,
    HeldByGangsInFront,
    HeldByLastingPods,
    NoDomainFits,
    NoNodeFits,
    NoRoomTogether,
    NotEnoughRoom,
    NoTimeForSize,
    PlanningFailed,
    Reason,
    Scarcest,
    TooManyCombinations,
    TopologiesCross,
    WindowTooShort,
)
from engine.builders import NOW, decisions, gang, node, only, running

REFUSALS = (
    ConstraintsTooLong,
    DeadlineCannotBeMet,
    HeldByGangsInFront,
    HeldByLastingPods,
    NoDomainFits,
    NoNodeFits,
    NoRoomTogether,
    NoTimeForSize,
    NotEnoughRoom,
    PlanningFailed,
    TooManyCombinations,
    TopologiesCross,
    WindowTooShort,
)
SSD = Constraints(node_selector=(("disk", "ssd"),))


def test_every_refusal_has_a_reason_of_its_own():
    assert len({refusal.reason for refusal in REFUSALS}) == len(REFUSALS)


@pytest.mark.parametrize(
    ("nodes", "one", "want"),
    [
        pytest.param([], gang(size=2, serial=1), NoNodeFits(needed=2, nodes=0, failures=()), id="no nodes"),
        pytest.param(
            [node("n1", ready=False), node("n2")],
            gang(serial=1, constraints=SSD),
            NoNodeFits(needed=1, nodes=2, failures=(("not ready", 1), ("without disk=ssd", 1))),
            id="no node passes",
        ),
        pytest.param(
            [node("n1", free=4)],
            gang(size=2, most=3, times=[4, math.inf, math.inf, 1]),
            NoTimeForSize(minimum=2, maximum=3),
            id="a gap in the measured times",
        ),
        pytest.param(
            [node("n1", free=4)],
            gang(size=1, most=4, serial=10, deadline=NOW + 2),
            DeadlineCannotBeMet(seconds=2.5, size=4, late_seconds=0.5),
            id="deadline too early",
        ),
        pytest.param(
            [node("n1", free=2), node("n2", free=0)],
            gang(size=4, serial=1),
            NotEnoughRoom(
                needed=4,
                fit=2,
                passing=2,
                nodes=2,
                short=(("slots", 1),),
                scarcest=Scarcest(resource="slots", each=1, fit=2),
            ),
            id="too little room",
        ),
        pytest.param(
            [node("n1", free=0, lasting=(3,)), node("n2")],
            gang(size=4, serial=1),
            HeldByLastingPods(needed=4, fit=1, scarcest=Scarcest(resource="slots", each=1, fit=1)),
            id="pods that are not meant to end",
        ),
        pytest.param(
            [node("n1", until=NOW + 10, slowdown=2.0), node("n2", start=math.inf)],
            gang(serial=6),
            WindowTooShort(needed=1, shortest_seconds=6, passing=2, never_open=1, closing=1, longest_seconds=10),
            id="windows too short",
        ),
    ],
)
def test_refusal_has_the_numbers_of(nodes, one, want):
    found = only(nodes, one)

    assert found.refusal == want
    assert found.reason is want.reason


NOWORK = running("nowork", 0, 1, size=2)


def test_gang_that_gives_no_end_is_named_where_its_nodes_are_missing():
    nodes = [node("n1", free=0), node("n2", free=0), node("n3")]

    found = only(nodes, gang(size=3, serial=1), runs=[NOWORK])

    assert found.refusal.blocker == Blocker(gang=NOWORK.key, nodes=2, others=0)


@pytest.mark.parametrize(
    ("one", "runs"),
    [
        pytest.param(gang(size=4, serial=1), [NOWORK], id="too large for all nodes"),
        pytest.param(
            gang(size=2, serial=1, constraints=Constraints(node_selector=(("a", "1"),))), [NOWORK], id="on other nodes"
        ),
    ],
)
def test_gang_that_gives_no_end_is_not_named_where_the_end_would_not_help(one, runs):
    nodes = [node("n1", free=0), node("n2", free=0), node("n3", labels={"a": "1"})]

    assert only(nodes, one, runs=runs).refusal.blocker is None


def test_gangs_in_front_are_the_reason_of_last_resort():
    found = decisions([node("n1")], gang("front", priority=1), gang("behind", serial=5))

    front = Blocker(gang=GangKey("default", "front"), nodes=1, others=0)
    assert found["behind"].refusal == HeldByGangsInFront(needed=1, nominated=False, blocker=front)


def test_gang_in_front_is_named_that_has_most_of_the_nodes_that_pass():
    nodes = [node("n1", labels={"a": "1"}), node("n2", labels={"a": "1"}), node("n3"), node("n4")]
    on_a = Constraints(node_selector=(("a", "1"),))
    fronts = [gang("one", priority=3, constraints=on_a), gang("two", priority=2, size=3)]

    found = decisions(nodes, *fronts, gang("behind", serial=5, constraints=on_a))

    assert found["behind"].refusal.blocker == Blocker(gang=GangKey("default", "one"), nodes=1, others=1)


def test_gang_in_front_that_holds_nodes_until_it_starts_is_named():
    nodes = [node("n1", free=0, someday=(1,)), node("n2")]

    found = decisions(nodes, gang("front", priority=1, size=2), gang("behind"), most_holding=1)

    assert found["front"].reason is Reason.HOLDS_NODES
    assert found["behind"].refusal.blocker == Blocker(gang=GangKey("default", "front"), nodes=2, others=0)


def test_gang_that_holds_nodes_has_that_for_its_reason():
    found = only([node("n1", free=0, someday=(1,))], gang(), most_holding=1)

    assert found.refusal.reason is Reason.NOT_ENOUGH_ROOM
    assert found.reason is Reason.HOLDS_NODES
    assert found.hold is not None
