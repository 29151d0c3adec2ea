"""Rows of different lengths that lie one behind the other in an array; ``owner``, never falling, tells them apart.

Example: with ``owner`` [0, 0, 1] the values [3, 1, 2] are the rows [3, 1] and [2]. The least values from each entry
on are [1, 1, 2].
"""

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray


def is_first(owner: IntArray) -> BoolArray:
    """Tell which entries begin a row."""
    first = np.ones(len(owner), dtype=np.bool_)
    first[1:] = owner[1:] != owner[:-1]
    return first


def is_last(owner: IntArray) -> BoolArray:
    """Tell which entries end a row."""
    last = np.ones(len(owner), dtype=np.bool_)
    last[:-1] = owner[1:] != owner[:-1]
    return last


def change(values: IntArray, owner: IntArray) -> IntArray:
    """Subtract from every entry the one before it in its row; the first of a row changes from 0."""
    before = np.zeros_like(values)
    before[1:] = values[:-1]
    before[is_first(owner)] = 0
    return values - before


def least_from_here(values: IntArray, owner: IntArray) -> IntArray:
    """Return the least value of each row from each entry on; values are at least 0."""
    # Every row is shifted above all values of the one before it, so that one running minimum starts anew at each row.
    offset = owner * (int(values.max(initial=0)) + 1)
    least: IntArray = np.minimum.accumulate((values + offset)[::-1])[::-1] - offset
    return least
