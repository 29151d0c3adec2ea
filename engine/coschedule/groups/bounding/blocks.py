"""Bounding over blocks: which cells of a large matrix of values can hold its least value.

The matrix has a row for every start and a column for every level of goodness. The value of a cell depends on the
totals (how many places, how much speed) of all entries in the rows and columns up to it. So the totals at the corners
of a block bound every value in it, and the value of its far corner can be reached.

Method: lay a grid over the matrix, drop every block whose bound exceeds the least value reached so far, lay a finer
grid over each block that is left, and so on down to single cells. A grid's totals are one histogram and two running
sums. A finer grid needs only the entries in the block's own rows and columns, since those before it are summed already.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from coschedule.groups.bounding.grids import SIDE, Blocks, Points, dimensions, divide, first_grid, joined
from coschedule.numbers import BoolArray, FloatArray, IntArray

_AT_ONCE = 2**18
"""So many entries and blocks are looked at together at most: memory stays bounded, and the limit falls in between."""


class Shape(NamedTuple):
    """The matrix has ``rows`` and ``columns``; what lies before its first column has no cell, but counts."""

    rows: int
    columns: int
    first_column: int = 0


class Bounds(Protocol):
    """What a problem knows about blocks."""

    def around(self, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
        """Bound all values in each block from below, by inf when no cell of it has one; and its least from above."""

    def limit(self, reached: float) -> float:
        """Say up to which bound a block is of interest when this value has been reached."""


def surviving_cells(points: Points, shape: Shape, bounds: Bounds, *, reached: float = math.inf) -> tuple[Blocks, float]:
    """Find all cells whose least value is within the limit of the best value reached, and that value.

    ``reached`` is a value known to be reached.

    Time: the first grid and its histogram, then as much as blocks survive. Memory: O(entries + survivors).
    """
    search = _Search(bounds, reached)
    search.look_at(first_grid(points, shape.rows, shape.columns, first_column=shape.first_column), np.True_)
    if search.is_over:
        return search.found()
    blocks = search.next_level()
    nearby = _Nearby(points, blocks, shape)
    while len(blocks):
        for first, last in nearby.portions(blocks):
            chunk = search.interesting(blocks, first, last)
            if len(chunk):
                search.look_at(*divide(chunk, *nearby.entries(chunk)))
        if search.is_over:
            break
        blocks = search.next_level()
    return search.found()


class _Search:
    """What has been reached so far, the cells that may have it, and the blocks yet to be divided."""

    def __init__(self, bounds: Bounds, reached: float) -> None:
        self._bounds = bounds
        self._reached = reached
        self._cells: list[tuple[Blocks, FloatArray]] = []
        self._open: list[tuple[Blocks, FloatArray]] = []
        self._least = np.empty(0)

    def look_at(self, blocks: Blocks, exists: BoolArray | np.bool_) -> None:
        """Drop what cannot hold the least value; keep cells apart from larger blocks."""
        least, reached = self._bounds.around(blocks)
        self._reached = min(self._reached, float(reached.min(initial=math.inf)))
        kept = exists & self._is_interesting(least)
        blocks, least = blocks.take(kept), least[kept]
        high, wide = dimensions(blocks)
        larger = high | wide
        if larger.any():
            self._open.append((blocks.take(larger), least[larger]))
            blocks, least = blocks.take(~larger), least[~larger]
        self._cells.append((blocks, least))

    @property
    def is_over(self) -> bool:
        """Whether no blocks are left to be divided."""
        return not self._open

    def next_level(self) -> Blocks:
        """Hand out the blocks that are still of interest, the most promising first."""
        blocks, self._least = self._still_of_interest(self._open)
        order = np.argsort(self._least)
        self._open, self._least = [], self._least[order]
        return blocks.take(order)

    def interesting(self, blocks: Blocks, first: int, last: int) -> Blocks:
        """List those of the blocks [first, last) of this level that are still of interest."""
        return blocks.take(first + np.flatnonzero(self._is_interesting(self._least[first:last])))

    def found(self) -> tuple[Blocks, float]:
        """List the cells that are still of interest, and the least value reached."""
        return self._still_of_interest(self._cells)[0], self._reached

    def _still_of_interest(self, parts: list[tuple[Blocks, FloatArray]]) -> tuple[Blocks, FloatArray]:
        least = np.concatenate([part for _, part in parts])
        kept = self._is_interesting(least)
        return joined([blocks for blocks, _ in parts]).take(kept), least[kept]

    def _is_interesting(self, least: FloatArray) -> BoolArray:
        return (least <= self._bounds.limit(self._reached)) & (least < math.inf)


class _Nearby:
    """The entries in the rows and in the columns of some blocks, to be found for any blocks within them."""

    def __init__(self, points: Points, blocks: Blocks, shape: Shape) -> None:
        high, wide = dimensions(blocks)
        in_rows = _covered(blocks.top[high], blocks.bottom[high], shape.rows)[points.row]
        near = in_rows | _covered(blocks.left[wide], blocks.right[wide], shape.columns)[points.column]
        self._points = points.where(np.flatnonzero(near))
        self._by_row, self._by_column = np.argsort(self._points.row), np.argsort(self._points.column)
        self._row_ends = _ends(self._points.row, shape.rows)
        self._column_ends = _ends(self._points.column, shape.columns)

    def portions(self, blocks: Blocks) -> Iterator[tuple[int, int]]:
        """Divide blocks into stretches, none of which takes much memory."""
        high, wide = dimensions(blocks)
        entries = (self._row_ends[blocks.bottom] - self._row_ends[blocks.top]) * high
        entries += (self._column_ends[blocks.right] - self._column_ends[blocks.left]) * wide
        portion = np.cumsum(entries + (SIDE + 1) ** 2) // _AT_ONCE
        edges = [0, *(np.flatnonzero(np.diff(portion)) + 1).tolist(), len(blocks)]
        return pairwise(edges)

    def entries(self, blocks: Blocks) -> tuple[Points, IntArray]:
        """List the entries that tell parts of a block apart, and whose they are: no others are between its corners.

        Those are the entries in its rows, up to its last column, if it has several rows; and those in its columns, up
        to its last row, if it has several columns. Entries inside are listed once.
        """
        high, wide = dimensions(blocks)
        owner, entry = _stretches(self._row_ends, blocks.top, blocks.bottom, high)
        entry = self._by_row[entry]
        in_rows = self._points.column[entry] < blocks.right[owner]
        other_owner, other = _stretches(self._column_ends, blocks.left, blocks.right, wide)
        other = self._by_column[other]
        in_columns = self._points.row[other] < np.where(high, blocks.top, blocks.bottom)[other_owner]
        points = self._points.where(np.concatenate((entry[in_rows], other[in_columns])))
        return points, np.concatenate((owner[in_rows], other_owner[in_columns]))


def _covered(first: IntArray, end: IntArray, count: int) -> BoolArray:
    """Tell which of the positions [0, count) lie in some stretch."""
    change = np.bincount(first, minlength=count + 1) - np.bincount(end, minlength=count + 1)
    return np.cumsum(change)[:count] > 0


def _ends(position: IntArray, count: int) -> IntArray:
    """List how many entries lie before each position, and before the end."""
    return np.concatenate(([0], np.cumsum(np.bincount(position, minlength=count))))


def _stretches(ends: IntArray, first: IntArray, last: IntArray, wanted: BoolArray) -> tuple[IntArray, IntArray]:
    """List the sorted entries at positions [first, last) of each block that is wanted, and the block."""
    begin = ends[first]
    lengths = (ends[last] - begin) * wanted
    owner = np.repeat(np.arange(len(first)), lengths)
    skipped = begin - (np.cumsum(lengths) - lengths)
    return owner, np.arange(len(owner)) + skipped[owner]
