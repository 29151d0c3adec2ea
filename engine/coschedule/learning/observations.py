"""Finished runs as arrays: which of them count, and which are unlike the others of their size."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import BoolArray, FloatArray, IntArray

SHORTEST_SECONDS = 1e-3
LONGEST_SECONDS = 1e12
"""Run times outside say nothing about the work."""

_ENOUGH_TO_COMPARE = 3
# A normal deviation is 1.4826 times the median one; four of them are exceeded by one run of 16,000.
_DEVIATIONS = 4 * 1.4826
# Closer together than this runs are never called unlike.
_LEAST_FACTOR = 1.25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinishedRuns:
    """Runs that have ended well; all arrays have one entry a run, InvalidValueError otherwise.

    ``sizes``, int[n], is the number of members that did a part of the work, ``slowdowns``, float[n], how much longer
    they needed than on idle reference nodes, and ``seconds``, float[n], how long the run took.
    """

    sizes: IntArray
    slowdowns: FloatArray
    seconds: FloatArray

    def __post_init__(self) -> None:
        for name in ("sizes", "slowdowns", "seconds"):
            if np.shape(getattr(self, name)) != (len(self.sizes),):
                raise InvalidValueError(name, f"must have one entry for each of the {len(self.sizes)} runs")

    @property
    def idle_seconds(self) -> FloatArray:
        """How long each would have taken on idle reference nodes; 0 where its numbers make no sense."""
        makes_sense = (self.sizes >= 1) & (self.slowdowns > 0) & np.isfinite(self.slowdowns) & (self.seconds > 0)
        with np.errstate(over="ignore", under="ignore"):
            idle = np.divide(self.seconds, self.slowdowns, out=np.zeros(len(self.sizes)), where=makes_sense)
        return np.where((idle >= SHORTEST_SECONDS) & (idle <= LONGEST_SECONDS), idle, 0.0)


def medians_of_sizes(sizes: IntArray, seconds: FloatArray) -> FloatArray:
    """Of each run the median time of the runs of its size, float[n]."""
    _, of_run, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    # Sorted by size and then by time, the middle of each size stands at its half.
    rising = seconds[np.lexsort((seconds, sizes))]
    first = np.cumsum(counts) - counts
    medians: FloatArray = (rising[first + (counts - 1) // 2] + rising[first + counts // 2]) / 2
    return medians[of_run]


def unlike_their_size(sizes: IntArray, seconds: FloatArray) -> BoolArray:
    """Which runs took so much longer or shorter than others of their size that something else was the matter.

    Times are compared as logarithms, with the median of their size and the median deviation from these. Where a size
    has fewer than three runs nobody can tell which of them is unlike the other.
    """
    _, of_run, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    can_tell = counts[of_run] >= _ENOUGH_TO_COMPARE if len(sizes) else np.zeros(0, dtype=bool)
    if not can_tell.any():
        return can_tell
    off = np.abs(np.log(seconds) - np.log(medians_of_sizes(sizes, seconds)))
    usual = max(_DEVIATIONS * float(np.median(off[can_tell])), float(np.log(_LEAST_FACTOR)))
    unlike: BoolArray = can_tell & (off > usual)
    return unlike
