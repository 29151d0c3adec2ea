"""Pieces on processors by looking at every way to spread them, straight from the definitions in [S 3] and [S 4]."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import lcm
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
    units, scale = whole_times(speeds)
    return Fraction(min(max(map(mul, counts, units)) for counts in spreads(pieces, len(speeds))), scale)


@cache
def fewest_processors(pieces, speeds, turnaround):
    """Return how many processors are needed, None when all are too few."""
    units, scale = whole_times(speeds)
    timely = (counts for counts in spreads(pieces, len(speeds)) if max(map(mul, counts, units)) <= turnaround * scale)
    return min((used(counts) for counts in timely), default=None)


@cache
def whole_times(speeds):
    """Return the time of one piece on every processor in whole units, and how many units are 1: ints are quick."""
    times = [1 / Fraction(speed) for speed in speeds]
    scale = lcm(*(time.denominator for time in times))
    return [int(time * scale) for time in times], scale


def last_done(counts, speeds):
    return max(Fraction(count) / speed for count, speed in zip(counts, speeds, strict=True))


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
    return min(gang_outcomes(offers, job), default=None)


def gang_outcomes(offers, job):
    """Return (finish, nodes used, start) of every spread that is allowed."""
    offers, job, scale = in_whole_numbers(offers, job)
    every = product(*(range(len(offer.slowdowns) + 1) for offer in offers))
    outcomes = (gang_outcome(offers, job, counts) for counts in every if sum(counts) == job.pieces)
    return {(Fraction(one[0], scale), one[1], Fraction(one[2], scale)) for one in outcomes if one is not None}


def in_whole_numbers(offers, job):
    """Scale slow-downs and times to ints, which are quick; return also how many units of time are 1."""
    relative = lcm(*(slowdown.denominator for offer in offers for slowdown in offer.slowdowns))
    times = [job.seconds, job.per_member, job.fixed, *(offer.start for offer in offers)]
    times += [offer.until for offer in offers if offer.until is not None]
    scale = lcm(*(Fraction(time).denominator for time in times))
    whole = [
        Offer(
            start=int(offer.start * relative * scale),
            slowdowns=tuple(int(slowdown * relative) for slowdown in offer.slowdowns),
            until=None if offer.until is None else int(offer.until * relative * scale),
        )
        for offer in offers
    ]
    overhead = {name: int(getattr(job, name) * relative * scale) for name in ("per_member", "fixed")}
    return whole, job._replace(seconds=int(job.seconds * scale), **overhead), relative * scale


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
    alone = least_turnaround(pieces, tuple(sorted(speeds[name] for name in processors)))
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
