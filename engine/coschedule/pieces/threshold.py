"""The least time at which enough pieces are done: a search over times that are never listed.

Objective: the least t among the times of ``loads`` such that ``enough(counts)`` holds for the counts done within t.

Theorem: ``enough`` never turns false again when counts rise, so bisection on floats closes in; between two floats lie
as many times as counts differ by, and when these are few they are listed and searched. Times with equal keys come last
and are searched in their exact order.

Cost: about as many calls of ``enough`` as a float has bits, each O(rows).
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from coschedule.numbers import IntArray, Number
from coschedule.pieces.loads import Loads

Enough = Callable[[IntArray], bool]


def least_time(loads: Loads, most: IntArray, enough: Enough) -> tuple[Number, IntArray] | None:
    """Find the least time at which ``enough`` holds, and the counts done within it, at most ``most[r]`` on row r.

    None when it does not hold for ``most`` either.
    """
    if not enough(most):
        return None
    key = _least_key(loads, most, enough)
    base = loads.most_by_key(float(np.nextafter(key, 0)), most)
    rows, counts = loads.between(base, loads.most_by_key(key, most))
    ranks, times = loads.ranks(rows, counts)

    def done_within(rank: int) -> IntArray:
        return base + np.bincount(rows[ranks <= rank], minlength=len(base))

    first = bisect_left(range(len(times)), x=True, key=lambda rank: enough(done_within(rank)))
    return times[first], done_within(first)


def _least_key(loads: Loads, most: IntArray, enough: Enough) -> float:
    """Find the least key of a time at which ``enough`` holds, when it holds for ``most``."""
    every = np.flatnonzero(most)
    low, high = 0.0, float(loads.keys(every, most[every]).max())
    base, top = np.zeros_like(most), most
    while int((top - base).sum(dtype=np.float64)) > 2 * len(most):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        counts = loads.most_by_key(middle, most)
        if enough(counts):
            high, top = middle, counts
        else:
            low, base = middle, counts
    keys = np.unique(loads.keys(*loads.between(base, top)))
    reached = bisect_left(keys, x=True, key=lambda key: enough(loads.most_by_key(float(key), most)))
    return float(keys[reached])
