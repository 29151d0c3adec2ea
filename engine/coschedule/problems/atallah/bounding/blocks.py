"""Bounding over blocks: which cells of a large matrix of values can hold its least value.

The matrix has a row for each start and a column for each level, which is a slow-down or a speed. The value of a cell
depends on the totals (slots, speed) of all entries in the rows and columns up to it. So the totals at the corners of a
block give a lower bound on all its values. The value of its far corner can be reached.

Method: lay a grid of blocks over the matrix. Drop each block whose bound exceeds the least value reached so far. Cut
each remaining block into strips, the lowest bounds first, and so on down to single cells. A block is cut into rows or
into columns, whichever raises the bounds of its parts more. If many values along a line nearly tie, blocks on one side
of the line are cut into rows, and others into columns. The totals of a grid are one histogram and two running
sums. Strips of rows need only the entries in the block's own rows, since the entries above are summed already; the same
holds for columns.

Example: the cells of a block have starts 5 to 9 and slow-downs 2 to 4. Its far corner has 3 slots, for which the least
run time is 10. All values are at least 5 + 2 * 10 = 25, and the far corner has the value 9 + 4 * 10 = 49. A block whose
bound is above 49 can be dropped.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray
from coschedule.problems.atallah.bounding.grids import Blocks, Points, dimensions, first_grid, joined
from coschedule.problems.atallah.bounding.to_cut import BlocksToCut, entries_of


class Shape(NamedTuple):
    """The size of a matrix; entries in columns before ``first_column`` count in totals but have no cell."""

    rows: int
    columns: int
    first_column: int = 0


class BlockBounds(Protocol):
    """The bounds of a problem on blocks."""

    def around(self, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper bounds on each block's least value: float[block], inf when no cell has a value."""

    def least(self, blocks: Blocks) -> FloatArray:
        """Return only lower bounds on each block's least value: float[block]."""

    def limit(self, reached: float) -> float:
        """Return the bound up to which a block may hold the least value, given a value that was ``reached``."""


def surviving_cells(
    points: Points, shape: Shape, bounds: BlockBounds, *, reached: float = math.inf
) -> tuple[Blocks, float]:
    """Find all cells that may hold the least value, and the least value that was reached.

    ``reached`` is a value that the matrix is known to have, inf if none is known.

    The time is that of the first grid and its histogram, plus a time that grows with the number of surviving blocks.
    Memory: O(entries + surviving blocks).
    """
    search = _CellSearch(bounds, reached)
    grid = first_grid(points, shape.rows, shape.columns, first_column=shape.first_column)
    blocks, least = search.evaluate(grid, np.True_)
    if not len(blocks):
        return search.found()
    points = entries_of(points, blocks, shape.rows, shape.columns)
    rows, columns = BlocksToCut(points, shape.rows), BlocksToCut(points.transposed(), shape.columns)
    while True:
        if len(blocks):
            by_rows = _by_rows(blocks, bounds)
            rows.add(blocks.take(by_rows), least[by_rows])
            columns.add(blocks.take(~by_rows).transposed(), least[~by_rows])
        if not rows.size + columns.size:
            return search.found()
        if rows.size > columns.size:
            grid, exists = rows.cut(search.may_hold_least)
        else:
            grid, exists = columns.cut(search.may_hold_least)
            grid, exists = grid.transposed(), exists.swapaxes(1, 2)
        blocks, least = search.evaluate(grid, exists)


class _CellSearch:
    """The least value reached so far, and the cells found that may hold the least value."""

    def __init__(self, bounds: BlockBounds, reached: float) -> None:
        self._bounds = bounds
        self._reached = reached
        self._cells: list[tuple[Blocks, FloatArray]] = []

    def evaluate(self, blocks: Blocks, exists: BoolArray | np.bool_) -> tuple[Blocks, FloatArray]:
        """Drop blocks that cannot hold the least value; store single cells, return larger blocks and their bounds."""
        least, reached = self._bounds.around(blocks)
        self._reached = min(self._reached, float(reached.min(initial=math.inf)))
        kept = exists & self.may_hold_least(least)
        blocks, least = blocks.take(kept), least[kept]
        high, wide = dimensions(blocks)
        larger = high | wide
        self._cells.append((blocks.take(~larger), least[~larger]))
        return blocks.take(larger), least[larger]

    def found(self) -> tuple[Blocks, float]:
        """Return the cells that may still hold the least value, and the least value reached."""
        least = np.concatenate([part for _, part in self._cells])
        return joined([blocks for blocks, _ in self._cells]).take(self.may_hold_least(least)), self._reached

    def may_hold_least(self, least: FloatArray) -> BoolArray:
        """Return which blocks may hold the least value, by their bounds."""
        return (least <= self._bounds.limit(self._reached)) & (least < math.inf)


def _by_rows(blocks: Blocks, bounds: BlockBounds) -> BoolArray:
    """Return bool[block]: True if a cut into rows raises the block's bounds at least as much as a cut into columns."""
    high, wide = dimensions(blocks)
    turned = blocks.transposed()
    across = (blocks.first_row(), blocks.last_row())
    along = (turned.first_row().transposed(), turned.last_row().transposed())
    rows, columns = (bounds.least(first) + bounds.least(last) for first, last in (across, along))
    return high & (~wide | (rows >= columns))
