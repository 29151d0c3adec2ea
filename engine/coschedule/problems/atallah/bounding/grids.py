"""Grids over a large matrix: blocks of cells, and the totals of the entries up to their corners.

Example: entries of weight 1 are at (row, column) = (0, 0), (1, 0) and (1, 2). A block has row 1 and columns 1 and 2.
Its totals are 1 ``before`` it, 1 ``above`` it, 2 ``beside`` it, and 3 ``within`` its last row and column.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray, PositionArray
from coschedule.problems.atallah.bounding.strips import cut

FIRST_SIDE = 512
"""The approximate maximum of rows and columns of the first grid: its 2**18 blocks cost a few milliseconds."""

FEW_CELLS = 2**13
"""In a matrix with at most this number of cells, each cell is a block."""

SIDE = 16
"""The most strips into which a block is cut."""


Index = BoolArray | IntArray | tuple[IntArray | int, ...]


class Points(NamedTuple):
    """Entry ``e`` is at ``row[e]`` and ``column[e]``, and adds ``amounts[m][e]`` to total ``m``."""

    row: PositionArray
    column: PositionArray
    amounts: tuple[FloatArray | IntArray, ...]

    def transposed(self) -> "Points":
        """Swap rows and columns."""
        return Points(self.column, self.row, self.amounts)

    def where(self, kept: BoolArray | IntArray) -> "Points":
        """Keep some entries, given by a mask or by position."""
        return Points(self.row[kept], self.column[kept], tuple(amount[kept] for amount in self.amounts))


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Blocks of rows [top, bottom) and columns [left, right): arrays that broadcast to the shape of the blocks.

    Each of the following has one array for each total m, the sum of the entries up to one corner of the block:

        ``before``   rows before top, columns before left         before | above
        ``above``    rows before top, columns before right        -------+-------
        ``beside``   rows before bottom, columns before left      beside | within
        ``within``   rows before bottom, columns before right
    """

    top: IntArray
    bottom: IntArray
    left: IntArray
    right: IntArray
    before: tuple[FloatArray, ...]
    above: tuple[FloatArray, ...]
    beside: tuple[FloatArray, ...]
    within: tuple[FloatArray, ...]

    def take(self, kept: BoolArray | IntArray) -> "Blocks":
        """Select blocks by a mask or, in a list of blocks, by position; return them as a list."""
        rows, columns, both = _indices(kept)
        return Blocks(
            self.top[rows],
            self.bottom[rows],
            self.left[columns],
            self.right[columns],
            tuple([total[both] for total in self.before]),
            tuple([total[both] for total in self.above]),
            tuple([total[both] for total in self.beside]),
            tuple([total[both] for total in self.within]),
        )

    def transposed(self) -> "Blocks":
        """Swap rows and columns."""
        if self.top.ndim == 1:
            return Blocks(
                self.left, self.right, self.top, self.bottom, self.before, self.beside, self.above, self.within
            )
        before, beside, above, within = (
            tuple([total.swapaxes(1, 2) for total in totals])
            for totals in (self.before, self.beside, self.above, self.within)
        )
        left, right, top, bottom = (edge.swapaxes(1, 2) for edge in (self.left, self.right, self.top, self.bottom))
        return Blocks(left, right, top, bottom, before, beside, above, within)

    def first_row(self) -> "Blocks":
        """Return the first row of each block, with its least totals: the totals of the entries above the block."""
        return replace(self, bottom=self.top + 1, beside=self.before, within=self.above)

    def last_row(self) -> "Blocks":
        """Return the last row of each block, with its largest totals, as if all entries were in earlier rows."""
        return replace(self, top=self.bottom - 1, before=self.beside, above=self.within)

    def __len__(self) -> int:
        return len(self.top)


def _indices(kept: BoolArray | IntArray) -> tuple[Index, Index, Index]:
    """Return the indices of the kept blocks in arrays of rows, of columns and of totals."""
    if kept.ndim == 1:
        return kept, kept, kept
    block, row, column = kept.nonzero()
    return (block, row, 0), (block, 0, column), (block, row, column)


def dimensions(blocks: Blocks) -> tuple[BoolArray, BoolArray]:
    """Return which blocks have several rows, and which have several columns."""
    return blocks.bottom - blocks.top > 1, blocks.right - blocks.left > 1


def cells(points: Points, rows: int, columns: int, *, first_column: int = 0) -> Blocks:
    """Return a block for each cell of the matrix from its first column on."""
    points = points._replace(column=points.column - first_column) if first_column else points
    return _grid_of(points, np.arange(rows), np.arange(first_column, columns), rows, columns)


def first_grid(points: Points, rows: int, columns: int, *, first_column: int = 0) -> Blocks:
    """Divide the whole matrix into blocks, by strips of rows and strips of columns.

    Strips of rows have about equal numbers of entries, and so have strips of columns. In a small matrix, each cell is a
    block. Entries in columns before ``first_column`` have no cell; they are to the left of all cells of their row.
    """
    if rows * columns <= FEW_CELLS:
        return cells(points, rows, columns, first_column=first_column)
    side = min(FIRST_SIDE, max(SIDE, int(2 * len(points.row) ** 0.5)))
    top, row = cut(np.bincount(points.row, minlength=rows), side)
    left, column = cut(np.bincount(points.column, minlength=columns)[first_column:], side)
    column = np.concatenate((np.full(first_column, -1), column))
    strips = Points(row[points.row], column[points.column], points.amounts)
    return _grid_of(strips, top, left + first_column, rows, columns)


