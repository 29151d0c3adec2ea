"""Longer gangs leave a few idle seats to short gangs, which may come at any time."""

import math
from dataclasses import replace

import pytest

from coschedule.model.run_times import SerialWork
from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.why.following import turn_of
from coschedule.queue.why.last_to_have_room import last_to_have_room
from coschedule.queue.why.room_now import LEFT_TO_SHORT, room_now
from coschedule.resizing import beside, short_gangs
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.resize import resize
from coschedule.resizing.short_gangs import SEATS_FOR_ONE, SHORT_SECONDS
from engine.builders import NOW, gang, node, role, snapshot

NODES = 2 * SEATS_FOR_ONE
TERMS = ChangeTerms()
HOURS = 3_600.0 * NODES


SIZES = (16, 29, 30, 31, 32, 61, 62, 63, 64)


def grown(size, **other):
    """Describe a gang that runs on the first nodes, and has hours of work left."""
    return ElasticRun(
        key=GangKey("default", "run"),
        created=NOW,
        sizes=Sizes(minimum=16, maximum=NODES, allowed=SIZES),
        request=(1,),
        work=SerialWork(serial=10 * HOURS),
        left=1.0,
        nodes=tuple(range(size)),
        end=NOW + 10 * HOURS / size,
        terms=TERMS,
        changed=-math.inf,
        **other,
    )


def waiting(name, seconds, *, size=1, most=NODES, **other):
    """Describe a gang that runs for so many seconds if it has as many members as it may have."""
    return gang(name, serial=seconds * most, size=size, most=most, created=NOW, **other)


def resized(run, *gangs, count=NODES, slowdown=None, running=()):
    slow = slowdown or (lambda _: 1.0)
    nodes = [node(f"n{index:02}", free=int(index >= run.size), slowdown=slow(index)) for index in range(count)]
    releases = [Release(node=index, request=(1,), time=run.end) for index in run.nodes]
    facts = snapshot(nodes, gangs, releases=releases)
    elastic = {one.key: TERMS for one in gangs}
    return resize(replace(facts, running=tuple(running)), [run], elastic)


def running(*, priority):
    times = {"queued_since": NOW, "since": NOW, "end": math.inf, "grace": 30.0}
    return RunningGang(key=GangKey("default", "other"), priority=priority, size=1, holds=(), **times)


def sizes(result):
    """Return the sizes to which gangs change, or with which they start."""
    return {one.gang.name: len(one.nodes) for one in (*result.sizes.changes, *result.sizes.starts)}


@pytest.mark.parametrize(("count", "size"), [(NODES, NODES - 2), (SEATS_FOR_ONE, SEATS_FOR_ONE - 1), (31, 31)])
def test_a_gang_with_much_work_left_does_not_grow_onto_the_last_seats(count, size):
    assert sizes(resized(grown(16), count=count)) == {"run": size}


def test_a_gang_that_has_all_seats_keeps_them():
    assert sizes(resized(grown(NODES))) == {}


def test_a_short_gang_starts_on_the_last_seats():
    run = replace(grown(NODES - 2), changed=NOW)

    assert sizes(resized(run, waiting("short", SHORT_SECONDS, most=2))) == {"short": 2}


def test_a_longer_gang_does_not_start_on_the_last_seats_and_is_planned_for_later():
    run = replace(grown(NODES - 2), changed=NOW)
    result = resized(run, waiting("long", SHORT_SECONDS + 1, most=2))

    assert sizes(result) == {}
    assert [one.start for one in result.plan.decisions] == [NOW + SHORT_SECONDS]


@pytest.mark.parametrize(("least", "started"), [(NODES - 2, NODES - 2), (NODES - 1, NODES), (NODES, NODES)])
def test_a_gang_that_needs_the_last_seats_takes_them(least, started):
    whole = gang("whole", serial=10 * HOURS, size=least, most=NODES, created=NOW)
    nodes = [node(f"n{index:02}") for index in range(NODES)]

    assert sizes(resize(snapshot(nodes, [whole]), [], {whole.key: TERMS})) == {"whole": started}


