"""Narrowing a matrix of starts and speeds to the part around its least value, in time linear in its entries.

Rows are starts, and columns are speeds, the fastest first. As in ``narrow``, all blocks that may have the least value
are in a rectangle. But here sums of speeds and the slowest slot of a gang matter too. So slots that are faster than the
first column of the rectangle are kept, as entries ahead of all columns. They join each gang that starts when they are
open, and are never its slowest slot. Those that have started by the first row become one entry. Entries of the same
start and speed become one entry too, since no grid separates them.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray, PositionArray, Scalar, Vector
from coschedule.problems.atallah.bounding.blocks import BlockBounds
from coschedule.problems.atallah.bounding.grids import Blocks, Points, cells
from coschedule.problems.atallah.bounding.narrow import FEW, MUCH, Borders, ends, side_for
from coschedule.problems.atallah.bounding.strips import Strips, strips_of
from coschedule.problems.atallah.slots import Slots

SLACK = 1e-12
"""The relative rounding error of a quotient is below this."""

_MANY = 16
"""If a block has more than 1 / _MANY of all slots, the bounds from its corners are too weak."""


class Field(NamedTuple):
    """Entry ``e`` is ``slots[e]`` slots that open at ``start[e]``, with the total speed ``total[e]``.

    The first ``len(entry)`` entries have a column; ``entry[e]`` is the index of such an entry in the searched slots.
    The others are ahead of all columns.
    """

    start: Vector
    slots: IntArray
    total: FloatArray
    entry: IntArray

    @property
    def ahead(self) -> int:
        """The number of entries ahead of all columns."""
        return len(self.start) - len(self.entry)


class SizeBounds(BlockBounds, Protocol):
    """The bounds of a problem on blocks, and on the sizes that end in a block (``speed_bounds``)."""

    def promising(self, blocks: Blocks, reached: float) -> tuple[BoolArray, float]:
        """Bound ranges of sizes; return which blocks may hold the least value, and the least value reached."""


def narrowed_field(slots: Slots, bounds_of: Callable[[Borders], SizeBounds]) -> tuple[Field, float]:
    """Return the narrowed entries, and the least value that was reached."""
    speed = slots.level.astype(np.float64, copy=False)
    field = Field(slots.start, slots.count, slots.count * speed, np.arange(len(speed)))
    reached = math.inf
    while len(field.entry) > FEW:
        narrower, reached = _narrowed_once(field, slots.level[field.entry], bounds_of, reached)
        much = len(narrower.start) < MUCH * len(field.start)
        field = narrower
        if not much:
            break
    return field, reached


def columns_of_field(field: Field, rank: PositionArray) -> PositionArray:
    """Return the column of each entry: ``rank[e]`` + 1, or 0 for entries ahead of all columns."""
    return np.concatenate((rank + 1, np.zeros(field.ahead, dtype=rank.dtype)))


def _narrowed_once(
    field: Field, level: Vector, bounds_of: Callable[[Borders], SizeBounds], reached: float
) -> tuple[Field, float]:
    side = side_for(len(field.start))
    rows = strips_of(field.start.astype(np.float64, copy=False), side)
    columns = strips_of(1 / level.astype(np.float64, copy=False), side)
    column, width = columns_of_field(field, columns.of), len(columns.lowest)
    points = Points(rows.of, column, (field.slots, field.total))
    blocks = cells(points, len(rows.lowest), width + 1, first_column=1)
    bounds = bounds_of(Borders(rows.lowest, rows.highest, *_speeds(columns)))
    promising, reached = _promising(blocks, bounds, reached)
    if not promising.any():
        return Field(field.start[:0], field.slots[:0], field.total[:0], field.entry[:0]), reached
    (first_row, last_row), (first_column, last_column) = ends(promising, axis=0), ends(promising, axis=1)
    counts = (rows.of <= last_row) & (column <= last_column + 1)
    first = field.start[(counts & (rows.of >= first_row)).nonzero()[0]].min()
    within = counts & (column > first_column)
    kept = within.nonzero()[0]
    cell = rows.of[kept].astype(np.int64) * width + columns.of[kept]
    return _alike_together(_within(field, first, counts & ~within, within), level[kept], cell), reached


def _promising(blocks: Blocks, bounds: SizeBounds, reached: float) -> tuple[BoolArray, float]:
    """Return which blocks may hold the least value, and the least value reached.

    If a block has many slots, the sizes that end in each block are bounded too.
    """
    (least,), values = bounds.around(blocks)
    reached = min(reached, float(values.min()))
    promising = np.asarray((least <= bounds.limit(reached)) & (least < math.inf))
    (before,), (above,), (beside,), (within,) = blocks.before[0], blocks.above[0], blocks.beside[0], blocks.within[0]
    if ((within - above - beside + before)[promising] > within[-1, -1] / _MANY).any():
        promising[promising], reached = bounds.promising(blocks.take(promising[np.newaxis]), reached)
    return promising, reached


def _within(field: Field, first: Scalar, ahead: BoolArray, kept: BoolArray) -> Field:
    """Keep some columns, move earlier starts to ``first``, and merge the entries ahead that have started by then."""
    started = field.start <= first
    together, columns = (ahead & started).nonzero()[0], kept.nonzero()[0]
    entries = np.concatenate((columns, (ahead & ~started).nonzero()[0]))
    return Field(
        np.concatenate((np.maximum(field.start[entries], first), (first,))),
        np.concatenate((field.slots[entries], (field.slots[together].sum(),))),
        np.concatenate((field.total[entries], (field.total[together].sum(),))),
        field.entry[columns],
    )


def _alike_together(field: Field, level: Vector, cell: IntArray) -> Field:
    """Merge the entries of each cell into its last entry, if they have the same start and level as this entry.

    ``level[e]`` and ``cell[e]`` belong to the entries that have a column.
    """
    position = np.arange(len(cell))
    named = np.empty(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    named[cell] = position
    of = named[cell]
    alike = (field.start[of] == field.start[: len(cell)]) & (level[of] == level)
    of = np.where(alike.astype(np.bool_), of, position)
    kept = np.concatenate((of == position, np.ones(field.ahead, dtype=np.bool_))).nonzero()[0]
    of = np.concatenate((of, np.arange(len(cell), len(field.start))))
    slots = np.bincount(of, weights=field.slots)[kept].astype(np.int64)
    total = np.bincount(of, weights=field.total).astype(np.float64, copy=False)[kept]
    return Field(field.start[kept], slots, total, field.entry[kept[: len(kept) - field.ahead]])


def _speeds(columns: Strips) -> tuple[FloatArray, FloatArray]:
    """Return the largest and the least speed of each column; column 0 is faster than all others."""
    fastest, slowest = (np.concatenate(((math.inf,), 1 / slowness)) for slowness in (columns.lowest, columns.highest))
    return fastest * (1 + SLACK), slowest * (1 - SLACK)
