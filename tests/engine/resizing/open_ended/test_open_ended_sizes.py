"""Gangs of unknown end grow into idle nodes that no gang waits for, and give them back to gangs that wait."""

import math
from dataclasses import replace

import pytest

from coschedule import plan
from coschedule.model.run_times import SerialWork
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing import beside
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import ChangeTerms, FixedMembers, SeatKind
from coschedule.resizing.resize import resize
from coschedule.resizing.unit_times import UnitTime
from engine.builders import NOW, gang, in_front, node, release, running, snapshot, together

TERMS = ChangeTerms(restart_time=120.0, min_interval=600.0)
POOL = Constraints(node_selector=(("pool", "a"),))


def endless(*nodes, name="run", least=1, most=8, multiple_of=1, **more):
    """Describe a gang of unknown end on these nodes, which started with ``least`` members."""
    sizes = Sizes(minimum=1, maximum=most, multiple_of=multiple_of)
    facts = {"priority": 0, "request": (1,), "end": math.inf, "terms": TERMS, "least": least, **more}
    return OpenEndedRun(key=GangKey("default", name), sizes=sizes, nodes=nodes, **facts)


def world(runs, gangs=(), *, count=6, nodes=None, **facts):
    """Freeze some nodes of one slot each, on which these gangs run and those wait."""
    held = [index for run in runs for index in run.all_nodes]
    made = nodes or [node(f"n{index}", free=int(index not in held)) for index in range(count)]
    endless = [running(run.key.name, *dict.fromkeys(run.all_nodes)) for run in runs if run.end == math.inf]
    known = [(index, run.end) for run in runs if run.end < math.inf for index in run.all_nodes]
    facts["releases"] = (*facts.get("releases", ()), *(release(*one) for one in known))
    return replace(snapshot(made, gangs, runs=endless, **facts), running=())


def resized(runs, *gangs, **facts):
    return resize(world(runs, gangs, **facts), runs, {})


def sizes(result):
    return {one.gang.name: len(one.nodes) for one in result.sizes.changes}


def starting(result, by=NOW):
    placed = [*result.placed, *result.plan.decisions]
    return {one.gang.name for one in placed if getattr(one, "start", math.inf) <= by}


def test_gang_grows_into_all_idle_nodes_that_no_gang_waits_for():
    result = resized([endless(0, 1)])

    [change] = result.sizes.changes
    assert (change.was, change.nodes, change.end, change.is_open_ended) == (2, (0, 1, 2, 3, 4, 5), math.inf, True)
    assert (change.made_for, result.after.free.sum(), result.after.someday.sum()) == (None, 0, 6)
    assert result.after.open_ended.node.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("interruptible", "want"), [(Interruptible.NEVER, 4), (Interruptible.FREELY, 6)])
@pytest.mark.parametrize("measured", [False, True])
def test_gang_that_may_not_be_interrupted_does_not_grow_onto_nodes_whose_owners_may_come_back(
    interruptible, want, measured
):
    run = endless(0, 1, interruptible=interruptible, unit_times=(UnitTime(2, 10.0),) if measured else ())
    returns = [[0.0, 0.0]] * 4 + [[0.5, 0.5], [0.0, 0.5]]

    assert sizes(resized([run], edges=[NOW, NOW + 3_600, NOW + 7_200], returns=returns)) == {"run": want}


@pytest.mark.parametrize(
    ("size", "idle", "multiple_of", "want"),
    [
        pytest.param(5, 1, 1, 6, id="a fifth"),
        pytest.param(6, 1, 1, None, id="less than a fifth"),
        pytest.param(2, 3, 2, 4, id="a size that is allowed"),
        pytest.param(2, 1, 2, None, id="no size that is allowed"),
    ],
)
def test_gang_grows_by_a_fifth_or_not_at_all(size, idle, multiple_of, want):
    result = resized([endless(*range(size), multiple_of=multiple_of)], count=size + idle)

    assert sizes(result).get("run") == want


def test_gang_does_not_grow_onto_nodes_that_would_slow_it_down():
    fast = [node(f"n{index}", free=int(index > 1)) for index in range(3)]
    slow = [node(f"s{index}", slowdown=2.0) for index in range(2)]

    assert [one.nodes for one in resized([endless(0, 1)], nodes=[*fast, *slow]).sizes.changes] == [(0, 1, 2)]
    assert sizes(resized([endless(0, 1)], nodes=[*fast[:2], *slow])) == {}