@pytest.mark.parametrize("count", [NODES + 1, NODES + 2, NODES + 3, 10 * NODES])
def test_a_gang_gets_all_members_if_enough_seats_are_left_anyway(count):
    whole = gang("whole", serial=10 * HOURS, size=16, most=NODES, allowed=SIZES, created=NOW)
    nodes = [node(f"n{index:03}") for index in range(count)]
    left = count // SEATS_FOR_ONE

    assert sizes(resize(snapshot(nodes, [whole]), [], {whole.key: TERMS})) == {"whole": min(NODES, count - left)}
    assert sizes(resized(grown(16), count=count)) == {"run": min(NODES, count - left)}


def test_a_plan_of_the_snapshot_after_the_choice_is_the_same():
    run = replace(grown(NODES - 2), changed=NOW)
    result = resized(run, waiting("long", SHORT_SECONDS + 1, most=2))

    assert [one.node for one in result.after.left_idle] == [NODES - 2, NODES - 1]
    assert plan(result.after) == result.plan


def test_a_gang_that_waits_beside_the_last_seats_learns_why():
    run = replace(grown(NODES - 2), changed=NOW)
    result = resized(run, waiting("long", SHORT_SECONDS + 1, most=2))
    turn = turn_of(result.after, result.plan, GangKey("default", "long"))
    [room] = room_now(turn)

    assert (LEFT_TO_SHORT, 2) in room.failures
    assert last_to_have_room(turn, result.plan.decisions[0]) is None


def test_a_longer_gang_starts_on_the_last_seats_by_its_promise():
    run = replace(grown(NODES - 2), changed=NOW)
    soon, due = (waiting("long", 2_000.0, most=2, promised=NOW + seconds) for seconds in (SHORT_SECONDS / 2, 0))

    assert [one.start for one in resized(run, soon).plan.decisions] == [NOW]
    assert sizes(resized(run, due)) == {"long": 2}


def test_no_seats_are_left_while_a_gang_waits_that_takes_no_part():
    run = replace(grown(NODES - 2), changed=NOW)
    apart = gang("apart", serial=100.0, roles=(role("a"), role("b")), created=NOW)
    result = resized(run, apart)

    assert [one.start for one in result.plan.decisions] == [NOW]


def test_no_seats_are_left_if_a_gang_could_be_evicted_while_they_are_idle():
    run = replace(grown(NODES - 2), changed=NOW)
    urgent = waiting("long", 2_000.0, most=2, priority=5)

    assert sizes(resized(run, urgent, running=[running(priority=4)])) == {"long": 2}
    assert sizes(resized(run, urgent, running=[running(priority=5)])) == {}


@pytest.mark.parametrize("wish", [{"asked": 63}, {"deadline": NOW + 10 * HOURS / 63 + 200}], ids=["asked", "deadline"])
def test_a_size_that_is_asked_or_that_a_deadline_needs_may_take_the_last_seats(wish):
    assert sizes(resized(replace(grown(16), **wish))) == {"run": 63}


@pytest.mark.parametrize("least", [1, 2, 30])
@pytest.mark.parametrize("late", [1, 3])
def test_room_for_short_gangs_costs_at_most_four_plans_more(late, least, monkeypatch):
    plans, once = [], beside.plan_once
    monkeypatch.setattr(beside, "plan_once", lambda *facts, **how: plans.append(1) or once(*facts, **how))
    run = replace(grown(NODES - 2), changed=NOW)
    gangs = [waiting(f"late{one}", 2_000.0, size=least, promised=NOW + 10.0 * (1 + one)) for one in range(late)]

    resized(run, *gangs)
    with_room = len(plans)
    monkeypatch.setattr(short_gangs, "SEATS_FOR_ONE", 10 * NODES)
    resized(run, *gangs)

    assert with_room <= len(plans) - with_room + 4
