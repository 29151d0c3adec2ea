"""Choices of sizes obey the rules of plans: rests, owners, node holds, turns of groups, and other gangs."""

import math
from dataclasses import replace

import pytest

from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.queue.problem.fair_shares import FairShares, ShareGroup
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing import beside
from coschedule.resizing import resize as resizing
from coschedule.resizing.resize import resize
from engine.builders import FOUR, NOW, gang, node, snapshot
from engine.resizing.four_nodes import SHORT, TERMS, elastic, only, planned, resized, sizes


def test_a_gang_that_rests_after_a_failed_attempt_does_not_start_before_its_rest_is_over():
    resting = replace(SHORT, not_before=NOW + 300)

    idle = resize(snapshot(FOUR, [resting]), [], {resting.key: TERMS})
    full = resized(elastic(0, 1, 2, 3), resting)

    assert (sizes(idle), planned(idle)) == ({}, {"short": NOW + 300})
    assert sizes(full) == {}


@pytest.mark.parametrize(
    ("interruptible", "want"),
    [
        pytest.param(Interruptible.NEVER, (0, 1, 3), id="it may not be interrupted"),
        pytest.param(Interruptible.FREELY, (0, 1, 2, 3), id="it may be interrupted"),
    ],
)
def test_a_gang_that_may_not_be_interrupted_does_not_grow_onto_nodes_whose_owners_may_come_back(interruptible, want):
    run = replace(elastic(0, 1), interruptible=interruptible)
    nodes = [node(one["name"], free=int(index > 1)) for index, one in enumerate(FOUR)]
    releases = [Release(node=index, request=(1,), time=run.end) for index in run.nodes]
    facts = {"edges": [NOW, NOW + 3_600, NOW + 7_200], "returns": [[0, 0], [0.5, 0.5], [0, 0.5], [0, 0]]}

    [change] = resize(snapshot(nodes, [], releases=releases, **facts), [run], {}).sizes.changes

    assert change.nodes == want


@pytest.mark.parametrize(
    ("interruptible", "serial", "want"),
    [
        pytest.param(Interruptible.NEVER, 20_000, {}, id="it may not be interrupted"),
        pytest.param(Interruptible.NEVER, 3_000, {"waits": 2}, id="it ends before owners come back"),
        pytest.param(Interruptible.FREELY, 20_000, {"waits": 2}, id="it may be interrupted"),
    ],
)
def test_a_gang_that_may_not_be_interrupted_does_not_start_where_owners_may_come_back(interruptible, serial, want):
    waits = gang("waits", serial=serial, size=1, most=2, created=NOW, interruptible=interruptible)
    facts = {"edges": [NOW, NOW + 3_600, NOW + 7_200], "returns": [[0, 0.5]] * 4}

    result = resize(snapshot(FOUR, [waits], **facts), [], {waits.key: TERMS})

    assert sizes(result) == want


def test_seats_that_a_gang_gives_up_are_not_for_a_gang_that_may_not_be_interrupted_there():
    run = replace(elastic(0, 1, 2, 3), interruptible=Interruptible.FREELY)
    nodes = [node(one["name"], free=0) for one in FOUR]
    releases = [Release(node=index, request=(1,), time=run.end) for index in run.nodes]
    facts = {"releases": releases, "edges": [NOW, NOW + 3_600], "returns": [[0.5]] * 4}

    assert sizes(resize(snapshot(nodes, [SHORT], **facts), [run], {SHORT.key: TERMS})) == {}


APART = [
    pytest.param({"created": NOW}, True, id="of unknown run time"),
    pytest.param({"created": NOW, "serial": 4_000, "deadline": NOW + 1_500}, True, id="with a deadline"),
    pytest.param({"created": NOW, "serial": 4_000, "factors": ((1, 2.0),)}, True, id="with factors of its own"),
    pytest.param(
        {"created": NOW, "serial": 4_000, "constraints": only("n0", "n1", "n2", "n3")},
        True,
        id="with other constraints",
    ),
    pytest.param({"created": NOW, "priority": -1}, False, id="less urgent"),
]


@pytest.mark.parametrize("ends", [pytest.param(None, id="could start now"), pytest.param(NOW + 300, id="could soon")])
@pytest.mark.parametrize(("facts", "is_kept"), APART)
def test_a_gang_does_not_grow_or_start_where_that_delays_one_that_takes_no_part(facts, is_kept, ends):
    apart, run = gang("apart", size=4, **facts), elastic(4)
    later = [] if ends is None else [Release(node=index, request=(1,), time=ends) for index in (2, 3)]
    nodes = [*(node(f"n{index}", free=int(index < 2 or ends is None)) for index in range(4)), node("n4", free=0)]
    releases = [Release(node=4, request=(1,), time=run.end), *later]
    short = replace(SHORT, work=SerialWork(serial=30_000.0))

    grown = resize(snapshot(nodes, [apart], releases=releases), [run], {})
    started = resize(snapshot(nodes, [apart, short], releases=releases), [], {short.key: TERMS})

    assert (not sizes(grown), "short" not in sizes(started)) == (is_kept, is_kept)
    if is_kept:
        assert planned(grown)["apart"] == planned(started)["apart"] == (ends or NOW)


