"""Gangs that shrink for more urgent ones in the place of being evicted: worked examples."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.preemption import preempt as preempting
from coschedule.queue.preemption import sets
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.preemption.worlds import without
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.promise_kinds import Promises
from engine.builders import NOW, gang, node, release, running, seeded, shrinkable, snapshot

FULL = [node(f"n{index}", free=0) for index in range(4)]
LATER = NOW + 5000.0
TO_ONE = [(1, LATER)]
ALL_SIZES = [(size, LATER) for size in (1, 2, 3)]


def hot(name="hot", *, size=1, **more):
    """Describe a gang that may preempt."""
    return gang(name, size=size, priority=5, may_preempt=True, **more)


def gave_way(nodes=FULL, gangs=(), **facts):
    """List for each gang who gives way to it: 0 if it is evicted, else with how many members it goes on."""
    snap = snapshot(nodes, gangs, **facts)
    found = preempt(snap, plan(snap)).preemptions
    return {one.gang.name: {**dict.fromkeys((it.name for it in one.victims), 0), **left(one)} for one in found}


def left(preemption):
    return {change.gang.name: change.size_after for change in preemption.shrinks}


@pytest.mark.parametrize(
    ("runs", "want"),
    [
        pytest.param([shrinkable("a", 0, 1, 2, 3, sizes=ALL_SIZES, since=NOW - 9)], {"a": 3}, id="as far as needed"),
        pytest.param(
            [shrinkable("a", 0, 1, 2, 3, sizes=[*TO_ONE, (2, LATER)], since=NOW - 9)],
            {"a": 2},
            id="to allowed sizes",
        ),
        pytest.param(
            [shrinkable("a", 0, 1, 2, 3, sizes=ALL_SIZES, restart_time=10, since=NOW - 9)],
            {"a": 0},
            id="not if it has run for less than a restart takes",
        ),
        pytest.param(
            [shrinkable("a", 0, 1, 2, 3, sizes=ALL_SIZES, restart_time=9, since=NOW - 9)],
            {"a": 3},
            id="if both lose as much",
        ),
        pytest.param(
            [
                shrinkable("a", 0, 1, sizes=TO_ONE, restart_time=9, since=NOW - 90),
                running("b", 2, since=NOW - 17),
            ],
            {"b": 0},
            id="not if another one loses less",
        ),
        pytest.param(
            [
                shrinkable("a", 0, 1, sizes=TO_ONE, restart_time=9, since=NOW - 90),
                running("b", 2, since=NOW - 19),
            ],
            {"a": 1},
            id="restart time counts for all members",
        ),
        pytest.param(
            [shrinkable("a", 0, 1, sizes=TO_ONE, restart_time=900, keeps=True), running("b", 2, since=NOW - 1)],
            {"a": 1},
            id="nothing is lost if the others go on",
        ),
        pytest.param(
            [shrinkable("a", 0, 1, sizes=TO_ONE, keeps=True, lost=9, since=NOW - 90), running("b", 2, since=NOW - 17)],
            {"b": 0},
            id="all members lose work if they go back to a checkpoint",
        ),
        pytest.param(
            [shrinkable("a", 0, 1, sizes=TO_ONE, priority=5), running("b", 2)],
            {"b": 0},
            id="only less urgent ones",
        ),
    ],
)
def test_one_gives_way(runs, want):
    assert gave_way(gangs=[hot()], runs=runs) == {"hot": want}


def test_gang_shrinks_beside_an_eviction():
    runs = [shrinkable("a", 0, 1, 2, sizes=TO_ONE, since=NOW - 900), running("b", 3)]

    assert gave_way(gangs=[hot(size=3)], runs=runs) == {"hot": {"a": 1, "b": 0}}


def test_change_says_what_stays_and_for_which_gang():
    runs = [shrinkable("a", 2, 0, 3, 1, sizes=[(2, LATER)], end=NOW + 4000, since=NOW - 900)]
    snap = snapshot(FULL, [hot(size=2)], runs=runs)

    [change] = preempt(snap, plan(snap)).preemptions[0].shrinks

    assert (change.was, change.nodes, change.made_for) == (4, (0, 2), GangKey("default", "hot"))
    assert (change.end_before, change.end, change.is_open_ended) == (NOW + 4000, LATER, False)


@pytest.mark.parametrize(
    ("keeps", "allowed", "want"),
    [(False, 3, {"b": 0}), (False, 4, {"a": 3}), (True, 1, {"a": 3}), (True, 0, {"b": 0})],
    ids=["all end", "all may end", "one leaves", "none may leave"],
)
def test_budget_counts_the_members_that_go(keeps, allowed, want):
    nodes = [*FULL, node("n4", free=0)]
    a = shrinkable("a", 0, 1, 2, 3, sizes=ALL_SIZES, keeps=keeps, disrupts=[(0, 4)])
    b = running("b", 4, since=NOW - 9000)

    assert gave_way(nodes, [hot()], runs=[a, b], budgets=(allowed,)) == {"hot": want}


def test_gang_that_budgets_protect_from_an_eviction_shrinks():
    a = shrinkable("a", 0, 1, 2, 3, sizes=ALL_SIZES, keeps=True, disrupts=[(0, 4)])

    assert gave_way(gangs=[hot(size=2)], runs=[a], budgets=(2,)) == {"hot": {"a": 2}}
    assert gave_way(gangs=[hot(size=3)], runs=[a], budgets=(2,)) == {}


def test_shrunk_gang_holds_the_rest_until_its_later_end():
    snap = snapshot(
        FULL,
        [hot(size=2, serial=100), gang("cold", size=4, serial=10)],
        runs=[shrinkable("a", 0, 1, 2, 3, sizes=[(2, NOW + 700)], end=NOW + 400, since=NOW - 90, grace=20)],
    )

    starts = {one.gang.name: one.start for one in preempt(snap, plan(snap)).plan.decisions}

    assert starts == {"hot": NOW + 20, "cold": NOW + 700}


@pytest.mark.parametrize("end", [NOW + 400, math.inf])
def test_gang_with_a_release_for_each_member_gives_all_of_it_back_once(end):
    """Gangs whose size may change have a release for each member, also where several are on one node."""
    nodes = [node("n0", free=0), node("n1", free=0)]
    [a] = runs = [shrinkable("a", 0, 0, 0, 1, sizes=[(2, LATER)], end=end, grace=20)]
    snap = snapshot(nodes, [], runs=runs)
    if end < math.inf:
        snap = replace(snap, releases=tuple(release(index, end) for index in a.smaller.nodes))

    assert released(without(snap, [a])) == {(0, NOW + 20): 3, (1, NOW + 20): 1}


@pytest.mark.parametrize("sizes", [(1, 2), (2, 1)])
def test_what_another_gang_gives_back_on_that_node_at_that_time_stays(sizes):
    [a, other] = runs = [running(name, (0, size), end=NOW + 400) for name, size in zip("ab", sizes, strict=True)]
    snap = snapshot([node("n0", free=0)], [], runs=runs)

    for gone, stays in ((a, other), (other, a)):
        left = {(0, NOW): gone.holds[0].request[0], (0, NOW + 400): stays.holds[0].request[0]}
        assert released(without(snap, [gone])) == left


def released(snap):
    found = {}
    for one in snap.releases:
        found[one.node, one.time] = found.get((one.node, one.time), 0) + one.request[0]
    return found


@pytest.mark.parametrize("effort", [4, 512])
def test_no_promise_breaks_by_a_shrink_that_an_eviction_would_keep(monkeypatch, effort):
    monkeypatch.setattr(preempting, "MOST_PLANNED", effort)
    # After an eviction the promised gang starts when the urgent one has ended; the shrunk one would hold n3 for longer.
    promised = gang("promised", size=4, serial=400, promised=NOW + 500)
    runs = [shrinkable("a", 0, 1, 2, 3, sizes=[(3, NOW + 900)], end=NOW + 300, since=NOW - 90)]

    assert gave_way(gangs=[hot(serial=100), promised], runs=runs) == {"hot": {"a": 0}}
    later = replace(promised, promised=NOW + 900)
    assert gave_way(gangs=[hot(serial=100), later], runs=runs) == {"hot": {"a": 3}}


def test_gang_shrinks_even_if_that_delays_another_gang_as_far_as_its_promise_allows():
    promised = gang("promised", size=4, serial=400, promised=NOW + 900)
    runs = [shrinkable("a", 0, 1, 2, 3, sizes=[(3, NOW + 900)], end=NOW + 300, since=NOW - 90)]
    snap = replace(snapshot(FULL, [hot(serial=100), promised], runs=runs), promises=Promises.SLACK)

    after = preempt(snap, plan(snap))

    assert [left(one) for one in after.preemptions] == [{"a": 3}]
    assert {one.gang.name: one.start for one in after.plan.decisions} == {
        "hot": math.nextafter(NOW, math.inf),
        "promised": NOW + 900,
    }


@pytest.mark.parametrize("count", [40, 300])
def test_gang_shrinks_however_many_gangs_with_promises_wait(count):
    waiting = [gang(f"w{index:03d}", created=float(index), serial=10, promised=NOW + 10**6) for index in range(count)]
    runs = [shrinkable("a", 0, 1, 2, 3, sizes=[(3, LATER)], end=NOW + 4000, since=NOW - 900)]

    assert gave_way(gangs=[hot(serial=100), *waiting], runs=runs) == {"hot": {"a": 3}}


@pytest.mark.parametrize("effort", [4, 512])
def test_promise_that_breaks_by_an_eviction_too_keeps_no_gang_from_shrinking(monkeypatch, effort):
    monkeypatch.setattr(preempting, "MOST_PLANNED", effort)
    promised = gang("promised", size=4, serial=400, promised=NOW + 500)
    runs = [shrinkable("a", 0, 1, 2, 3, sizes=[(3, NOW + 900)], end=NOW + 300, since=NOW - 90)]

    assert gave_way(gangs=[hot(serial=700), promised], runs=runs) == {"hot": {"a": 3}}


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("most_sets", [0, 1023])
def test_one_of_many_shrinks_no_further_than_needed(monkeypatch, most_sets, keeps):
    monkeypatch.setattr(sets, "MOST_SETS", most_sets)
    nodes = [node(f"n{index:02}", free=0) for index in range(16)]
    places = [range(first, first + 4) for first in range(0, 16, 4)]
    runs = [
        shrinkable(f"r{number}", *own, sizes=ALL_SIZES, restart_time=9, keeps=keeps, since=NOW - 100 + number)
        for number, own in enumerate(places)
    ]

    [(_, found)] = gave_way(nodes, [hot(size=2)], runs=runs).items()

    assert list(found.values()) == [2]


def test_many_gangs_shrink_where_evicting_some_would_cost_more():
    rnd = seeded(1)
    nodes = [node(f"n{index:03}", free=0) for index in range(80)]
    runs = [
        shrinkable(
            f"r{first:03}", *range(first, first + 4), sizes=ALL_SIZES, keeps=True, since=NOW - rnd.randint(9, 99)
        )
        for first in range(0, 80, 4)
    ]

    [(_, found)] = gave_way(nodes, [hot(size=30)], runs=runs).items()

    assert 0 not in found.values()
    assert sum(4 - size for size in found.values()) == 30