@pytest.mark.parametrize(
    ("waits", "want"),
    [
        pytest.param({"size": 5}, None, id="it waits for the end of the run"),
        pytest.param({"size": 5, "priority": -5}, None, id="it is less urgent"),
        pytest.param({"size": 7}, 6, id="it would not fit on empty nodes"),
        pytest.param({"size": 3, "constraints": Constraints(node_selector=(("pool", "a"),))}, 3, id="in its own pool"),
        pytest.param({"size": 2}, 4, id="it starts at once"),
        pytest.param({"size": 2, "not_before": NOW + 5}, None, id="it is tried again soon"),
        pytest.param({"size": 2, "request": (2,)}, 6, id="its members are too large"),
    ],
)
def test_gang_takes_no_node_that_one_that_waits_could_use(waits, want):
    nodes = [node(f"n{index}", free=int(index > 1), labels={"pool": "a" if index > 2 else "b"}) for index in range(6)]

    result = resized([endless(0, 1, least=2)], gang("waits", **waits), nodes=nodes)

    assert sizes(result).get("run") == want


@pytest.mark.parametrize("needed", [{"size": 7}, {"constraints": POOL}], ids=["all nodes", "other nodes"])
@pytest.mark.parametrize("count", [249, 250, 600])
def test_gangs_that_wait_for_other_room_keep_none_from_getting_room_back_for_ever(count, needed):
    nodes = [node(f"n{index}", free=int(index == 5)) for index in range(6)]
    nodes.append(node("other", free=0, someday=(1,), labels={"pool": "a"}))
    gangs = [gang(f"w{number}", created=float(number), **needed) for number in range(count)]
    gangs.append(gang("waits", size=3, created=NOW))
    times = [NOW // 60 * 60 + 60 * number for number in range(10)]

    minutes = [resized([endless(0, 1, 2, 3, 4)], *gangs, nodes=nodes, now=time) for time in times]

    assert {"run": 3} in map(sizes, minutes)
    in_vain = [(one.again, time + 60) for one, time in zip(minutes, times, strict=True) if not sizes(one)]
    assert all(again == due for again, due in in_vain)


@pytest.mark.parametrize("least", [1, 4])
def test_gang_gives_back_what_one_that_waits_needs(least):
    result = resized([endless(0, 1, 2, 3, 4, least=least)], gang("waits", size=3))

    assert sizes(result) == ({"run": 3} if least == 1 else {})
    assert starting(result) == set()
    assert starting(result, by=NOW + 1) == ({"waits"} if least == 1 else set())
    assert [one.made_for for one in result.sizes.changes] == ([GangKey("default", "waits")] if least == 1 else [])


@pytest.mark.parametrize(
    ("more", "waits", "want"),
    [
        pytest.param({}, {"priority": -1}, None, id="a less urgent gang"),
        pytest.param({}, {"priority": 1}, 3, id="a more urgent gang"),
        pytest.param({"changed": NOW - 500}, {}, None, id="its last change is not long ago"),
        pytest.param({"changed": NOW - 600}, {}, 3, id="its last change is long ago"),
        pytest.param({"multiple_of": 5}, {}, None, id="no smaller size is allowed"),
        pytest.param({}, {"size": 6}, None, id="too large a gang"),
        pytest.param({}, {"size": 1, "most": 9}, None, id="a gang that starts smaller at once"),
        pytest.param({}, {"size": 2, "most": 9}, 1, id="as much as a gang of many sizes takes"),
        pytest.param({"asked": 5}, {}, None, id="its size is asked for"),
    ],
)
def test_gang_gives_back_only(more, waits, want):
    run = endless(0, 1, 2, 3, 4, **more)

    result = resized([run], gang("waits", **{"size": 3, **waits}))

    assert sizes(result).get("run") == want


@pytest.mark.parametrize(("ends", "want"), [(100, {}), (200, {"run": 2})])
def test_gang_gives_nothing_to_one_that_starts_soon_anyway(ends, want):
    nodes = [node(f"n{index}", free=int(index == 6)) for index in range(7)]
    soon = [release(index, NOW + ends) for index in (4, 5)]

    assert sizes(resized([endless(0, 1, 2, 3)], gang("waits", size=3), nodes=nodes, releases=soon)) == want


def test_gang_that_overruns_is_released_at_the_next_guess_of_its_end():
    result = resized([endless(0, 1, end=NOW + 50.0)], count=4)

    [change] = result.sizes.changes
    assert (change.end_before, change.end) == (NOW + 50, NOW + 170)
    assert {(one.node, one.time) for one in result.after.releases} == {(index, NOW + 170) for index in range(4)}


@pytest.mark.parametrize(("end", "want"), [(math.inf, 4), (NOW + 50.0, None)])
def test_gang_that_overruns_does_not_grow_if_one_is_planned_for_its_end(end, want):
    nodes = [node(f"n{index}", free=int(index > 1), labels={"pool": "a" if index < 2 else "b"}) for index in range(4)]
    waits = gang("waits", size=2, constraints=Constraints(node_selector=(("pool", "a"),)))

    result = resized([endless(0, 1, least=2, end=end)], waits, nodes=nodes)

    assert sizes(result).get("run") == want


@pytest.mark.parametrize(("asked", "grown"), [(None, 6), (3, 3)])
@pytest.mark.parametrize("end", [NOW + 50, NOW + 100, NOW + 101, math.inf])
@pytest.mark.parametrize("deadline", [None, NOW, NOW + 100, math.inf])
def test_gang_that_meets_its_deadline_as_far_as_is_known_grows_only_if_asked(end, deadline, asked, grown):
    result = resized([endless(0, 1, end=end, deadline=deadline, asked=asked)])

    is_soon_enough = deadline is not None and end <= deadline
    assert sizes(result) == ({} if is_soon_enough and asked is None else {"run": grown})


def test_node_that_closes_before_the_end_is_not_taken():
    nodes = [node(f"n{index}", free=int(index > 1), until=math.inf if index != 2 else NOW + 9e9) for index in range(4)]

    assert [one.nodes for one in resized([endless(0, 1)], nodes=nodes).sizes.changes] == [(0, 1, 3)]
    nodes[0]["until"] = NOW + 9e9
    assert sizes(resized([endless(0, 1)], nodes=nodes)) == {}


def test_room_that_a_pod_is_about_to_take_is_not_taken():
    result = resized([endless(0, 1)], nominated=[in_front(index) for index in (2, 3)])

    assert [one.nodes for one in result.sizes.changes] == [(0, 1, 4, 5)]


def test_gangs_that_grow_share_idle_nodes_the_most_urgent_first():
    runs = [endless(0, name="a"), endless(1, name="b"), endless(2, name="urgent", priority=1)]

    assert sizes(resized(runs, count=8)) == {"urgent": 3, "a": 3, "b": 2}


def test_gang_changes_to_the_size_that_is_asked_for():
    assert sizes(resized([endless(0, 1, 2, asked=2, least=3)])) == {"run": 2}
    assert sizes(resized([endless(*range(6), asked=7, least=3)], count=9)) == {"run": 7}
    assert sizes(resized([endless(*range(6), asked=9, most=9)], count=8)) == {}


def test_gang_of_known_end_changes_first():
    known = ElasticRun(
        key=GangKey("default", "known"),
        sizes=Sizes(minimum=1, maximum=8),
        request=(1,),
        nodes=(0,),
        terms=TERMS,
        end=NOW + 80_000,
        created=NOW,
        work=SerialWork(serial=80_000),
        left=1.0,
    )
    runs = [known, endless(1)]

    assert sizes(resize(world(runs), runs, {})) == {"known": 5}


def test_gang_for_which_another_shrinks_starts_beside_those_that_start_anyway():
    result = resized([endless(0, 1, 2, 3)], gang("small", size=2, created=0), gang("waits", size=2, created=1))

    assert starting(result) == {"small"}
    assert starting(result, by=NOW + 1) == {"small", "waits"}
    assert sizes(result) == {"run": 2}
    assert [one.gang.name for one in result.placed] == ["small"]


def test_room_that_is_given_back_is_free_when_the_members_are_gone():
    result = resized([endless(0, 1, 2, 3, 4, grace=30.0)], gang("waits", size=3))

    [change] = result.sizes.changes
    given_up = set(range(5)) - set(change.nodes)
    assert result.after.free.sum() == 1
    assert {(one.node, one.time) for one in result.after.releases} == {(index, NOW + 30) for index in given_up}
    assert [one.start for one in result.plan.decisions] == [NOW + 30]
    assert sizes(resized([endless(0, 1, 2, 3, 4, grace=9000.0)], gang("waits", size=3))) == {"run": 3}


def test_fewest_gangs_shrink():
    runs = [endless(0, 1, name="a"), endless(2, 3, name="b"), endless(*range(4, 9), name="large")]

    assert sizes(resized(runs, gang("waits", size=3), count=9)) == {"large": 2}


def scattered(**facts):
    """Freeze a gang that could give up one node in each of two zones, beside one that waits for two in one zone."""
    nodes = [node(f"n{index}", free=0, labels={"zone": zone}) for index, zone in enumerate("aabbab")]
    waits = gang("waits", size=2, terms=[together("")])
    run = endless(*range(6), least=4)
    return resize(world([run], [waits], nodes=nodes), [run], {}, **facts)


def test_plans_that_did_not_help_are_reported():
    result = scattered()

    assert (sizes(result), starting(result), result.in_vain) == ({}, set(), True)
    assert not resized([endless(*range(6), least=4)], gang("waits", size=2)).in_vain
    assert not resized([endless(*range(6), least=5)], gang("waits", size=2)).in_vain


def test_no_plan_is_made_for_gangs_that_may_not_give_room_back(monkeypatch):
    made = []
    monkeypatch.setattr(beside, "plan", lambda *args, **options: made.append(args) or plan(*args, **options))
    assert scattered().in_vain
    tried = len(made)

    assert not scattered(may_give=False).in_vain

    assert (tried, len(made) - tried) == (2, 1)


def fixed_on(*nodes, is_work=True):
    return (FixedMembers(SeatKind(Constraints(), (1,)), nodes, is_work),)


def test_gang_with_a_fixed_member_grows_beside_it_and_both_are_held_without_an_end():
    result = resized([endless(1, 2, fixed=fixed_on(0, is_work=False))])

    [change] = result.sizes.changes
    assert (change.nodes, change.size_before, change.size_after) == ((1, 2, 3, 4, 5), 3, 6)
    assert result.after.open_ended.node.tolist() == [0, 1, 2, 3, 4, 5]
    assert (result.after.free.sum(), result.after.someday.sum()) == (0, 6)


@pytest.mark.parametrize(("is_work", "want"), [(False, 6), (True, None)])
def test_fixed_members_that_work_count_in_the_fifth_by_which_a_gang_grows(is_work, want):
    result = resized([endless(*range(1, 6), fixed=fixed_on(0, is_work=is_work))], count=7)

    assert sizes(result).get("run") == want


@pytest.mark.parametrize(("is_work", "want"), [(False, {}), (True, {"run": 2})])
def test_gang_grows_onto_nodes_that_are_no_slower_than_a_fixed_member_that_works(is_work, want):
    nodes = [node("n0", free=0), node("s1", free=0, slowdown=2.0), node("s2", slowdown=2.0)]

    assert sizes(resized([endless(0, fixed=fixed_on(1, is_work=is_work))], nodes=nodes)) == want


@pytest.mark.parametrize(("until", "want"), [(NOW + 620, {"run": 3}), (NOW + 619, {})])
def test_gang_grows_only_if_the_node_of_a_fixed_member_stays_open_until_its_end(until, want):
    run = endless(1, end=NOW + 500.0, fixed=fixed_on(0))
    nodes = [node("n0", free=0, until=until), node("n1", free=0), node("n2"), node("n3")]

    assert sizes(resized([run], nodes=nodes)) == want


@pytest.mark.parametrize(("pool", "want"), [("other", {"run": 3}), ("fixed", {})])
def test_gang_does_not_grow_while_another_waits_for_the_end_of_its_fixed_member(pool, want):
    pools = ["fixed", "own", "own", "own", "other"]
    nodes = [node(f"n{index}", free=int(index in {2, 3}), labels={"pool": pool}) for index, pool in enumerate(pools)]
    waits = gang("waits", size=1, constraints=Constraints(node_selector=(("pool", pool),)))
    run = endless(1, end=NOW + 500.0, fixed=fixed_on(0))

    assert sizes(resized([run], waits, nodes=nodes, releases=[release(4, NOW + 900)])) == want


def test_gang_with_a_fixed_member_gives_back_members_whose_number_may_change():
    result = resized([endless(1, 2, 3, 4, 5, fixed=fixed_on(0))], gang("waits", size=3))

    [change] = result.sizes.changes
    assert (len(change.nodes), change.size_before, change.size_after) == (2, 6, 3)
    assert 0 not in change.nodes
    assert starting(result, by=NOW + 1) == {"waits"}
