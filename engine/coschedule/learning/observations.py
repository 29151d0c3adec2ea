"""Finished runs as arrays: which of them count, and which are outliers among runs of their size."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import BoolArray, FloatArray, IntArray

SHORTEST_SECONDS = 1e-3
LONGEST_SECONDS = 1e12
"""Runs that take less than ``SHORTEST_SECONDS`` or more than this on idle reference nodes are ignored."""

_ENOUGH_TO_COMPARE = 3
# Four standard deviations, in median deviations: a standard deviation is 1.4826 median deviations. One of 16,000 runs
# deviates by more than four standard deviations.
_DEVIATIONS = 4 * 1.4826
# Runs within this factor of the median are never outliers.
_LEAST_FACTOR = 1.25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinishedRuns:
    """Runs that have succeeded; all arrays have one entry a run, InvalidValueError otherwise.

    ``sizes``, int[n], is the number of members with a part of the work. ``seconds``, float[n], is the run time.
    ``slowdowns``, float[n], is the run time divided by the run time on idle reference nodes.
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
        """The seconds that each run would have taken on idle reference nodes; 0 where its numbers are invalid."""
        is_valid = (self.sizes >= 1) & (self.slowdowns > 0) & np.isfinite(self.slowdowns) & (self.seconds > 0)
        with np.errstate(over="ignore", under="ignore"):
            idle = np.divide(self.seconds, self.slowdowns, out=np.zeros(len(self.sizes)), where=is_valid)
        return np.where((idle >= SHORTEST_SECONDS) & (idle <= LONGEST_SECONDS), idle, 0.0)


def medians_of_sizes(sizes: IntArray, seconds: FloatArray) -> FloatArray:
    """Return for each run the median time of the runs of its size, float[n]."""
    _, of_run, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    # Runs are sorted by size and then by time, so the median of each size is in the middle of its runs.
    rising = seconds[np.lexsort((seconds, sizes))]
    first = np.cumsum(counts) - counts
    medians: FloatArray = (rising[first + (counts - 1) // 2] + rising[first + counts // 2]) / 2
    return medians[of_run]


def unlike_their_size(sizes: IntArray, seconds: FloatArray) -> BoolArray:
    """Return bool[n]: whether each run is an outlier, which is much longer or shorter than other runs of its size.

    The logarithm of each time is compared with the median of its size, in units of the median deviation. Runs of a
    size with fewer than three runs are never outliers.
    """
    _, of_run, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    is_compared = counts[of_run] >= _ENOUGH_TO_COMPARE if len(sizes) else np.zeros(0, dtype=bool)
    if not is_compared.any():
        return is_compared
    off = np.abs(np.log(seconds) - np.log(medians_of_sizes(sizes, seconds)))
    usual = max(_DEVIATIONS * float(np.median(off[is_compared])), float(np.log(_LEAST_FACTOR)))
    unlike: BoolArray = is_compared & (off > usual)
    return unlike
