"""Narrowing a large matrix of values to the part around its least value, in time linear in its entries.

The matrix is as in ``blocks``: rows are starts, columns are slow-downs. A grid without sorting gives lower bounds on
all blocks. All blocks that may have the least value are in a rectangle. Entries that start after its last row, or are
slower than its last column, count in no cell of the rectangle, and are dropped. Entries before the first row count in
all its rows, as if they were in the first row. The same holds for columns. So all entries at or before both the first
row and the first column become one entry. The result is a smaller matrix with the same values in the rectangle. This is
repeated while the matrix gets much smaller.

Example: slots (start, slow-down) are (0, 1), (2, 3), (5, 2) and (9, 9). The least value is in rows 2 to 5 and columns 2
to 3. Then (9, 9) is dropped and (0, 1) counts as (2, 2); the others stay.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray, Scalar, Vector
from coschedule.problems.atallah.bounding.blocks import BlockBounds
from coschedule.problems.atallah.bounding.grids import Points, cells
from coschedule.problems.atallah.bounding.strips import strips_of

FEW = 400
"""Up to this number of entries, narrowing costs more than sorting."""

_LEAST_SIDE, _USUAL_SIDE, _MOST_SIDE = 24, 96, 192
"""The least, usual and largest number of rows and columns of a grid; more than usual only with very many entries."""

MUCH = 0.7
"""Narrowing is repeated if at most this part of the entries remains."""


class Entries(NamedTuple):
    """Entry ``e`` is ``slots[e]`` slots that open at ``start[e]`` and have the slow-down ``slowdown[e]``."""

    start: Vector
    slowdown: Vector
    slots: IntArray

    def where(self, kept: IntArray) -> "Entries":
        """Keep some entries, by position."""
        return Entries(self.start[kept], self.slowdown[kept], self.slots[kept])


class Borders(NamedTuple):
    """The starts of row ``r`` are from ``soonest[r]`` to ``latest[r]``; likewise for columns."""

    soonest: FloatArray
    latest: FloatArray
    fastest: FloatArray
    slowest: FloatArray

    @property
    def apart(self) -> bool:
        """Whether a row or a column may contain several values."""
        return self.soonest is not self.latest or self.fastest is not self.slowest


def borders_of(starts: Vector, slowdowns: Vector) -> Borders:
    """Return borders with a row for each start and a column for each slow-down."""
    rows, columns = starts.astype(np.float64, copy=False), slowdowns.astype(np.float64, copy=False)
    return Borders(rows, rows, columns, columns)


BoundsOf = Callable[[Borders], BlockBounds]
"""Bounds on blocks whose rows and columns have these borders."""


def narrowed(entries: Entries, bounds_of: BoundsOf) -> tuple[Entries, float]:
    """Return the entries of the narrowed matrix, and the least value that was reached."""
    reached = math.inf
    while len(entries.start) > FEW:
        narrower, reached = _narrowed_once(entries, bounds_of, reached)
        much = len(narrower.start) < MUCH * len(entries.start)
        entries = narrower
        if not much:
            break
    return entries, reached


def _narrowed_once(entries: Entries, bounds_of: BoundsOf, reached: float) -> tuple[Entries, float]:
    side = side_for(len(entries.start))
    rows = strips_of(entries.start.astype(np.float64, copy=False), side)
    columns = strips_of(entries.slowdown.astype(np.float64, copy=False), side)
    blocks = cells(Points(rows.of, columns.of, (entries.slots,)), len(rows.lowest), len(columns.lowest))
    bounds = bounds_of(Borders(rows.lowest, rows.highest, columns.lowest, columns.highest))
    (least,), values = bounds.around(blocks)
    reached = min(reached, float(values.min()))
    promising = (least <= bounds.limit(reached)) & (least < math.inf)
    if not promising.any():
        return entries.where(np.empty(0, dtype=np.int64)), reached
    (first_row, last_row), (first_column, last_column) = ends(promising, axis=0), ends(promising, axis=1)
    before = int(blocks.before[0][0, first_row, first_column])
    row, column = rows.of, columns.of
    near = (row >= first_row) | (column >= first_column)
    near &= row <= last_row
    near &= column <= last_column
    kept = near.nonzero()[0]
    kept_rows, kept_columns, entries = row[kept] >= first_row, column[kept] >= first_column, entries.where(kept)
    if not (kept_rows.any() and kept_columns.any()):
        return entries.where(kept[:0]), reached
    return _as_one(entries, entries.start[kept_rows].min(), entries.slowdown[kept_columns].min(), before), reached


def _as_one(entries: Entries, start: Scalar, slowdown: Scalar, before: int) -> Entries:
    """Move earlier entries to ``start`` and faster ones to ``slowdown``; merge all entries that then have both.

    The merged entry also has the slots ``before`` the first row and column.
    """
    apart = (entries.start > start) | (entries.slowdown > slowdown)
    together = before + int(entries.slots[~apart].sum())
    entries = entries.where(apart.nonzero()[0])
    return Entries(
        np.concatenate((np.maximum(entries.start, start), (start,))),
        np.concatenate((np.maximum(entries.slowdown, slowdown), (slowdown,))),
        np.concatenate((entries.slots, (together,))),
    )


def side_for(entries: int) -> int:
    """Return the best number of rows and columns of a grid for this number of entries."""
    root = entries**0.5
    return int(max(_LEAST_SIDE, min(_USUAL_SIDE, 3 * root), min(_MOST_SIDE, root / 2)))


def ends(promising: BoolArray, *, axis: int) -> tuple[int, int]:
    """Return the first and the last row (axis 0), or column (axis 1), with a promising block."""
    where = np.flatnonzero(promising.any(axis=1 - axis))
    return int(where[0]), int(where[-1])