def _grid_of(points: Points, top: IntArray, left: IntArray, rows: int, columns: int) -> Blocks:
    """Return a block for each strip of rows, from ``top[s]`` on, and each strip of columns.

    ``points`` have the number of a strip in place of a row or column; strip -1 of the columns is before all others.
    """
    shape = (len(top), len(left) + 1)
    cell = np.multiply(points.row, shape[1], dtype=np.int64)
    cell += points.column
    cell += 1
    totals = [_sums_before(_histogram(cell, amount, shape)) for amount in points.amounts]
    bottom, right = np.concatenate((top[1:], (rows,))), np.concatenate((left[1:], (columns,)))
    return _grid(top[np.newaxis], bottom[np.newaxis], left[np.newaxis], right[np.newaxis], totals)


def divide(blocks: Blocks, points: Points, owner: IntArray) -> tuple[Blocks, BoolArray]:
    """Cut each block into strips of rows; return the strips, and which of them exist, since heights differ.

    ``points[e]`` is in the rows of block ``owner[e]``, and not after its last column.
    """
    heights = blocks.bottom - blocks.top
    rows = min(SIDE, int(heights.max(initial=1)))
    heights = -(-heights // rows)
    row = (points.row - blocks.top[owner]) // heights[owner] + 1
    corner = (owner * 2 + (points.column >= blocks.left[owner])) * (rows + 1) + row
    totals = [_histogram(corner, amount, (len(blocks), 2, rows + 1)) for amount in points.amounts]
    for total, before, above in zip(totals, blocks.before, blocks.above, strict=True):
        total[:, 0, 0] += before
        total[:, 1, 0] += above - before
        np.cumsum(total, axis=2, out=total)
        total[:, 1] += total[:, 0]
    top, bottom, exists = _edges(blocks.top, blocks.bottom, heights, rows)
    left, right = blocks.left[:, np.newaxis], blocks.right[:, np.newaxis]
    return _grid(top, bottom, left, right, [total.swapaxes(1, 2) for total in totals]), exists[:, :, np.newaxis]


def _grid(top: IntArray, bottom: IntArray, left: IntArray, right: IntArray, totals: list[FloatArray]) -> Blocks:
    """Return the blocks between the corners of each part q of the matrix.

    In each of ``totals``, [q, i, j] is the total of the entries up to corner (i, j) of part q.
    """
    return Blocks(
        top=top[:, :, np.newaxis],
        bottom=bottom[:, :, np.newaxis],
        left=left[:, np.newaxis],
        right=right[:, np.newaxis],
        before=tuple(total[:, :-1, :-1] for total in totals),
        above=tuple(total[:, :-1, 1:] for total in totals),
        beside=tuple(total[:, 1:, :-1] for total in totals),
        within=tuple(total[:, 1:, 1:] for total in totals),
    )


def _histogram(corner: IntArray, amount: FloatArray | IntArray, shape: tuple[int, ...]) -> FloatArray:
    # Without any entry, numpy returns integers.
    return np.bincount(corner, weights=amount, minlength=math.prod(shape)).astype(np.float64, copy=False).reshape(shape)


def _sums_before(totals: FloatArray) -> FloatArray:
    """Return float[1, i, j]: the total of the rows before row i and the columns up to j; the last i has all rows."""
    sums = np.zeros((1, totals.shape[0] + 1, totals.shape[1]))
    totals.cumsum(axis=0, out=sums[0, 1:])
    sums[0, 1:].cumsum(axis=1, out=sums[0, 1:])
    return sums


def _edges(first: IntArray, end: IntArray, step: IntArray, count: int) -> tuple[IntArray, IntArray, BoolArray]:
    """Cut [first, end) of each block into strips; return where they begin and end, and which of them exist.

    Each strip of a block but its last has ``step`` positions. The arrays have ``count`` entries for each block. Surplus
    entries repeat the last position of the block, and are marked as strips that do not exist.
    """
    begin = first[:, np.newaxis] + step[:, np.newaxis] * np.arange(count)
    last = end[:, np.newaxis]
    return np.minimum(begin, last - 1), np.minimum(begin + step[:, np.newaxis], last), begin < last


def joined(parts: list[Blocks]) -> Blocks:
    """Join lists of blocks."""
    if len(parts) == 1:
        return parts[0]
    top, bottom, left, right = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("top", "bottom", "left", "right")
    )
    before, above, beside, within = (
        tuple(np.concatenate(total) for total in zip(*(getattr(part, name) for part in parts), strict=True))
        for name in ("before", "above", "beside", "within")
    )
    return Blocks(top, bottom, left, right, before, above, beside, within)
