"""Sizes change only so that every start that was promised is kept, now or by a change to come."""

import math
from collections import Counter
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints, Taint
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Nominated, Release
from coschedule.queue.problem.running import Holding, RunningGang
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.sized_run import SeatKind
from coschedule.resizing.resize import resize
from coschedule.resizing.seats import idle_seats
from coschedule.resizing.sizes import MOST_GANGS
from engine.builders import FOUR, NOW, gang, node, role, snapshot
from engine.resizing.four_nodes import SHORT, TERMS, elastic, only, planned, resized, sizes


def test_a_gang_shrinks_for_one_that_gains_more():
    result = resized(elastic(0, 1, 2, 3), SHORT)

    assert sizes(result) == {"run": 2, "short": 2}
    assert result.after.free.sum() == 0
    assert planned(result) == {}


def test_a_gang_does_not_shrink_where_its_later_end_would_break_a_promise():
    run = elastic(0, 1, 2, 3)
    whole = gang("whole", serial=40_000, size=4, created=NOW, promised=run.end + 10)

    result = resized(run, SHORT, whole)

    assert sizes(result) == {}
    assert planned(result)["whole"] <= whole.promised


def test_a_gang_shrinks_where_it_can_shrink_once_more_for_a_promise():
    run = elastic(0, 1, 2, 3)
    half = gang("half", serial=4_000_000, size=3, created=NOW, promised=NOW + 1_000)

    result = resized(run, SHORT, half)

    # By itself it would end long after the promise, so that one is kept by its next change.
    assert sizes(result) == {"run": 2, "short": 2}
    assert NOW + TERMS.min_interval <= planned(result)["half"] <= half.promised
    assert result.again == half.promised


def test_sizes_are_chosen_again_when_a_run_may_change_its_size():
    recent, rested = (resized(elastic(0, 1, changed=NOW - ago)) for ago in (100, TERMS.min_interval))

    assert recent.again == NOW - 100 + TERMS.min_interval
    assert rested.again == math.inf


def test_gangs_do_not_shrink_earlier_than_a_promise_needs_it():
    ending, lasting = elastic(0, 1, serial=6_000.0, changed=NOW - 400), elastic(2, 3, changed=NOW - 400)
    lasting = replace(lasting, key=GangKey("default", "lasting"))
    wanted = {"soon": (1, 200), "whole": (2, 3_500), "late": (1, 5_000)}
    gangs = [
        gang(name, serial=10**6 * size, size=size, created=NOW + promised, promised=NOW + promised)
        for name, (size, promised) in wanted.items()
    ]
    releases = [Release(node=index, request=(1,), time=one.end) for one in (ending, lasting) for index in one.nodes]
    releases.append(Release(node=4, request=(1,), time=NOW + 100))
    nodes = [node(f"n{index}", free=0) for index in range(5)]

    result = resize(snapshot(nodes, gangs, releases=releases), [ending, lasting], {})

    # If all shrank when the first promise is due, "ending" would last too long for the third gang.
    assert planned(result) == {"soon": NOW + 100, "whole": NOW + 3_000, "late": NOW + 5_000}


def test_no_gang_shrinks_now_for_a_promise_that_is_due_later():
    run = elastic(0, 1, 2, 3)
    soon = gang("soon", serial=4_000_000, size=3, created=NOW, promised=NOW + 300)

    result = resized(run, SHORT, soon)

    # A gang that shrank now for the short one could not shrink again in time.
    assert sizes(result) == {}
    assert planned(result)["soon"] == soon.promised


def test_a_gang_whose_promise_is_due_starts_though_that_loses():
    run = elastic(0, 1, 2, 3)
    due = gang("due", serial=4_000_000, size=3, created=NOW, promised=NOW)
    late = gang("due", serial=4_000_000, size=3, created=NOW, promised=NOW + 10_000)

    assert sizes(resized(run, due)) == {"run": 1, "due": 3}
    assert sizes(resized(run, late)) == {}


APART = [
    pytest.param({"size": 3, "serial": 4_000_000, "deadline": NOW + 10**9}, id="with a deadline"),
    pytest.param({"size": 3, "serial": 4_000_000, "constraints": only("n1", "n2", "n3", "n4")}, id="other constraints"),
    pytest.param({"roles": [role("a"), role("b", size=2)], "serial": 4_000_000}, id="of two roles"),
]


