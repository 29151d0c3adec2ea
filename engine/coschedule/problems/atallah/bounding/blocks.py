"""Bounding over blocks: which cells of a large matrix of values can hold its least value.

The matrix has a row for every start and a column for every level of goodness. The value of a cell depends on the
totals (how many slots, how much speed) of all entries in the rows and columns up to it. So the totals at the corners
of a block bound every value in it, and the value of its far corner can be reached.

Method: lay a grid over the matrix, drop every block whose bound exceeds the least value reached so far, cut each block
that is left into strips, the most promising blocks first, and so on down to single cells. A block is cut along the side
that widens its bound more: where values nearly tie, that is another one on each side of the ties. A grid's totals are
one histogram and two running sums. Strips of rows need only the entries in the block's own rows, since those before are
summed already, and likewise with columns.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray
from coschedule.problems.atallah.bounding.grids import Blocks, Points, dimensions, first_grid, joined
from coschedule.problems.atallah.bounding.waiting import Waiting, near


class Shape(NamedTuple):
    """The matrix has ``rows`` and ``columns``; what lies before its first column has no cell, but counts."""

    rows: int
    columns: int
    first_column: int = 0


class Bounds(Protocol):
    """What a problem knows about blocks."""

    def around(self, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
        """Bound all values in each block from below, by inf when no cell of it has one; and its least from above."""

    def least(self, blocks: Blocks) -> FloatArray:
        """Bound all values in each block from below only."""

    def limit(self, reached: float) -> float:
        """Say up to which bound a block is of interest when this value has been reached."""


def surviving_cells(points: Points, shape: Shape, bounds: Bounds, *, reached: float = math.inf) -> tuple[Blocks, float]:
    """Find all cells whose least value is within the limit of the best value reached, and that value.

    ``reached`` is a value known to be reached.

    Time: the first grid and its histogram, then as much as blocks survive. Memory: O(entries + survivors).
    """
    search = _Search(bounds, reached)
    grid = first_grid(points, shape.rows, shape.columns, first_column=shape.first_column)
    blocks, least = search.look_at(grid, np.True_)
    if not len(blocks):
        return search.found()
    points = near(points, blocks, shape.rows, shape.columns)
    rows, columns = Waiting(points, shape.rows), Waiting(points.transposed(), shape.columns)
    while True:
        if len(blocks):
            by_rows = _by_rows(blocks, bounds)
            rows.add(blocks.take(by_rows), least[by_rows])
            columns.add(blocks.take(~by_rows).transposed(), least[~by_rows])
        if not rows.size + columns.size:
            return search.found()
        if rows.size > columns.size:
            grid, exists = rows.cut(search.is_interesting)
        else:
            grid, exists = columns.cut(search.is_interesting)
            grid, exists = grid.transposed(), exists.swapaxes(1, 2)
        blocks, least = search.look_at(grid, exists)


class _Search:
    """What has been reached so far, and the cells that may have it."""

    def __init__(self, bounds: Bounds, reached: float) -> None:
        self._bounds = bounds
        self._reached = reached
        self._cells: list[tuple[Blocks, FloatArray]] = []

    def look_at(self, blocks: Blocks, exists: BoolArray | np.bool_) -> tuple[Blocks, FloatArray]:
        """Drop what cannot hold the least value; keep cells, and hand out larger blocks with their bounds."""
        least, reached = self._bounds.around(blocks)
        self._reached = min(self._reached, float(reached.min(initial=math.inf)))
        kept = exists & self.is_interesting(least)
        blocks, least = blocks.take(kept), least[kept]
        high, wide = dimensions(blocks)
        larger = high | wide
        self._cells.append((blocks.take(~larger), least[~larger]))
        return blocks.take(larger), least[larger]

    def found(self) -> tuple[Blocks, float]:
        """List the cells that are still of interest, and the least value reached."""
        least = np.concatenate([part for _, part in self._cells])
        return joined([blocks for blocks, _ in self._cells]).take(self.is_interesting(least)), self._reached

    def is_interesting(self, least: FloatArray) -> BoolArray:
        """Tell which bounds allow the least value."""
        return (least <= self._bounds.limit(self._reached)) & (least < math.inf)


def _by_rows(blocks: Blocks, bounds: Bounds) -> BoolArray:
    """Tell which blocks to cut into rows: those whose first and last row differ more than first and last column."""
    high, wide = dimensions(blocks)
    turned = blocks.transposed()
    across = (blocks.first_row(), blocks.last_row())
    along = (turned.first_row().transposed(), turned.last_row().transposed())
    rows, columns = (bounds.least(first) + bounds.least(last) for first, last in (across, along))
    return high & (~wide | (rows >= columns))
