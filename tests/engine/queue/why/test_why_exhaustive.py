"""Why-questions about small clusters, beside trying everything."""

import math

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import Load
from coschedule.queue.why.by_size import best_by_size, sizes_of
from coschedule.queue.why.by_speed import nodes_by_speed
from coschedule.queue.why.following import before, turn_of
from coschedule.queue.why.room_now import CLOSED, LEFT_TO_OTHERS, TOO_SHORT, room_now
from engine.brute.queue import Taken, free_at, lasts, placements, time_of, value
from engine.brute.queue import sizes_of as brute_sizes
from engine.builders import NOW, seeded
from engine.queue.test_plan_exhaustive import random_snapshot, selected

LOADS = [(Load.EQUAL,), (Load.PROPORTIONAL,), (Load.PIECES,)]


def claims(snap, decisions):
    gangs = {one.key: one for one in snap.gangs}
    return [
        Taken(
            snap.nodes.names.index(members.node),
            members.count,
            gangs[one.gang].roles[0].request,
            one.start,
            one.finish,
        )
        for one in decisions
        if isinstance(one, Placement)
        for members in one.members
    ]


def turns(seed, loads=(Load.EQUAL,)):
    rnd = seeded(seed)
    for _ in range(40):
        snap = random_snapshot(rnd, loads)
        made = plan(snap)
        for decision in made.decisions:
            yield snap, turn_of(snap, made, decision.gang), claims(snap, before(snap, made, decision.gang)), decision


@pytest.mark.parametrize("loads", LOADS, ids=["equal", "proportional", "pieces"])
@pytest.mark.parametrize("seed", range(4))
def test_best_run_of_each_size_is_that_of_an_exhaustive_search(seed, loads):
    for snap, turn, taken, _ in turns(seed, loads):
        sizes = sizes_of(turn)
        tried = list(placements(snap, turn.gang, taken, selected(snap)))

        for size, run in zip(sizes.tolist(), best_by_size(turn, sizes), strict=True):
            of_size = [one for one in tried if one.size == size]
            assert (run is not None) == bool(of_size)
            if run is not None and turn.gang.work is None:
                assert run.start == min(one.start for one in of_size)
            elif run is not None:
                # With a deadline the fewest members are wanted, whatever they cost.
                worth = value if turn.gang.deadline is None else lambda _, one: one.finish
                assert (run.value, run.start) == min((worth(turn.gang, one), one.start) for one in of_size)


@pytest.mark.parametrize("loads", LOADS, ids=["equal", "proportional", "pieces"])
@pytest.mark.parametrize("seed", range(4))
def test_nodes_that_fail_are_counted_by_the_first_requirement_that_they_fail(seed, loads):
    for snap, turn, taken, _ in turns(seed, loads):
        [room] = room_now(turn)
        found = [fate(snap, turn.gang, taken, node) for node in range(len(snap.nodes.names))]

        assert dict(room.failures) == {phrase: found.count(phrase) for phrase in found if isinstance(phrase, str)}
        assert room.with_room == sum(not isinstance(one, str) for one in found)
        assert room.slots == sum(one for one in found if not isinstance(one, str))
        assert room.needed == turn.gang.roles[0].sizes.least


def fate(snap, pending, taken, index):
    """What a node fails first, or how many members it has room for as long as the shortest run takes."""
    at = max(snap.now, pending.not_before)
    for key, wanted in pending.roles[0].constraints.node_selector:
        if snap.nodes.labels[index].get(key) != wanted:
            return f"without {key}={wanted}"
    if not snap.start[index] <= at < snap.until[index]:
        return CLOSED
    request = pending.roles[0].request
    for name, amount, free in zip(snap.resources, request, free_at(snap, [], index, at), strict=True):
        if amount and free < amount:
            return f"short of {name}"
    if any(one and free < one for one, free in zip(request, free_at(snap, taken, index, at), strict=True)):
        return LEFT_TO_OTHERS
    finish = at + shortest(snap, pending)
    fitting = [
        count
        for count in range(1, pending.roles[0].sizes.maximum + 1)
        if lasts(snap, taken, Taken(index, count, request, at, finish))
        and all(
            not one or free >= count * one for one, free in zip(request, free_at(snap, taken, index, at), strict=True)
        )
    ]
    return max(fitting, default=TOO_SHORT)


def shortest(snap, pending):
    if pending.work is None:
        return math.inf
    passing = [index for index in range(len(snap.nodes.names)) if selected(snap)(pending, index)]
    fastest = min(float(snap.slowdown[index]) for index in passing)
    return min(alone(pending, size, fastest) for size in brute_sizes(pending.roles[0]))


def alone(pending, size, slowdown):
    """How long so many members run that are all on nodes of that slow-down."""
    pieces = pending.roles[0].pieces
    if pieces is None:
        return slowdown * time_of(pending.work, size)
    overhead = pending.work.fixed + pending.work.per_member * size
    return -(-pieces // size) * slowdown * pending.work.serial / pieces + overhead


@pytest.mark.parametrize("seed", range(4))
def test_nodes_of_each_speed_are_counted_one_by_one(seed):
    for snap, turn, taken, decision in turns(seed):
        if not isinstance(decision, Placement):
            continue
        groups = nodes_by_speed(turn, decision)
        passing = [index for index in range(len(snap.nodes.names)) if selected(snap)(turn.gang, index)]

        assert [group.slowdown for group in groups] == sorted({float(snap.slowdown[index]) for index in passing})
        assert sum(group.passing for group in groups) == len(passing)
        assert sum(group.used for group in groups) == len(decision.members)
        for group in groups:
            alike = [index for index in passing if snap.slowdown[index] == group.slowdown]
            assert group.with_room == sum(has_room(snap, turn.gang, taken, index, decision) for index in alike)


def has_room(snap, pending, taken, index, decision):
    request = pending.roles[0].request
    start = decision.start
    if not snap.start[index] <= start < snap.until[index]:
        return False
    free = free_at(snap, taken, index, start)
    fits = all(not one or amount >= one for one, amount in zip(request, free, strict=True))
    return fits and lasts(snap, taken, Taken(index, 1, request, start, decision.finish))


def test_time_before_which_it_may_not_start_is_when_it_is_checked():
    late = [turn for _, turn, _, _ in turns(1) if turn.gang.not_before > NOW]

    assert late
    assert all(turn.earliest == turn.gang.not_before for turn in late)
