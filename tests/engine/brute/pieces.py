"""Pieces on processors by looking at every way to spread them, straight from the definitions in [S 3] and [S 4]."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from operator import mul
from typing import NamedTuple


@cache
def spreads(pieces, places):
    """List every way to put pieces on that many places."""
    if places == 1:
        return [(pieces,)]
    return [(first, *rest) for first in range(pieces + 1) for rest in spreads(pieces - first, places - 1)]


@cache
def least_turnaround(pieces, speeds):
    """Return the time at which the last piece is done, in the best of all spreads."""
    return min(last_done(counts, speeds) for counts in spreads(pieces, len(speeds)))


def last_done(counts, speeds):
    return max(Fraction(count) / speed for count, speed in zip(counts, speeds, strict=True))


def fewest_processors(pieces, speeds, turnaround):
    """Return how many processors are needed, None when all are too few."""
    timely = (counts for counts in spreads(pieces, len(speeds)) if last_done(counts, speeds) <= turnaround)
    return min((used(counts) for counts in timely), default=None)


def used(counts):
    return sum(count > 0 for count in counts)


class Offer(NamedTuple):
    """A node: its start, the slow-down of every piece when 1, 2, ... run there, and when it is taken back."""

    start: Fraction
    slowdowns: tuple[Fraction, ...]
    until: Fraction | None


class Job(NamedTuple):
    pieces: int
    seconds: Fraction
    per_member: Fraction
    fixed: Fraction


def best_gang(offers, job):
    """Return the least (finish, nodes used, start), None when no spread is allowed."""
    outcomes = (gang_outcome(offers, job, counts) for counts in product(*(range(len(o.slowdowns) + 1) for o in offers)))
    return min((outcome for outcome in outcomes if outcome is not None), default=None)


def gang_outcome(offers, job, counts):
    """Return (finish, nodes used, start) of one spread, None when it is not allowed."""
    if sum(counts) != job.pieces:
        return None
    busy = [(offer, count) for offer, count in zip(offers, counts, strict=True) if count]
    if any(count > len(offer.slowdowns) for offer, count in busy):
        return None
    start = max(offer.start for offer, _ in busy)
    load = max(count * offer.slowdowns[count - 1] for offer, count in busy)
    finish = start + load * job.seconds + job.fixed + job.per_member * len(busy)
    if any(offer.until is not None and offer.until < finish for offer, _ in busy):
        return None
    return finish, len(busy), start


def patterns(free_by_slice):
    """List every regular pattern: slices, and processors that are free in all of them."""
    for width in range(1, len(free_by_slice) + 1):
        for slices in combinations(range(len(free_by_slice)), width):
            shared = sorted(set.intersection(*(set(free_by_slice[index]) for index in slices)))
            for number in range(1, len(shared) + 1):
                yield from ((slices, processors) for processors in combinations(shared, number))


def pattern_turnaround(pattern, free_by_slice, speeds, pieces):
    slices, processors = pattern
    alone = least_turnaround(pieces, tuple(speeds[name] for name in processors))
    return alone * len(free_by_slice) / len(slices)


def pattern_size(pattern, speeds):
    slices, processors = pattern
    return sum(speeds[name] for name in processors) * len(slices)


def best_size(slowdowns, job, sizes):
    """Return the least (run time, size) of gangs on the fastest places, every member with a piece; floats as given."""
    runs = []
    for size, overhead in sizes:
        own = sorted(slowdowns)[:size]
        if size <= min(len(slowdowns), job.pieces):
            runs.append((shared_load(own, job.pieces) * job.seconds + overhead, size))
    return min(runs, default=None)


def shared_load(slowdowns, pieces):
    """Return the least load of the busiest member when every one has a piece."""
    shared = (counts for counts in spreads(pieces, len(slowdowns)) if min(counts) > 0)
    return min(max(map(mul, counts, slowdowns)) for counts in shared)