def test_a_gang_does_not_grow_onto_nodes_that_one_with_larger_members_needs():
    apart, run = gang("apart", size=2, serial=4_000, request=(2,), created=NOW), elastic(2)
    nodes = [node("n0", free=2), node("n1", free=2), node("n2", free=0)]

    result = resize(snapshot(nodes, [apart], releases=[Release(node=2, request=(1,), time=run.end)]), [run], {})

    assert (planned(result), [one.nodes for one in result.sizes.changes]) == ({"apart": NOW}, [])


def test_a_gang_grows_onto_the_nodes_that_no_gang_that_takes_no_part_needs():
    apart, run = gang("apart", size=2, created=NOW, constraints=only("n0", "n1")), elastic(3)
    nodes = [*(node(f"n{index}") for index in range(3)), node("n3", free=0)]

    result = resize(snapshot(nodes, [apart], releases=[Release(node=3, request=(1,), time=run.end)]), [run], {})

    assert (planned(result), [one.nodes for one in result.sizes.changes]) == ({"apart": NOW}, [(2, 3)])


def test_a_promise_for_which_a_gang_will_shrink_holds_though_a_choice_of_sizes_is_dropped():
    # The run may only grow onto the node that the other gang needs. It shrinks when the promise is due.
    run = replace(elastic(0, 1, 2), sizes=Sizes(minimum=1, maximum=5, allowed=(1, 3, 5)))
    half = gang("half", serial=4_000_000, size=3, created=NOW, promised=NOW + 1_000, constraints=only(*"abcd"))
    apart = gang("apart", size=1, created=NOW, constraints=only("e"))
    nodes = [node(name, free=int(name in "de")) for name in "abcde"]
    releases = [Release(node=index, request=(1,), time=run.end) for index in run.nodes]

    result = resize(snapshot(nodes, [half, apart], releases=releases), [run], {})

    assert sizes(result) == {}
    assert planned(result) == {"half": half.promised, "apart": NOW}


def test_age_of_a_gang_does_not_count_the_time_in_which_it_was_suspended():
    gangs = [gang(name, serial=40_000, size=2, created=NOW - 9_000, queued_since=NOW - 9_000) for name in ("a", "b")]
    resumed = replace(gangs[0], created=NOW - 10**6, queued_since=NOW)

    [start] = resize(snapshot(FOUR[:2], [resumed, gangs[1]]), [], {one.key: TERMS for one in gangs}).sizes.starts

    assert start.gang.name == "b"


@pytest.mark.parametrize("used", [(1e6, 0.0), (0.0, 1e6)])
def test_groups_with_fair_shares_take_turns_where_gangs_start_by_a_choice_of_sizes(used):
    long = gang("long", serial=40_000, size=2, created=0.0)
    gangs = [replace(one, key=GangKey(one.key.name, one.key.name)) for one in (SHORT, long)]
    groups = tuple(
        ShareGroup(name=name, used=use, namespaces=(name,)) for name, use in zip(("short", "long"), used, strict=True)
    )
    shared = replace(snapshot(FOUR[:2], gangs), shares=FairShares(groups=groups, capacity=(2,)))

    result = resize(shared, [], {one.key: TERMS for one in gangs})

    first = "long" if used[0] else "short"
    assert {one.gang.name for one in result.sizes.starts} == {first}


def test_a_gang_shrinks_for_a_more_urgent_one_though_a_less_urgent_one_then_starts_later():
    apart, urgent = gang("apart", size=4, created=NOW), replace(SHORT, priority=1)

    assert sizes(resized(elastic(0, 1, 2, 3), apart, urgent)) == {"run": 2, "short": 2}


def test_a_gang_shrinks_as_it_is_asked_to_though_another_then_starts_later():
    apart, run = gang("apart", size=4, created=NOW), replace(elastic(0, 1, 2, 3), asked=2)

    assert sizes(resized(run, apart, elastic=())) == {"run": 2}


def holding(*held, **facts):
    """Describe a gang that waits for pods of unknown end, and holds these nodes."""
    return gang("big", **{"size": 4, "held": held, **facts})


def beside_pods(*gangs, run=None):
    """Two idle nodes, two with pods of unknown end, and one that the run holds if there is one."""
    nodes = [node(f"n{index}", **({} if index < 2 else {"free": 0, "someday": (1,)})) for index in range(4)]
    releases = [] if run is None else [Release(node=4, request=(1,), time=run.end)]
    return snapshot([*nodes, node("n4", free=0)], gangs, releases=releases, most_holding=1)


