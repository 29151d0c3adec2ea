"""The least value between two positions, for many pairs of positions at once.

Example: among the values [5, 2, 7, 3], the ranges from 0 to 2 and from 2 to 3 have the least values 2 and 3.
"""

import math

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray


class RangeMinima:
    """The least of ``values[first]`` to ``values[last]``.

    If values fall and then rise, one array access is enough. Otherwise the least value of each stretch with a power of
    two as length is stored, and two such stretches cover a range.
    """

    def __init__(self, values: FloatArray) -> None:
        self._levels = values[np.newaxis]
        self._lowest = int(values.argmin())
        rising = values[1:] >= values[:-1]
        self._one_valley = bool(rising[self._lowest :].all() and not rising[: self._lowest].any())
        if not self._one_valley:
            self._levels = np.stack(_doubled(values))

    def of(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return the least value of each range [first, last]; no range is empty."""
        if self._one_valley:
            least: FloatArray = self._levels[0][np.maximum(first, np.minimum(last, self._lowest))]
            return least
        level = np.frexp(last + 1 - first)[1] - 1
        minima: FloatArray = np.minimum(self._levels[level, first], self._levels[level, last + 1 - 2**level])
        return minima


def _doubled(values: FloatArray) -> list[FloatArray]:
    levels = [values]
    while 2 ** len(levels) <= len(values):
        half = 2 ** (len(levels) - 1)
        shifted = np.append(levels[-1][half:], np.full(half, math.inf))
        levels.append(np.minimum(levels[-1], shifted))
    return levels
