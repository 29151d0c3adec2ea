"""When owners are at their nodes: stays that are drawn or recorded, and repeat after their last week."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HOUR, DAY, WEEK = 3600.0, 86_400.0, 7 * 86_400.0
HISTORY_WEEKS = 3
"""A simulation begins this many weeks after the stays begin, so that its first forecasts have a history."""

Intervals = NDArray[np.float64]


class PresenceChange(NamedTuple):
    """At ``time``, in seconds of the simulation, the owner of a node comes or goes."""

    time: float
    node: int
    is_there: bool


@dataclass(frozen=True, slots=True, eq=False)
class Stays:
    """One owner's stays: rows of a beginning and an end, rising, in seconds after the midnight before a Monday.

    Stays repeat after ``weeks`` weeks, and end within these weeks.
    """

    intervals: Intervals
    weeks: int

    def changes(self, node: int) -> Iterator[PresenceChange]:
        """Yield the owner's comings and goings, without end. An owner who is there at the beginning comes at 0 s."""
        for again in count() if len(self.intervals) else ():
            shift = (again * self.weeks - HISTORY_WEEKS) * WEEK
            for begin, end in (self.intervals + shift).tolist():
                if end > 0:
                    yield PresenceChange(max(begin, 0.0), node, is_there=True)
                    yield PresenceChange(end, node, is_there=False)

    def hourly(self) -> NDArray[np.float64]:
        """Return for each hour of all weeks the part of the hour, from 0 to 1, in which the owner was there."""
        hours = np.zeros(int(self.weeks * WEEK / HOUR))
        for begin, end in self.intervals.tolist():
            first, last = int(begin // HOUR), int(np.ceil(end / HOUR))
            edges = HOUR * np.arange(first, last + 1)
            hours[first:last] += np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin)
        return np.minimum(hours / HOUR, 1.0)


def stays_of(intervals: Sequence[tuple[float, float]], weeks: int) -> Stays:
    """Return stays from intervals: join intervals that overlap or touch, and cut off times outside of the weeks."""
    joined: list[tuple[float, float]] = []
    for begin, end in sorted((max(begin, 0.0), min(end, weeks * WEEK)) for begin, end in intervals):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif begin < end:
            joined.append((begin, end))
    return Stays(np.array(joined, dtype=np.float64).reshape(-1, 2), weeks)


def all_changes(stays: dict[int, Stays]) -> Iterator[PresenceChange]:
    """Yield the comings and goings of all owners in the order of time, without end."""
    return heapq.merge(*(one.changes(node) for node, one in stays.items()))
