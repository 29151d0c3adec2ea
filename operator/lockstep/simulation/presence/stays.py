"""When owners are at their nodes: stays that are drawn or recorded, and begin again when they are over."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HOUR, DAY, WEEK = 3600.0, 86_400.0, 7 * 86_400.0
HISTORY_WEEKS = 3
"""A simulation begins so many weeks after the begin of the stays: of these, forecasts know from the first."""

Intervals = NDArray[np.float64]


class PresenceChange(NamedTuple):
    """At ``time``, in seconds of the simulation, the owner of a node comes or goes."""

    time: float
    node: int
    is_there: bool


@dataclass(frozen=True, slots=True, eq=False)
class Stays:
    """One owner's: rows of begin and end, which rise, in seconds after the midnight before a Monday.

    They begin again after so many ``weeks``, beyond which none lasts.
    """

    intervals: Intervals
    weeks: int

    def changes(self, node: int) -> Iterator[PresenceChange]:
        """Tell without end who comes and goes from the begin of the simulation on; at 0 s, who is there already."""
        for again in count() if len(self.intervals) else ():
            shift = (again * self.weeks - HISTORY_WEEKS) * WEEK
            for begin, end in (self.intervals + shift).tolist():
                if end > 0:
                    yield PresenceChange(max(begin, 0.0), node, is_there=True)
                    yield PresenceChange(end, node, is_there=False)

    def hourly(self) -> NDArray[np.float64]:
        """Return the part of each hour of all weeks in which the owner was there."""
        hours = np.zeros(int(self.weeks * WEEK / HOUR))
        for begin, end in self.intervals.tolist():
            first, last = int(begin // HOUR), int(np.ceil(end / HOUR))
            edges = HOUR * np.arange(first, last + 1)
            hours[first:last] += np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin)
        return np.minimum(hours / HOUR, 1.0)


def stays_of(intervals: Sequence[tuple[float, float]], weeks: int) -> Stays:
    """Join what overlaps or touches, and leave out what is outside of the weeks."""
    joined: list[tuple[float, float]] = []
    for begin, end in sorted((max(begin, 0.0), min(end, weeks * WEEK)) for begin, end in intervals):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif begin < end:
            joined.append((begin, end))
    return Stays(np.array(joined, dtype=np.float64).reshape(-1, 2), weeks)


def all_changes(stays: dict[int, Stays]) -> Iterator[PresenceChange]:
    """Tell without end, in the order of time, whose owner comes and goes, by node."""
    return heapq.merge(*(one.changes(node) for node, one in stays.items()))
