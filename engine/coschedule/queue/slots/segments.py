"""Rows of different lengths, one after the other in an array. ``owner``, which never falls, is the row of each entry.

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
    """Return which entries begin a row."""
    first = np.ones(len(owner), dtype=np.bool_)
    first[1:] = owner[1:] != owner[:-1]
    return first


def is_last(owner: NDArray[Any]) -> BoolArray:
    """Return which entries end a row."""
    last = np.ones(len(owner), dtype=np.bool_)
    last[:-1] = owner[1:] != owner[:-1]
    return last


def change(values: IntArray, owner: IntArray) -> IntArray:
    """Return each entry minus the entry before it in its row; the first entry of a row stays as it is."""
    before = np.zeros_like(values)
    before[1:] = values[:-1]
    before[is_first(owner)] = 0
    return values - before


def running_sum(values: Numbers, owner: IntArray) -> Numbers:
    """Return the sum of each row up to each of its entries; values may have further axes.

    Integer sums of a row do not depend on other rows, even if the sums of other rows overflow.
    """
    total = np.cumsum(values, axis=0)
    before = total - values
    first = is_first(owner)
    by_entry: Numbers = total - before[np.flatnonzero(first)][np.cumsum(first) - 1]
    return by_entry


def rows_as_bytes(values: NDArray[Any], bounds: IntArray) -> Iterator[bytes]:
    """Return each row ``values[bounds[i]:bounds[i + 1]]`` as bytes, which can be keys of a dictionary."""
    whole, width = values.tobytes(), values[:1].nbytes
    return (whole[begin:end] for begin, end in pairwise((bounds * width).tolist()))
