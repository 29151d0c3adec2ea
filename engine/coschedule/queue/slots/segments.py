"""Rows of different lengths that lie one behind the other in an array; ``owner``, never falling, tells them apart.

Example: with ``owner`` [0, 0, 1] the values [3, 1, 2] are the rows [3, 1] and [2]. The running sums are [3, 4, 2].
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from coschedule.model.numbers import BoolArray, FloatArray, IntArray

Numbers = TypeVar("Numbers", IntArray, FloatArray)


def is_first(owner: NDArray[Any]) -> BoolArray:
    """Tell which entries begin a row."""
    first = np.ones(len(owner), dtype=np.bool_)
    first[1:] = owner[1:] != owner[:-1]
    return first


def is_last(owner: NDArray[Any]) -> BoolArray:
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


def running_sum(values: Numbers, owner: IntArray) -> Numbers:
    """Sum up each row to each of its entries; values may have further axes.

    What a row's sum is does not depend on other rows, also where their sums wrap around.
    """
    total = np.cumsum(values, axis=0)
    before = total - values
    first = is_first(owner)
    by_entry: Numbers = total - before[np.flatnonzero(first)][np.cumsum(first) - 1]
    return by_entry


def rows_as_bytes(values: NDArray[Any], bounds: IntArray) -> Iterator[bytes]:
    """Spell each row ``values[bounds[i]:bounds[i + 1]]``, so that equal ones are found by a dictionary."""
    spelled, width = values.tobytes(), values[:1].nbytes
    return (spelled[begin:end] for begin, end in pairwise((bounds * width).tolist()))
