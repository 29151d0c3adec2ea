"""The plan of a queue: who goes where, when, and what the plan says about it."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement, Unplaceable
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.refusals import Reason, WindowTooShort
from engine.builders import FOUR, NOW, decisions, gang, node, nodes_taken, only, release, snapshot


@pytest.mark.parametrize(
    ("nodes", "one", "want_members"),
    [
        pytest.param(FOUR, gang(size=2, serial=8), (("n1", 1), ("n2", 1)), id="equal nodes: first names first"),
        pytest.param(
            FOUR, gang(size=1, most=9, serial=8), tuple((f"n{i}", 1) for i in range(1, 5)), id="as many as help"
        ),
        pytest.param(
            [node("n1", free=3), node("n2", free=3)],
            gang(size=4, serial=8),
            (("n1", 3), ("n2", 1)),
            id="one node is filled before the next",
        ),
        pytest.param(
            [node("n1", slowdown=2.0), node("n2"), node("n3")],
            gang(size=2, serial=8),
            (("n2", 1), ("n3", 1)),
            id="faster nodes first",
        ),
        pytest.param(
            [node("n1", slowdown=3.0), node("n2")], gang(most=2, serial=8), (("n2", 1),), id="a slow node is no help"
        ),
        pytest.param(
            [node("n1", slowdown=1.5), node("n2"), node("n3", slowdown=1.5)],
            gang(most=2, serial=8),
            (("n1", 1), ("n2", 1)),
            id="members are listed in the order of node names",
        ),
        pytest.param(
            [node("n1", ready=False), node("n2", cordoned=True), node("n3")],
            gang(serial=8),
            (("n3", 1),),
            id="only nodes that take pods",
        ),
        pytest.param(
            [node("n1", until=NOW + 7), node("n2", until=NOW + 8)],
            gang(serial=8),
            (("n2", 1),),
            id="a node that is taken back too soon is left out",
        ),
        pytest.param(
            [node("n1", labels={"disk": "hdd"}), node("n2", labels={"disk": "ssd"})],
            gang(serial=8, constraints=Constraints(node_selector=(("disk", "ssd"),))),
            (("n2", 1),),
            id="a node it selects",
        ),
        pytest.param(
            [node("n1", free=-2), node("n2", free=1)],
            gang(serial=8),
            (("n2", 1),),
            id="an overcommitted node has no room",
        ),
        pytest.param(
            [node("n1", until=NOW + 999), node("n2")],
            gang(most=2),
            (("n2", 1),),
            id="run time unknown: never taken back",
        ),
    ],
)
def test_gang_starts_now_on(nodes, one, want_members):
    placement = only(nodes, one)

    assert (placement.start, nodes_taken(placement)) == (NOW, want_members)


def test_gang_waits_when_it_ends_sooner_that_way():
    """Two now would end at 1006; four from 1002 end at 1005."""
    nodes = [*FOUR[:2], node("n3", start=NOW + 2), node("n4", start=NOW + 2)]

    placement = only(nodes, gang(size=2, most=4, serial=12))

    assert (placement.size, placement.start, placement.finish) == (4, NOW + 2, NOW + 5)
    assert placement.speedup == 12 / 5


@pytest.mark.parametrize(
    ("requested", "want_seconds"),
    [
        pytest.param(None, 5, id="from now on where nothing is said"),
        pytest.param(NOW - 20, 25, id="from when it was requested"),
        pytest.param(NOW + 20, 5, id="not from a time to come"),
    ],
)
def test_speedup_counts_from_the_request(requested, want_seconds):
    nodes = [*FOUR[:2], node("n3", start=NOW + 2), node("n4", start=NOW + 2)]

    placement = only(nodes, replace(gang(size=2, most=4, serial=12), requested=requested))

    assert (placement.finish, placement.speedup) == (NOW + 5, 12 / want_seconds)


def test_gang_starts_now_when_waiting_would_end_later():
    nodes = [*FOUR[:2], node("n3", start=NOW + 5), node("n4", start=NOW + 5)]

    placement = only(nodes, gang(size=2, most=4, serial=12))

    assert (placement.size, placement.start, placement.finish) == (2, NOW, NOW + 6)
    assert (placement.alternative.size, placement.alternative.start, placement.alternative.finish) == (
        4,
        NOW + 5,
        NOW + 8,
    )
    assert placement.alternative.speedup == 12 / 8


def test_running_gang_gives_its_nodes_back_when_it_ends():
    nodes = [node("n1", free=0), node("n2", free=0)]

    placement = only(nodes, gang(size=2, serial=8), releases=[release(0, NOW + 3), release(1, NOW + 5)])

    assert placement.start == NOW + 5


def test_overdue_release_has_not_happened_yet():
    placement = only([node("n1", free=0)], gang(serial=8), releases=[release(0, NOW - 3)])

    assert placement.start == math.nextafter(NOW, math.inf)


def test_gang_behind_runs_before_a_later_claim_if_it_is_done_by_then():
    nodes = [node("n1"), node("n2", start=NOW + 10)]
    front = gang("front", size=2, serial=20, priority=1)

    plans = decisions(nodes, front, gang("short", serial=10), gang("long", serial=11, created=1.0))

    assert (plans["front"].start, plans["front"].finish) == (NOW + 10, NOW + 20)
    assert (plans["short"].start, plans["short"].finish) == (NOW, NOW + 10)
    assert plans["long"].start == NOW + 20


def test_gang_behind_a_gang_without_an_end_waits_for_no_other():
    plans = decisions(FOUR[:2], gang("endless", size=2, priority=1), gang("behind", serial=1))

    assert plans["endless"].finish == math.inf
    assert plans["endless"].speedup is None
    assert isinstance(plans["behind"], Unplaceable)
    assert plans["behind"].reason is Reason.HELD_BY_GANGS_IN_FRONT


def test_gang_without_an_end_does_not_take_a_node_that_is_promised():
    nodes = [node("n1"), node("n2", start=NOW + 10)]
    front = gang("front", size=2, serial=20, priority=1)

    plans = decisions(nodes, front, gang("endless"))

    assert plans["endless"].start == NOW + 20


def test_gang_without_an_end_takes_as_many_as_fit_at_its_start():
    nodes = [node("n1", free=2), node("n2", start=NOW + 5, free=2)]

    placement = only(nodes, gang(size=1, most=4))

    assert (placement.size, placement.start) == (2, NOW)
    assert (placement.alternative.size, placement.alternative.start) == (4, NOW + 5)


@pytest.mark.parametrize(
    ("deadline", "want_size", "want_finish"),
    [
        pytest.param(NOW + 12, 1, NOW + 12, id="one is enough"),
        pytest.param(NOW + 11, 2, NOW + 6, id="two are needed"),
        pytest.param(NOW + 3, 4, NOW + 3, id="all are needed"),
    ],
)
def test_deadline_is_met_with_the_fewest_members(deadline, want_size, want_finish):
    placement = only(FOUR, gang(most=4, serial=12, deadline=deadline))

    assert (placement.size, placement.finish) == (want_size, want_finish)


def test_order_is_priority_then_age_then_name():
    gangs = [
        gang("b", serial=1, created=5.0),
        gang("a", serial=1, created=5.0),
        gang("old", serial=1, created=1.0),
        gang("urgent", serial=1, created=9.0, priority=7),
    ]

    order = [decision.gang for decision in plan(snapshot(FOUR, gangs)).decisions]

    assert order == [GangKey("default", name) for name in ("urgent", "old", "a", "b")]


def test_run_too_short_for_the_clock_still_takes_its_nodes():
    far = 2.0**40
    plans = decisions([node("n1")], gang("a", serial=1e-9), gang("b", serial=1e-9), now=far)

    assert plans["a"].finish > plans["a"].start
    assert plans["b"].start == plans["a"].finish


def test_plan_names_the_generation():
    assert plan(snapshot(FOUR, [], generation=42)).generation == 42


def test_placement_names_the_nodes_that_limit_it():
    nodes = [node("n1", slowdown=2.0), node("n2"), node("n3", start=NOW + 2), node("n4", start=NOW + 1)]

    placement = only(nodes, gang(size=4, serial=12))

    assert (placement.start, placement.latest, placement.slowest) == (NOW + 2, "n3", "n1")


def test_node_where_a_gang_in_front_ends_is_the_latest():
    front, behind = plan(
        snapshot(
            [node("n1"), node("n2", slowdown=2.0)], [gang("a", serial=5), gang("b", size=2, serial=4, created=1.0)]
        )
    ).decisions

    assert (front.latest, front.slowest) == (None, "n1")
    assert (behind.start, behind.latest, behind.slowest) == (NOW + 5, "n1", "n2")


def test_equally_slow_nodes_are_named_in_order():
    placement = only([node("n2"), node("n1")], gang(size=2, serial=2))

    assert (placement.slowest, placement.latest) == ("n1", None)


def test_gang_that_may_not_start_yet_keeps_its_nodes_from_those_behind():
    found = decisions(
        [node("n1"), node("n2")],
        gang("front", size=2, serial=20, not_before=NOW + 30),
        gang("short", size=2, serial=60, created=1),
        gang("long", size=2, serial=61, created=2),
        gang("endless", size=1, created=3),
    )

    assert {name: one.start - NOW for name, one in found.items() if isinstance(one, Placement)} == {
        "front": 30,
        "short": 0,
        "long": 40,
        "endless": 70.5,
    }


def test_gang_that_may_not_start_before_nodes_close_says_so():
    found = only([node("n1", until=NOW + 40)], gang(serial=20, not_before=NOW + 30))

    assert found.reason is Reason.WINDOW_TOO_SHORT
    assert found.refusal == WindowTooShort(
        needed=1, shortest_seconds=20, passing=1, never_open=0, closing=1, longest_seconds=10
    )
