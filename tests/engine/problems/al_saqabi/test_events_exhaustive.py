"""Events of the allocation map on random maps: each event's claim by exhaustive search, and what always holds."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import pytest

from coschedule.problems.al_saqabi.allocation_map import Allocation, AllocationMap
from coschedule.problems.al_saqabi.changes import Change
from coschedule.problems.al_saqabi.events import new_processor, new_vp, processor_exit, submit, vp_exit
from engine.brute.maps import (
    Place,
    alone,
    best_in_a_slice_of_its_own,
    best_in_patterns,
    best_in_slices,
    cells,
    columns,
    turnaround,
)
from engine.builders import seeded

TWO_THOUSAND = pytest.mark.parametrize("seed", range(8))


def places(given):
    return {one.job: Place(frozenset(one.slices), dict(one.counts)) for one in given.allocations}


def pieces_of(jobs):
    return {job: sum(place.counts.values()) for job, place in jobs.items()}


def change_of(change, job):
    return next(one for one in change.jobs if one.job == job)


def random_speed(rnd):
    return rnd.choice([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)])


def random_map(rnd):
    """Three processors, up to three columns, up to three jobs."""
    speeds = {name: random_speed(rnd) for name in "abc"}
    allocations = []
    for job in range(rnd.randint(1, 3)):
        slices = tuple(sorted(rnd.sample(range(3), rnd.choice([1, 1, 1, 2]))))
        taken = {name for one in allocations if set(one.slices) & set(slices) for name in one.counts}
        free = [name for name in speeds if name not in taken]
        if free:
            counts = {name: rnd.randint(1, 2) for name in rnd.sample(free, rnd.randint(1, len(free)))}
            allocations.append(Allocation(job=f"job{job}", slices=slices, counts=counts))
    return AllocationMap(speeds=speeds, allocations=tuple(allocations))


@dataclass(frozen=True)
class Event:
    """An event, the jobs that it is about, and the pieces that all jobs must have after it."""

    change: Change
    touched: frozenset[str]
    pieces: dict[str, int]


def submission(rnd, current):
    pieces, job = rnd.randint(1, 4), f"job{100 + rnd.randint(0, 10**6)}"
    return Event(submit(current, job, pieces), frozenset({job}), pieces_of(places(current)) | {job: pieces})


def birth(rnd, current):
    job = rnd.choice(current.allocations).job
    before = pieces_of(places(current))
    return Event(new_vp(current, job), frozenset({job}), before | {job: before[job] + 1})


def death(rnd, current):
    one = rnd.choice(current.allocations)
    before = pieces_of(places(current))
    left = {job: pieces for job, pieces in (before | {one.job: before[one.job] - 1}).items() if pieces}
    change = vp_exit(current, one.job, rnd.choice(sorted(one.counts)))
    return Event(change, frozenset({one.job}), left)


def arrival(rnd, current):
    name = next(name for name in "abcdefghijklmnopqrstuvwxyz" if name not in current.speeds)
    change = new_processor(current, name, random_speed(rnd))
    return Event(change, frozenset(), pieces_of(places(current)))


def departure(rnd, current):
    name = rnd.choice(sorted(current.speeds))
    touched = frozenset(one.job for one in current.allocations if name in one.counts)
    return Event(processor_exit(current, name), touched, pieces_of(places(current)))


def check_sound(event):
    """Check what holds after any event: cells, columns, pieces, turn-arounds, and what is reported of every job."""
    before, after = places(event.change.before), places(event.change.after)
    speeds = event.change.after.speeds
    assert len(set(cells(after))) == len(cells(after))
    assert {name for name, _ in cells(after)} <= set(speeds)
    assert list(event.change.after.slices) == columns(after)
    assert pieces_of(after) == event.pieces
    assert [one.job for one in event.change.jobs] == [*before, *(job for job in after if job not in before)]
    for one in event.change.jobs:
        check_reported(one, event.change.before.speeds, before, speeds, after)


def check_reported(one, speeds_before, before, speeds, after):
    """Check one job: its slices, its turn-arounds, and that what moves and what stays are all its pieces."""
    old, new = before.get(one.job), after.get(one.job)
    assert frozenset(one.slices_before) == (old.slices if old else frozenset())
    assert frozenset(one.slices_after) == (new.slices if new else frozenset())
    assert one.turnaround_before == (turnaround(speeds_before, before, one.job) if old else None)
    assert one.turnaround_after == (turnaround(speeds, after, one.job) if new else None)
    leaving, arriving = Counter(one.stays), Counter(one.stays)
    for move in one.moves:
        assert move.source != move.target
        leaving[move.source] += move.count
        arriving[move.target] += move.count
    assert {name: count for name, count in leaving.items() if name} == (old.counts if old else {})
    assert {name: count for name, count in arriving.items() if name} == (new.counts if new else {})
    check_no_piece_moves_that_can_stay(one, speeds, new)


def check_no_piece_moves_that_can_stay(one, speeds, new):
    """A piece leaves only a processor that is no longer in use, or is full; none begins or ends that could move."""
    both = [move for move in one.moves if move.source and move.target]
    ended = sum(move.count for move in one.moves if move.target is None)
    begun = sum(move.count for move in one.moves if move.source is None)
    assert not (ended > 1 and begun)
    for move in both if new else []:
        room = int(alone(speeds, new) * speeds.get(move.source, 0))
        assert move.source not in new.counts or new.counts[move.source] == room


def check_others_gain_or_stay(event):
    """A job that the event is not about changes only if it is done sooner, and waits only for a slice more."""
    opened = len(event.change.after.slices) > len(event.change.before.slices)
    for one in event.change.jobs:
        if one.job in event.touched or opened:
            continue
        changed = one.moves or one.slices_before != one.slices_after
        assert one.turnaround_after <= one.turnaround_before
        assert not changed or one.turnaround_after < one.turnaround_before


def check_first_of_queue(event, speeds, between):
    """Check the first job that may move: it is as soon done as in any pattern of its own and free cells."""
    queue = [job for job in between if job not in event.touched]
    free = len(cells(between)) < len(speeds) * len(columns(between))
    after = places(event.change.after)
    if queue and free and columns(after) == columns(between):
        pieces = pieces_of(between)[queue[0]]
        assert turnaround(speeds, after, queue[0]) == best_in_patterns(speeds, between, pieces, own=queue[0])


@TWO_THOUSAND
def test_submission_is_done_as_soon_as_in_any_pattern_or_a_new_slice(seed):
    rnd = seeded(seed)
    for _ in range(250):
        before = random_map(rnd)
        event = submission(rnd, before)
        check_sound(event)

        jobs, [job] = places(before), event.touched
        pattern = best_in_patterns(before.speeds, jobs, event.pieces[job])
        own = best_in_a_slice_of_its_own(before.speeds, jobs, event.pieces[job])
        new_slice = pattern is None or own < pattern
        assert change_of(event.change, job).turnaround_after == (own if new_slice else pattern)
        assert len(event.change.after.slices) == len(before.slices) + new_slice
        assert all(not one.moves for one in event.change.jobs if one.job != job)


@TWO_THOUSAND
def test_new_piece_makes_its_job_as_quick_as_its_slices_allow(seed):
    rnd = seeded(seed)
    for _ in range(250):
        before = random_map(rnd)
        event = birth(rnd, before)
        check_sound(event)
        check_others_gain_or_stay(event)

        jobs, [job] = places(before), event.touched
        new = places(event.change.after)[job]
        assert new.slices == jobs[job].slices
        least = best_in_slices(before.speeds, jobs, new.slices, event.pieces[job], own=job)
        assert (alone(before.speeds, new), len(new.counts)) == least
        between = jobs | {job: new}
        if len(cells(between)) < len(cells(jobs)):
            check_first_of_queue(event, before.speeds, between)


@TWO_THOUSAND
def test_piece_that_ends_lets_the_first_job_use_what_is_free(seed):
    rnd = seeded(seed)
    for _ in range(250):
        before = random_map(rnd)
        event = death(rnd, before)
        check_sound(event)
        check_others_gain_or_stay(event)

        ended = next(move for one in event.change.jobs for move in one.moves if move.target is None)
        [job] = event.touched
        jobs = places(before)
        left = {name: count - (name == ended.source) for name, count in jobs[job].counts.items()}
        between = jobs | {job: Place(jobs[job].slices, {name: count for name, count in left.items() if count})}
        free_to_all = Event(event.change, frozenset(), event.pieces)
        check_first_of_queue(free_to_all, before.speeds, {one: at for one, at in between.items() if at.counts})


@TWO_THOUSAND
def test_new_processor_serves_the_first_job_best(seed):
    rnd = seeded(seed)
    for _ in range(250):
        before = random_map(rnd)
        event = arrival(rnd, before)
        check_sound(event)
        check_others_gain_or_stay(event)
        check_first_of_queue(event, event.change.after.speeds, places(before))


@TWO_THOUSAND
def test_processor_exit_settles_the_first_job_that_lost_it_as_well_as_can_be(seed):
    rnd = seeded(seed)
    for _ in range(250):
        before = random_map(rnd)
        event = departure(rnd, before)
        check_sound(event)
        check_others_gain_or_stay(event)

        speeds = event.change.after.speeds
        without = {
            one.job: Place(frozenset(one.slices), {name: count for name, count in one.counts.items() if name in speeds})
            for one in before.allocations
        }
        first = next((one.job for one in before.allocations if one.job in event.touched), None)
        if first is None or not without[first].counts:
            continue
        new = places(event.change.after)[first]
        assert new.slices == without[first].slices
        least = best_in_slices(speeds, without, new.slices, event.pieces[first], own=first)
        assert (alone(speeds, new), len(new.counts)) == least


@pytest.mark.parametrize("seed", range(8))
def test_any_sequence_of_events_keeps_the_map_sound(seed):
    rnd = seeded(seed)
    current = AllocationMap(speeds={name: random_speed(rnd) for name in "abcd"})
    for _ in range(40):
        kinds = [submission, arrival] + [birth, death] * bool(current.allocations)
        kinds += [departure] * (len(current.speeds) > 1)
        event = rnd.choice(kinds)(rnd, current)
        check_sound(event)
        check_others_gain_or_stay(event)
        current = event.change.after
