"""Gangs that fit only when others have ended, at an unknown time, hold nodes; those behind keep out of them."""

from dataclasses import replace

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Hold, Placement
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.refusals import HeldByLastingPods, Reason, Scarcest
from engine.builders import NOW, gang, node, nodes_taken, release, snapshot


def decisions(nodes, *gangs, **facts):
    made = plan(snapshot(nodes, gangs, **{"most_holding": 1} | facts))
    return {decision.gang.name: decision for decision in made.decisions}


def busy(name, *, free=0, someday=1, **more):
    """Describe a node where something runs that ends at an unknown time."""
    return node(name, free=free, someday=(someday,), **more)


def test_gang_in_front_keeps_the_nodes_it_needs_from_those_of_unknown_end():
    found = decisions(
        [busy("n1"), node("n2"), node("n3")], gang("large", size=3), gang("small", created=1), gang("tiny", created=2)
    )

    assert found["large"].reason is Reason.HOLDS_NODES
    assert found["large"].hold == Hold(nodes=("n1", "n2", "n3"), start=NOW)
    assert {found[name].reason for name in ("small", "tiny")} == {Reason.HELD_BY_GANGS_IN_FRONT}


def test_who_ends_before_the_hold_could_first_start_may_use_its_nodes():
    found = decisions(
        [busy("n1"), node("n2", free=0), node("n3")],
        gang("large", size=3),
        gang("short", serial=30, created=1),
        gang("long", serial=31, created=2),
        releases=[release(1, NOW + 30)],
    )

    assert found["large"].hold == Hold(nodes=("n1", "n2", "n3"), start=NOW + 30)
    assert (nodes_taken(found["short"]), found["short"].start) == ((("n3", 1),), NOW)
    assert found["long"].reason is Reason.HELD_BY_GANGS_IN_FRONT


@pytest.mark.parametrize(
    ("nodes", "one", "want"),
    [
        pytest.param([busy("n1"), busy("n2"), node("n3")], gang(size=2), ("n1", "n3"), id="fewest ends to wait for"),
        pytest.param(
            [busy("n1"), busy("n2", someday=2), node("n3")], gang(size=2), ("n2",), id="fewest nodes before all"
        ),
        pytest.param(
            [busy("n1", slowdown=2.0), busy("n2"), node("n3")], gang(size=2), ("n2", "n3"), id="then the fastest"
        ),
        pytest.param([busy("n1"), busy("n2", until=NOW + 9)], gang(), ("n1",), id="no node that closes again"),
        pytest.param([busy("n1"), busy("n2"), node("n3")], gang(size=2, held=(0, 1)), ("n1", "n2"), id="what it holds"),
        pytest.param(
            [busy("n1"), busy("n2", ready=False), node("n3")],
            gang(size=2, held=(0, 1)),
            ("n1", "n3"),
            id="while it can",
        ),
        pytest.param([busy("n1"), node("n2")], gang(size=2, held=(0, 7)), ("n1", "n2"), id="nodes that were there"),
    ],
)
def test_nodes_that_are_held(nodes, one, want):
    assert decisions(nodes, one)["g"].hold.nodes == want


@pytest.mark.parametrize(
    ("nodes", "one", "want"),
    [
        pytest.param([node("n1", free=0), node("n2")], gang(size=2), Reason.NOT_ENOUGH_ROOM, id="not even in the end"),
        pytest.param([busy("n1")], gang(may_hold=False), Reason.NOT_ENOUGH_ROOM, id="its time is over"),
        pytest.param(
            [busy("n1")], gang(serial=5, deadline=NOW + 4), Reason.NOT_ENOUGH_ROOM, id="it would end too late"
        ),
        pytest.param(
            [node("n1", free=0, lasting=(1,)), node("n2")],
            gang(size=2),
            Reason.HELD_BY_LASTING_PODS,
            id="only pods that are not meant to end are in the way",
        ),
    ],
)
def test_gang_that_holds_nothing_says_why(nodes, one, want):
    found = decisions(nodes, one, gang("behind", created=1, may_hold=False))

    assert (found["g"].reason, found["g"].hold) == (want, None)
    assert isinstance(found["behind"], Placement) or found["behind"].reason is Reason.NOT_ENOUGH_ROOM


def test_lasting_pods_are_named():
    [one] = decisions([node("n1", free=0, lasting=(3,)), node("n2", free=5)], gang(size=8)).values()

    scarcest = Scarcest(resource="slots", each=1, fit=5)
    assert one.refusal == HeldByLastingPods(needed=8, fit=5, scarcest=scarcest)


def test_only_so_many_gangs_hold_nodes():
    gangs = [gang(f"g{number}", size=2, created=number) for number in range(4)]
    found = decisions([busy(f"n{number}") for number in range(8)], *gangs, most_holding=2)

    assert [one.hold and one.hold.nodes for one in found.values()] == [("n0", "n1"), ("n2", "n3"), None, None]


def test_gang_of_unknown_end_that_starts_now_is_waited_for():
    found = decisions([node("n1"), node("n2")], gang("runs"), gang("waits", size=2, created=1))

    assert found["waits"].hold == Hold(nodes=("n1", "n2"), start=NOW)


def test_without_promises_no_gang_keeps_nodes_free():
    facts = snapshot([busy("n1"), node("n2")], [gang("large", size=2), gang("small", created=1)], most_holding=1)

    large, small = plan(replace(facts, promises=Promises.NONE)).decisions

    assert (large.reason, large.hold) == (Reason.NOT_ENOUGH_ROOM, None)
    assert (nodes_taken(small), small.start) == ((("n2", 1),), NOW)
