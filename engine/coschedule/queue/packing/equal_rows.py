"""Finds groups of equal rows one by one, on demand: callers often need only the first few of thousands."""

from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

import numpy as np

from coschedule.model.numbers import IntArray

_ONE_BY_ONE = 4
"""The number of groups that are compared with all rows, one by one, before the remaining rows are sorted."""

T = TypeVar("T")


def equal_rows(rows: IntArray) -> Iterator[IntArray]:
    """Generate the indices of each group of equal rows, rising; the group with the lowest index comes first."""
    left = np.arange(len(rows))
    rows = rows[:, (rows != rows[:1]).any(axis=0)]
    for _ in range(_ONE_BY_ONE):
        if not len(left):
            return
        same = (rows == rows[0]).all(axis=1)
        yield left[same]
        left, rows = left[~same], rows[~same]
    yield from _sorted_groups(left, rows)


def _sorted_groups(left: IntArray, rows: IntArray) -> Iterator[IntArray]:
    if not len(left):
        return
    # The sort is stable, so the indices of each group rise.
    order = np.lexsort(rows.T)
    begins = np.flatnonzero(np.append(True, (rows[order[1:]] != rows[order[:-1]]).any(axis=1)))
    ends = np.append(begins[1:], len(order))
    by_first = np.argsort(order[begins])
    for begin, end in zip(begins[by_first].tolist(), ends[by_first].tolist(), strict=True):
        yield left[order[begin:end]]


def in_blocks(items: Iterator[T], *, most: int) -> Iterator[list[T]]:
    """Generate lists of the next items: one, then twice as many each time, up to ``most``."""
    size = 1
    while block := list(islice(items, size)):
        yield block
        size = min(2 * size, most)
