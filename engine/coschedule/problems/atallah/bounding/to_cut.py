"""Blocks to be cut into strips of rows, the lowest bounds first, and the entries in their rows."""

from collections.abc import Callable

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.problems.atallah.bounding.grids import SIDE, Blocks, Points, dimensions, divide, joined

_AT_ONCE = 2**16
"""The approximate maximum of entries and corners that are processed together, so that they fit in a cache."""


class BlocksToCut:
    """Blocks to be cut; ``points`` are all entries in the rows of all these blocks. Memory: O(entries + blocks)."""

    def __init__(self, points: Points, rows: int) -> None:
        self._points = points.where(np.argsort(points.row))
        self._ends = np.concatenate(([0], np.cumsum(np.bincount(points.row, minlength=rows))))
        self._portions: list[tuple[Blocks, FloatArray, int]] = []
        self.size = 0

    def add(self, blocks: Blocks, least: FloatArray) -> None:
        """Add blocks with the bounds ``least``."""
        if not len(blocks):
            return
        self.size += len(blocks)
        order = np.argsort(least)
        entries = self._ends[blocks.bottom] - self._ends[blocks.top]
        weight = np.cumsum(entries[order] + 2 * (SIDE + 1))
        parts = np.split(order, np.flatnonzero(np.diff(weight // _AT_ONCE)) + 1)
        each = min(int(weight[-1]), _AT_ONCE)
        self._portions += [(blocks.take(part), least[part], each) for part in reversed(parts)]

    def cut(self, may_hold_least: Callable[[FloatArray], BoolArray]) -> tuple[Blocks, BoolArray]:
        """Remove the blocks that were added last, as many as can be cut at once, and cut them into strips.

        Blocks that cannot hold the least value are dropped before. Returns the strips, and which of them exist.
        """
        parts, weight = [], 0
        while self._portions and weight <= _AT_ONCE // 2:
            blocks, least, more = self._portions.pop()
            self.size -= len(blocks)
            parts.append(blocks.take(may_hold_least(least)))
            weight += more
        blocks = joined(parts)
        return divide(blocks, *self._entries(blocks))

    def _entries(self, blocks: Blocks) -> tuple[Points, IntArray]:
        """List the entries in the rows of each block, up to its last column, and the block of each entry."""
        begin = self._ends[blocks.top]
        lengths = self._ends[blocks.bottom] - begin
        owner = np.repeat(np.arange(len(blocks)), lengths)
        entry = np.arange(len(owner)) + (begin - (np.cumsum(lengths) - lengths))[owner]
        kept = (self._points.column[entry] < blocks.right[owner]).nonzero()[0]
        return self._points.where(entry[kept]), owner[kept]


def entries_of(points: Points, blocks: Blocks, rows: int, columns: int) -> Points:
    """Keep the entries in rows of blocks that have several rows, or in columns of blocks that have several columns."""
    high, wide = dimensions(blocks)
    in_rows = _covered(blocks.top[high], blocks.bottom[high], rows)[points.row]
    in_columns = _covered(blocks.left[wide], blocks.right[wide], columns)[points.column]
    return points.where((in_rows | in_columns).nonzero()[0])


def _covered(first: IntArray, end: IntArray, count: int) -> BoolArray:
    """Return which of the positions [0, count) are in one of the stretches [first, end)."""
    change = np.bincount(first, minlength=count + 1) - np.bincount(end, minlength=count + 1)
    return np.cumsum(change)[:count] > 0