@pytest.mark.parametrize("past", [0, 30], ids=["exactly now", "in a plan that comes late"])
@pytest.mark.parametrize("facts", APART)
def test_gangs_shrink_when_a_promise_to_a_gang_that_takes_no_part_is_due(facts, past):
    run, due = elastic(0, 1, 2, 3), gang("due", created=NOW, promised=NOW + 1_000, **facts)
    first = resized(run, SHORT, due)
    later = replace(due, promised=NOW - past)

    result = resized(elastic(0, 1), later, elastic=())

    # The first choice relies on a later change for this gang.
    assert sizes(first) == {"run": 2, "short": 2}
    assert planned(first)["due"] <= due.promised
    assert (sizes(result), planned(result)) == ({"run": 1}, {"due": NOW})


def test_gangs_stay_as_they_are_when_a_promise_is_due_that_no_change_can_keep():
    due = gang("due", size=9, created=NOW, serial=60, promised=NOW, deadline=NOW + 10**9)

    assert sizes(resized(elastic(0, 1, 2, 3), due)) == {}


def test_a_gang_grows_beside_one_that_starts_a_little_after_its_promise():
    run = replace(elastic(0, most=2), constraints=only("n1", "n2"))
    due = gang("due", size=2, created=NOW, promised=NOW - 1, constraints=only("n3", "n4"))

    result = resized(run, due)

    assert (sizes(result), planned(result)) == ({"run": 2}, {"due": NOW})


def test_all_gangs_shrink_for_a_promise_that_has_just_passed():
    impossible = gang("impossible", serial=60, size=9, created=NOW, promised=NOW - 1)
    due = gang("due", serial=400_000, size=3, created=NOW, promised=NOW - 1)

    assert sizes(resized(elastic(0, 1, 2, 3), impossible, due)) == {"run": 1}


def test_of_many_gangs_only_one_shrinks_for_a_gang_whose_promise_is_due():
    runs = [
        replace(elastic(2 * number, 2 * number + 1, most=2), key=GangKey("default", f"{number:02}"))
        for number in range(MOST_GANGS + 10)
    ]
    due = gang("due", serial=10**9, size=1, created=NOW, promised=NOW)
    held = [Release(node=index, request=(1,), time=run.end) for run in runs for index in run.nodes]
    nodes = [node(f"n{number:03}", free=0) for number in range(2 * len(runs))]

    result = resize(snapshot(nodes, [due], releases=held), runs, {})

    assert Counter(sizes(result).values()) == {1: 2}
    assert [one.gang for one in result.sizes.starts] == [due.key]


