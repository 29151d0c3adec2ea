"""The least time at which enough pieces are done: a search over many times, of which only a few are listed.

Objective: the least t among the times of ``piece_times`` such that ``enough(counts)`` holds for the counts that are
done within t.

Theorem: if ``enough`` is true, it stays true for larger counts, so bisection on floats works. The number of times
between two floats is the difference of their counts. Once few times are left, they are listed and searched. Times with
equal keys are searched last, in their exact order.

Cost: about as many calls of ``enough`` as a float has bits, each O(rows).

Example: speeds 2 and 1, and 4 pieces are enough. The least time is 1.5, with the counts [3, 1].
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from coschedule.model.numbers import IntArray, Number
from coschedule.pieces.piece_times import PieceTimes

Enough = Callable[[IntArray], bool]


def least_time(
    piece_times: PieceTimes, most: IntArray, enough: Enough, *, at_least: Number = 0
) -> tuple[Number, IntArray] | None:
    """Find the least time at which ``enough`` holds, and the counts done within it, at most ``most[r]`` on row r.

    The caller guarantees that the least time is not below ``at_least``. None when ``enough`` does not hold for
    ``most``.
    """
    if not enough(most):
        return None
    base, top = _bracket(piece_times, most, enough, float(np.nextafter(float(at_least), 0)))
    rows, counts = piece_times.between(base, top)
    keys = piece_times.keys(rows, counts)
    distinct = np.unique(keys)
    key = distinct[bisect_left(distinct, x=True, key=lambda key: enough(_with(base, rows[keys <= key])))]
    base = _with(base, rows[keys < key])
    tied = np.flatnonzero(keys == key)
    rows, (ranks, times) = rows[tied], piece_times.ranks(rows[tied], counts[tied])
    first = bisect_left(range(len(times)), x=True, key=lambda rank: enough(_with(base, rows[ranks <= rank])))
    return times[first], _with(base, rows[ranks <= first])


def _with(base: IntArray, rows: IntArray) -> IntArray:
    """Add one piece for each occurrence of a row in ``rows``."""
    return base + np.bincount(rows, minlength=len(base))


def _bracket(piece_times: PieceTimes, most: IntArray, enough: Enough, low: float) -> tuple[IntArray, IntArray]:
    """Find counts that are not enough and counts that are, few pieces apart; counts done by ``low`` are not enough."""
    every = np.flatnonzero(most)
    high = float(piece_times.keys(every, most[every]).max())
    base, top = piece_times.most_by_key(low, most), most
    while int((top - base).sum(dtype=np.float64)) > 2 * len(most):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        counts = piece_times.most_by_key(middle, most)
        if enough(counts):
            high, top = middle, counts
        else:
            low, base = middle, counts
    return base, top
