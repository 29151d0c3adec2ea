"""Allocation maps by looking at every cell and every pattern, straight from the definitions in [S 3] and [S 4.4].

A map is the speeds by processor, and a Place by job.
"""

from fractions import Fraction
from typing import NamedTuple

from engine.brute.pieces import fewest_processors, last_done, least_turnaround, pattern_turnaround, patterns


class Place(NamedTuple):
    """Where a job is: its columns, and its pieces by processor."""

    slices: frozenset[int]
    counts: dict[str, int]


def cells(jobs):
    """List every cell in use, once for each job there."""
    return [(name, column) for place in jobs.values() for name in place.counts for column in place.slices]


def columns(jobs):
    return sorted({column for _, column in cells(jobs)})


def alone(speeds, place):
    """Return how long the job takes when it has every slice."""
    return last_done(place.counts.values(), [speeds[name] for name in place.counts])


def turnaround(speeds, jobs, job):
    return alone(speeds, jobs[job]) * len(columns(jobs)) / Fraction(len(jobs[job].slices))


def free_by_slice(speeds, jobs, own=None):
    """List the names in no job's cells, by column; those of the job ``own`` count as free."""
    taken = set(cells({job: place for job, place in jobs.items() if job != own}))
    return [[name for name in speeds if (name, column) not in taken] for column in columns(jobs)]


def best_in_patterns(speeds, jobs, pieces, own=None):
    """Return the least turn-around of a job of ``pieces`` in any free pattern, None when nothing is free."""
    free = free_by_slice(speeds, jobs, own)
    return min((pattern_turnaround(one, free, speeds, pieces) for one in patterns(free)), default=None)


def best_in_a_slice_of_its_own(speeds, jobs, pieces):
    return least_turnaround(pieces, tuple(sorted(speeds.values()))) * (len(columns(jobs)) + 1)


def best_in_slices(speeds, jobs, slices, pieces, own):
    """Return the least time alone in these slices on free processors or its own, and the fewest processors for it."""
    free = dict(zip(columns(jobs), free_by_slice(speeds, jobs, own), strict=True))
    shared = set(speeds).intersection(*(free[column] for column in slices))
    available = tuple(sorted(speeds[name] for name in shared))
    least = least_turnaround(pieces, available)
    return least, fewest_processors(pieces, available, least)