@pytest.mark.parametrize("count", [59, 60, 90])
@pytest.mark.parametrize("kind", ["waits for more nodes than there are", "runs and can't grow"])
def test_gangs_of_greater_weight_that_gain_nothing_keep_none_from_growing_for_ever(kind, count):
    waits = kind.startswith("waits")
    crowd = [gang(f"w{number:03}", serial=60, size=9, created=NOW - 10**6) for number in range(count if waits else 0)]
    full = [
        replace(elastic(index, most=1, serial=40_000.0), key=GangKey("team", f"r{index:03}"), created=NOW - 10**6)
        for index in range(4, 4 if waits else 4 + count)
    ]
    runs = [elastic(0), *full]
    nodes = [node(f"n{index:03}", free=int(0 < index < 4)) for index in range(4 + len(full))]
    held = [Release(node=index, request=(1,), time=run.end) for run in runs for index in run.nodes]
    times = [NOW // 60 * 60 + 60 * number for number in range(10)]

    found = [resize(snapshot(nodes, crowd, releases=held, now=time), runs, {}) for time in times]

    assert max(sizes(one).get("run", 1) for one in found) > 1
    is_in_turn = count + 1 > MOST_GANGS
    assert [one.again for one in found] == [time + 60 if is_in_turn else math.inf for time in times]


def test_a_gang_that_has_just_changed_stays_as_it_is():
    result = resized(elastic(0, 1, 2, 3, changed=NOW - 500), SHORT)

    assert sizes(result) == {}
    assert planned(result) == {"short": NOW + 20_000}


@pytest.mark.parametrize("least", [1, 2])
def test_a_gang_grows_into_idle_nodes_that_wait_for_no_other(least):
    result = resized(elastic(0, 1, least=least))

    assert sizes(result) == {"run": 4}
    [change] = result.sizes.changes
    assert (change.end_before, change.end) == (NOW + 40_000, NOW + 120 + 20_000)
    assert {(one.node, one.time) for one in result.after.releases} == {(index, change.end) for index in range(4)}


def test_a_gang_does_not_grow_onto_nodes_on_which_a_promise_counts():
    run = elastic(0, 1, least=2, serial=800_000.0)
    short = gang("two", serial=8_000, size=2, created=NOW, promised=NOW, deadline=NOW + 9_000)

    result = resized(run, short, elastic=())

    # A gang with a deadline is planned, and takes no part in the choice of sizes.
    assert sizes(result) == {}
    assert planned(result) == {"two": NOW}


@pytest.mark.parametrize("asked", [(0,), (1,)], ids=["nothing", "the smallest unit"])
def test_members_that_ask_for_little_make_no_more_seats_than_a_gang_has_members(asked):
    run = replace(elastic(0, most=2), request=asked)
    free = [node(one["name"], free=10**12) for one in FOUR]
    releases = [Release(node=0, request=asked, time=run.end)]

    result = resize(snapshot(free, [], releases=releases), [run], {})

    [change] = result.sizes.changes
    assert len(change.nodes) == 2


def test_a_gang_grows_only_onto_nodes_that_pass_its_constraints():
    result = resized(replace(elastic(0), constraints=only("n1", "n3")))

    assert [one.nodes for one in result.sizes.changes] == [(0, 2)]


def test_a_gang_does_not_grow_onto_a_tainted_node():
    tainted = [node(one["name"], free=1, taints=[Taint("gpu", "", "NoSchedule")]) for one in FOUR]
    tainted[0] = node("n1", free=0)
    tainted[3] = node("n4", free=1)
    run = elastic(0)

    result = resize(snapshot(tainted, (), releases=[Release(node=0, request=(1,), time=run.end)]), [run], {})

    assert [one.nodes for one in result.sizes.changes] == [(0, 3)]


OTHERS = replace(elastic(2), key=GangKey("default", "other"), constraints=only("n3", "n4"))


def beside_others(run, *, others=OTHERS, gangs=()):
    """Choose sizes for a run of two and for one of one with other constraints; the last of four nodes is free."""
    free = [node(one["name"], free=int(index == 3)) for index, one in enumerate(FOUR)]
    held = [Release(node=index, request=(1,), time=one.end) for one in (run, others) for index in one.nodes]
    return resize(snapshot(free, gangs, releases=held), [others, run], {})


@pytest.mark.parametrize(
    ("most", "changed", "changed_others", "want"),
    [
        pytest.param(3, NOW - 5000, NOW - 5000, {"run": 3}, id="those with most members"),
        pytest.param(3, NOW - 5000, NOW - 9000, {"other": 2}, id="those whose last change is longest ago"),
        pytest.param(3, NOW - 5000, -math.inf, {"other": 2}, id="those that have never changed"),
        pytest.param(2, NOW - 9000, NOW - 5000, {"other": 2}, id="those that have a better size"),
    ],
)
def test_of_runs_with_different_constraints_one_group_changes_in_a_plan(most, changed, changed_others, want):
    run = replace(elastic(0, 1, most=most), changed=changed)

    result = beside_others(run, others=replace(OTHERS, changed=changed_others))

    assert sizes(result) == want


@pytest.mark.parametrize(("most", "want"), [(4, {"other": 4}), (3, {})], ids=["others grow", "no gang changes"])
def test_a_promise_for_which_a_gang_will_shrink_holds_while_gangs_with_other_constraints_have_their_turn(most, want):
    run = replace(elastic(0, 1, most=2), constraints=only(*"abcd"), changed=NOW - 5_000)
    others = replace(elastic(4, 5, 6, most=most), key=GangKey("default", "other"), constraints=only(*"efgh"))
    half = gang("half", serial=4_000_000, size=3, created=NOW, promised=NOW + 1_000, constraints=run.constraints)
    nodes = [node(name, free=int(name in "cdh")) for name in "abcdefgh"]
    held = [Release(node=index, request=(1,), time=one.end) for one in (run, others) for index in one.nodes]

    result = resize(snapshot(nodes, [half], releases=held), [run, others], {})

    assert (sizes(result), planned(result)) == (want, {"half": half.promised})


def test_many_groups_change_in_turn_whatever_their_sizes(monkeypatch):
    """Of three groups two are asked in a plan. The two with most members have no better size, and the third has one."""
    monkeypatch.setattr("coschedule.resizing.questions.MOST_GROUPS", 2)
    pools = {"a": (0, 1), "b": (2, 3), "c": (4,)}
    nodes = [node(f"n{number}", free=int(number == 5), labels={"pool": "aabbcc"[number]}) for number in range(6)]
    runs = [
        replace(elastic(*on, most=2), key=GangKey("d", pool), constraints=Constraints(node_selector=(("pool", pool),)))
        for pool, on in pools.items()
    ]
    held = [Release(node=index, request=(1,), time=run.end) for run in runs for index in run.nodes]

    minutes = [resize(snapshot(nodes, (), releases=held, now=NOW + 60 * number), runs, {}) for number in range(3)]

    assert sorted(sizes(one).get("c", 1) for one in minutes) == [1, 2, 2]
    assert [one.again for one in minutes] == [(NOW // 60 + number + 1) * 60 for number in range(3)]


def test_group_with_a_gang_that_must_start_goes_first():
    late = replace(gang("late", serial=60, size=1, created=NOW), promised=NOW)

    result = beside_others(replace(elastic(0, 1, most=3), changed=NOW - 5000), gangs=[late])

    assert sizes(result) == {"late": 1}


@pytest.mark.parametrize(("waiting", "want"), [(250, {"run": 1}), (251, {"run": 1, "due": 3})])
def test_gangs_shrink_for_a_promise_beside_a_broken_one_in_queues_of_any_length(waiting, want):
    # No choice helps the first gang, which is larger than all nodes. If all shrink, the second one starts in time.
    impossible = gang("impossible", serial=60, size=9, created=NOW, promised=NOW)
    due = gang("due", serial=400_000, size=3, created=NOW, promised=NOW)
    hopeless = [gang(f"g{number}", request=(9,), created=NOW) for number in range(waiting - 2)]

    assert sizes(resized(elastic(0, 1, 2, 3), impossible, due, *hopeless)) == want


@pytest.mark.parametrize(
    ("asked", "most", "want"),
    [
        pytest.param(1, 4, {"run": 1}, id="fewer members"),
        pytest.param(3, 4, {"run": 3}, id="more members"),
        pytest.param(2, 4, {}, id="as many"),
        pytest.param(4, 3, {}, id="more than it may have now"),
        pytest.param(None, 4, {}, id="none: too little work is left"),
    ],
)
def test_size_that_is_asked_for_is_the_only_one(asked, most, want):
    result = resized(replace(elastic(0, 1, most=most, serial=1000.0), asked=asked))

    assert sizes(result) == want


def test_size_that_is_asked_for_takes_no_seats_from_which_others_gain():
    run = replace(elastic(0, 1, serial=80_000.0), asked=4)

    assert sizes(resized(run)) == {"run": 4}
    assert sizes(resized(run, SHORT)) == {"short": 2}


def test_size_that_is_asked_for_breaks_no_promise():
    run = replace(elastic(0, 1, 2, 3), asked=1)
    whole = gang("whole", serial=40_000, size=4, created=NOW, promised=run.end + 10)

    assert sizes(resized(run, whole)) == {}


@pytest.mark.parametrize("priority", [-1, 0, 1])
def test_gang_whose_members_are_too_large_for_seats_of_others_changes_nothing(priority):
    run, large = elastic(0, 1), gang("large", serial=60, size=1, most=2, request=(5,), created=NOW)
    large = replace(large, priority=priority)

    assert sizes(resized(run, large, elastic=("large",))) == {"run": 4}
    assert sizes(resized(elastic(0, 1, 2, 3), large, elastic=("large",))) == {}


def test_runs_with_larger_members_take_no_seats_of_smaller_ones():
    small, big = elastic(0, 1), replace(elastic(2, least=1, most=3), key=GangKey("default", "big"), request=(3,))
    free = [node(one["name"], free=0) for one in FOUR]
    held = [Release(node=index, request=run.request, time=run.end) for run in (small, big) for index in run.nodes]

    result = resize(snapshot(free, [SHORT], releases=held), [small, big], {SHORT.key: TERMS})

    assert "big" not in sizes(result)


def test_room_that_a_pod_is_about_to_take_is_no_seat():
    run, free = elastic(0), [node(one["name"], free=int(index > 0)) for index, one in enumerate(FOUR)]
    coming = replace(
        snapshot(free, (), releases=[Release(node=0, request=(1,), time=run.end)]),
        nominated=(Nominated(node=1, request=(1,), priority=0), Nominated(node=3, request=(1,), priority=0)),
    )

    assert [one.nodes for one in resize(coming, [run], {}).sizes.changes] == [(0, 2)]


def test_a_gang_that_changes_its_size_is_not_evicted_in_the_same_plan():
    run, free = elastic(0), [node(one["name"], free=int(index > 0)) for index, one in enumerate(FOUR)]
    running = RunningGang(
        key=run.key, priority=0, queued_since=NOW, size=1, since=NOW, end=run.end, grace=0.0, holds=(Holding(0, (1,)),)
    )
    facts = replace(snapshot(free, (), releases=[Release(node=0, request=(1,), time=run.end)]), running=(running,))

    assert resize(facts, [run], {}).after.running == ()


@pytest.mark.parametrize(
    "closed",
    [
        {"start": NOW + 3600},
        {"until": NOW + 3600},
        {"free": -1},
    ],
)
def test_a_gang_keeps_its_size_while_a_node_of_its_own_takes_no_members(closed):
    run = elastic(0, 1, least=2)
    others = [node(one["name"], free=1) for one in FOUR[2:]]
    own = [node("n0", **{"free": 0, **closed}), node("n1", free=0)]
    releases = [Release(node=index, request=(1,), time=run.end) for index in run.nodes]

    assert sizes(resize(snapshot([*own, *others], [], releases=releases), [run], {})) == {}


@pytest.mark.parametrize("free", [(1, 1, 0), (1, 1, 1)])
def test_a_gang_grows_less_where_too_few_nodes_stay_open_for_more_members(free):
    run, until = elastic(0), [NOW + 24_000, NOW + 10**6, NOW + 24_000]
    facts = zip(("n2", "n3", "n4"), free, until, strict=True)
    nodes = [node("n1", free=0), *(node(name, free=count, until=closes) for name, count, closes in facts)]

    result = resize(snapshot(nodes, [], releases=[Release(node=0, request=(1,), time=run.end)]), [run], {})

    assert [one.nodes for one in result.sizes.changes] == [(0, 1, 2, 3) if free[2] else (0, 2)]


def test_a_gang_that_keeps_its_size_does_not_start_with_few_members_where_waiting_for_more_is_better():
    run, waits = elastic(0, most=1, serial=1_300.0), gang("waits", serial=47_000, size=1, most=2, created=NOW)
    nodes, releases = [node("n1", free=0), node("n2")], [Release(node=0, request=(1,), time=run.end)]

    result = resize(snapshot(nodes, [waits], releases=releases), [run], {})

    assert (sizes(result), planned(result)) == ({}, {"waits": run.end})


def test_nodes_that_are_alike_have_no_more_seats_than_gangs_have_members():
    alike = [node(f"n{number}", free=100) for number in range(3)]
    others = [node("slow", free=100, slowdown=2.0), node("open", free=3, until=NOW + 9e9)]

    seats = idle_seats(snapshot([*alike, *others], []), SeatKind(Constraints(), (1,)), [Sizes(minimum=1, maximum=150)])

    assert Counter(seats) == {0: 100, 1: 50, 3: 3, 4: 100}