@pytest.mark.parametrize(
    ("big", "want"),
    [
        pytest.param(holding(0, 1, 2, 3), {}, id="it waits for pods only"),
        pytest.param(holding(0, 1, 2, 4), {"run": 3}, id="it also waits for this run, which then ends sooner"),
        pytest.param(holding(), {"run": 3}, id="it holds no nodes"),
        pytest.param(holding(0, 1, 2, 3, priority=-1), {"run": 3}, id="it is less urgent"),
    ],
)
def test_a_gang_does_not_grow_onto_nodes_that_one_that_waits_keeps_free(big, want):
    run = elastic(4)

    assert sizes(resize(beside_pods(big, run=run), [run], {})) == want


@pytest.mark.parametrize(
    ("big", "want"),
    [
        pytest.param(holding(0, 1, 2, 3), {}, id="of unknown run time"),
        pytest.param(holding(0, 1, 2, 3, serial=400), {}, id="of known run time"),
        pytest.param(holding(0, 1, 2, 3, priority=-1), {"short": 2}, id="less urgent"),
        pytest.param(holding(0, 1, 2, 3, size=2, serial=400, created=NOW - 10**6), {"big": 2}, id="it may start"),
    ],
)
def test_a_gang_does_not_start_on_nodes_that_another_keeps_free(big, want):
    snapshot = beside_pods(big, SHORT)

    assert sizes(resize(snapshot, [], {SHORT.key: TERMS, big.key: TERMS})) == want


def test_a_gang_does_not_grow_onto_nodes_in_the_plan_in_which_another_first_keeps_them_free():
    big, run = holding(constraints=only("n0", "n1", "n2", "n3")), elastic(4)

    result = resize(beside_pods(big, run=run), [run], {})

    [decision] = result.plan.decisions
    assert (sizes(result), decision.hold.start) == ({}, NOW)


@pytest.mark.parametrize("others", [0, 1, 20])
def test_gangs_that_take_no_part_cost_one_plan_more_however_many_wait(others, monkeypatch):
    plans, once = [], beside.plan_once
    monkeypatch.setattr(beside, "plan_once", lambda *facts, **how: plans.append(1) or once(*facts, **how))
    nodes = [*(node(f"n{index}") for index in range(4)), node("n4", free=0)]
    run, apart = elastic(4), [gang(f"apart{number}", size=4, created=NOW) for number in range(others)]

    resize(snapshot(nodes, apart, releases=[Release(node=4, request=(1,), time=run.end)]), [run], {})

    assert len(plans) == 1 + min(others, 1)


@pytest.mark.parametrize(
    ("long", "plans", "want"),
    [
        pytest.param(math.inf, 6, {"run": 4}, id="two for each choice, and two without changes"),
        pytest.param(1, 4, {}, id="a long queue has no second choice"),
    ],
)
def test_a_second_choice_of_sizes_costs_as_many_plans_as_the_first(long, plans, want, monkeypatch):
    made, once = [], beside.plan_once
    monkeypatch.setattr(beside, "plan_once", lambda *facts, **how: made.append(1) or once(*facts, **how))
    monkeypatch.setattr(resizing, "LONG_QUEUE", long)
    # The first choice of five members delays "apart". Each choice needs a plan in which the run shrinks for "half".
    run = replace(elastic(0, 1, 2), sizes=Sizes(minimum=1, maximum=5, allowed=(1, 3, 4, 5)))
    half = gang("half", serial=4_000_000, size=3, created=NOW, promised=NOW + 1_000, constraints=only(*"abcd"))
    apart = gang("apart", size=1, created=NOW, constraints=only("e"))
    nodes = [node(name, free=int(name in "de")) for name in "abcde"]
    releases = [Release(node=index, request=(1,), time=run.end) for index in run.nodes]

    result = resize(snapshot(nodes, [half, apart], releases=releases), [run], {})

    assert (len(made), sizes(result)) == (plans, want)


def test_a_gang_that_has_no_run_time_at_its_sizes_does_not_start_and_keeps_no_gang_from_its_size():
    # A quota has left it only sizes outside of its profile.
    odd = gang("odd", times=(math.inf, math.inf, 5_000.0), size=1, most=2, created=NOW)

    assert sizes(resized(elastic(0, 1), odd, elastic=())) == {"run": 4}
    assert sizes(resized(elastic(0, 1), odd, SHORT)) == sizes(resized(elastic(0, 1), SHORT))


def test_a_gang_gets_no_size_without_a_run_time_even_if_it_is_asked_of_it():
    run = replace(elastic(0, 1), work=TimesWork(times=(math.inf, 40_000.0, 30_000.0, 20_000.0)), asked=1)

    assert sizes(resized(run)) == {}
