"""Nodes are divided among gangs of unknown work by the speeds that were measured, and shared with gangs that wait."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.size_change import SizeReason
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.resize import resize
from coschedule.resizing.sizes import MOST_GANGS
from coschedule.resizing.turns import TURN_SECONDS
from coschedule.resizing.unit_times import UnitTime
from engine.builders import NOW, gang, node, running, snapshot

TERMS = ChangeTerms(restart_time=120.0, min_interval=600.0)
WELL = {2: 100.0, 4: 50.0}
"""Twice as fast with twice the members."""
BADLY = {2: 100.0, 4: 99.0}
"""As fast with half of the members, about."""


def measured(name, nodes, unit_times, *, most=8, least=None, multiple_of=1, **more):
    sizes = Sizes(minimum=2, maximum=most, multiple_of=multiple_of)
    facts = {"priority": 0, "request": (1,), "end": math.inf, "terms": TERMS, **more}
    times = tuple(UnitTime(*one) for one in unit_times.items())
    key, least = GangKey("default", name), len(nodes) if least is None else least
    return OpenEndedRun(key=key, sizes=sizes, nodes=tuple(nodes), least=least, unit_times=times, **facts)


def world(runs, gangs=(), *, count=8, slowdowns=None):
    held = {index for run in runs for index in run.nodes}
    paces = slowdowns or [1.0] * count
    nodes = [node(f"n{index:02}", free=int(index not in held), slowdown=pace) for index, pace in enumerate(paces)]
    return replace(snapshot(nodes, gangs, runs=[running(run.key.name, *run.nodes) for run in runs]), running=())


def resized(runs, *gangs, **facts):
    return resize(world(runs, gangs, **facts), runs, {})


def sizes(result):
    return {one.gang.name: len(one.nodes) for one in result.sizes.changes}


def test_gang_takes_idle_nodes_by_how_fast_it_gets_and_not_in_equal_parts():
    result = resized([measured("bad", range(4), BADLY), measured("well", range(4, 8), WELL)], count=12)

    [change] = result.sizes.changes
    assert (change.gang.name, change.nodes) == ("well", (4, 5, 6, 7, 8, 9, 10, 11))
    assert (change.because, change.speed) == (SizeReason.MEASURED_SPEEDS, pytest.approx(2.0))
    assert (change.is_open_ended, change.made_for, change.end) == (True, None, math.inf)


def test_gang_gives_seats_first_and_the_one_that_gains_takes_them_when_they_are_free():
    bad, well = measured("bad", range(4), BADLY), measured("well", range(4, 8), WELL, most=6)

    first = resized([bad, well])
    [given] = first.sizes.changes
    left = replace(bad, nodes=given.nodes, changed=NOW - 60)
    then = resized([left, well])

    assert sizes(first) == {"bad": 2}
    assert first.after.free.sum() == 0, "its members have not left yet"
    assert sizes(then) == {"well": 6}


def test_gang_that_is_slower_than_with_fewer_members_shrinks_though_none_takes_its_seats():
    result = resized([measured("past", range(4), {2: 60.0, 4: 100.0}, multiple_of=2)])

    [change] = result.sizes.changes
    assert (len(change.nodes), change.speed) == (2, pytest.approx(100 / 60))


def test_gang_without_a_measured_speed_beside_one_is_not_asked_for_members_and_gets_its_part():
    runs = [measured("new", range(4), {}), measured("well", range(4, 8), WELL)]

    result = resized(runs, count=12)

    assert sizes(result) == {"well": 8}
    assert sizes(resized([runs[0], measured("bad", range(4, 8), BADLY)], count=12)) == {"new": 8}


def test_gang_whose_speed_is_not_measured_gives_no_seats():
    runs = [measured("new", range(8), {}, most=10), measured("well", range(8, 10), {1: 100.0, 2: 50.0})]

    assert sizes(resized(runs, count=10)) == {}


def test_gang_whose_speed_is_not_measured_grows_only_by_a_fifth_or_more():
    runs = [measured("new", range(6), {}, most=7), measured("past", range(6, 10), {2: 60.0, 4: 100.0}, multiple_of=2)]

    assert sizes(resized(runs, count=10)) == {"past": 2}


def test_gang_whose_speed_is_not_measured_grows_only_by_a_fifth_or_more_on_slower_nodes():
    runs = [measured("new", range(2), {}, most=4), measured("full", range(2, 6), WELL, most=4)]

    assert sizes(resized(runs, slowdowns=[1.0] * 6 + [1.4] * 2)) == {}
    assert sizes(resized(runs, slowdowns=[1.0] * 6 + [1.3] * 2)) == {"new": 4}


def test_idle_seats_are_taken_at_once_and_others_when_they_are_given_up():
    linear = {1: 100.0, 2: 50.0}
    first, second = (measured(name, nodes, linear, most=4) for name, nodes in (("a", (4, 5)), ("b", (6, 7))))

    result = resized([measured("bad", range(4), BADLY), first, second], count=10)

    assert sizes(result) == {"bad": 2, "a": 4}


def test_gang_grows_by_its_own_number_of_members_where_none_is_measured():
    result = resized([measured("new", range(4), {2: 100.0})])

    [change] = result.sizes.changes
    assert (len(change.nodes), change.because, change.speed) == (8, SizeReason.IDLE_NODES, None)


@pytest.mark.parametrize(
    ("facts", "want"),
    [
        pytest.param({}, {"bad": 2}, id="as ever"),
        pytest.param({"changed": NOW - 500}, {}, id="it has changed not long ago"),
        pytest.param({"priority": 1}, {}, id="it is more urgent than the one that gains"),
        pytest.param({"asked": 4}, {}, id="its owner asks for its size"),
        pytest.param({"multiple_of": 4}, {}, id="it may have no smaller size"),
    ],
)
def test_gang_gives_seats_to_one_that_gains_only_if(facts, want):
    runs = [measured("bad", range(4), BADLY, **facts), measured("well", range(4, 8), WELL)]

    assert sizes(resized(runs)) == want


def test_no_gang_gives_seats_to_another_while_one_waits_that_could_use_them():
    runs = [measured("bad", range(4), BADLY), measured("well", range(4, 8), WELL)]

    result = resized(runs, gang("waits", size=8))

    assert sizes(result) == {}


def test_gang_that_shrinks_by_itself_does_so_though_another_one_waits():
    result = resized([measured("past", range(8), {2: 60.0, 4: 50.0, 8: 100.0})], gang("waits", size=8))

    assert sizes(result) == {"past": 4}


def test_claimed_speed_does_not_take_more_than_a_proportional_one():
    honest, liar = measured("honest", range(4), WELL, most=4), measured("liar", range(4, 8), {2: 1e9, 4: 1.0})

    result = resized([honest, liar])

    assert sizes(result) == {}


def test_slow_idle_nodes_are_left_where_they_would_slow_a_gang_down():
    runs = [measured("well", range(2), {1: 100.0, 2: 50.0})]

    result = resized(runs, slowdowns=[1.0, 1.0, 1.0, 1.0, 3.0, 3.0])

    assert [one.nodes for one in result.sizes.changes] == [(0, 1, 2, 3)]


@pytest.mark.parametrize(
    ("unit_times", "want"),
    [
        pytest.param(WELL | {8: 25.0}, {"run": 4}, id="measured: it keeps an equal part"),
        pytest.param({}, {}, id="not measured: it keeps what it started with"),
    ],
)
def test_gang_that_waits_gets_an_equal_part_of_one_that_is_measured(unit_times, want):
    result = resized([measured("run", range(8), unit_times)], gang("waits", size=2, most=8))

    assert sizes(result) == want
    assert [one.because for one in result.sizes.changes] == [SizeReason.WAITING_GANG] * len(want)
    if want:
        [start] = [one for one in result.plan.decisions if one.gang.name == "waits"]
        assert (start.size, start.start <= NOW + 1) == (4, True)


def test_more_urgent_gang_gives_nothing_to_one_that_waits():
    result = resized([measured("run", range(8), WELL | {8: 25.0}, priority=1)], gang("waits", size=2))

    assert sizes(result) == {}


def test_gang_that_waits_for_other_nodes_gets_nothing():
    elsewhere = Constraints(node_selector=(("pool", "b"),))

    result = resized([measured("run", range(8), WELL | {8: 25.0})], gang("waits", size=2, constraints=elsewhere))

    assert sizes(result) == {}


@pytest.mark.parametrize(
    ("count", "want"),
    [pytest.param(8, {"bad": 2}, id="one gives seats"), pytest.param(12, {"well": 8}, id="one takes idle nodes")],
)
def test_plan_of_gangs_that_wait_stays_as_it_is_when_nodes_are_divided(count, want):
    elsewhere = Constraints(node_selector=(("pool", "b"),))
    runs = [measured("bad", range(4), BADLY), measured("well", range(4, 8), WELL)]
    facts = world(runs, [gang("waits", size=2, constraints=elsewhere)], count=count)

    result = resize(facts, runs, {})

    assert sizes(result) == want
    assert plan(result.after) == plan(facts)


def test_gangs_that_gain_nothing_keep_no_other_one_out_for_ever():
    count = MOST_GANGS
    still = [measured(f"still{one:02}", [2 * one, 2 * one + 1], {2: 100.0}, most=2) for one in range(count)]
    late = measured("late", [2 * count, 2 * count + 1], WELL, most=4, changed=NOW - 10_000)
    runs = [*still, late]

    first = resized(runs, count=2 * count + 4)
    then = replace(world(runs, count=2 * count + 4), now=first.again)

    assert (NOW < first.again <= NOW + TURN_SECONDS, resized(runs[1:], count=2 * count + 4).again) == (True, math.inf)
    assert {"late": 4} in (sizes(first), sizes(resize(then, runs, {})))
