"""Narrowing a large matrix of values to the part around its least value, in time linear in its entries.

The matrix is that of ``blocks``; its rows are starts, its columns slow-downs. A grid laid over it without sorting
bounds every block from below, and all blocks that may hold the least value lie in a rectangle. What lies beyond its
last start or its last slow-down counts in none of its cells. What lies before its first start, or its first slow-down,
counts in all, just as if it were there. So all that is at or before both becomes one entry, and what is left is a
smaller matrix with the same values in the rectangle; and so on, while it gets much smaller.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray, Scalar, Vector
from coschedule.problems.atallah.bounding.blocks import Bounds
from coschedule.problems.atallah.bounding.grids import Points, cells
from coschedule.problems.atallah.bounding.strips import strips_of

FEW = 400
"""So few entries are sorted at once."""

_LEAST_SIDE, _USUAL_SIDE, _MOST_SIDE = 24, 96, 192
"""A grid has between so many rows and columns; more than usual only pay with very many entries."""

MUCH = 0.7
"""A narrower matrix pays when it has at most this part of the entries."""


class Entries(NamedTuple):
    """Entry ``e`` is ``slots[e]`` slots that open at ``start[e]`` and run at ``slowdown[e]``."""

    start: Vector
    slowdown: Vector
    slots: IntArray

    def where(self, kept: IntArray) -> "Entries":
        """Keep some entries, named by position."""
        return Entries(self.start[kept], self.slowdown[kept], self.slots[kept])


class Borders(NamedTuple):
    """The values of row ``r`` lie between ``soonest[r]`` and ``latest[r]``; likewise for columns."""

    soonest: FloatArray
    latest: FloatArray
    fastest: FloatArray
    slowest: FloatArray

    @property
    def apart(self) -> bool:
        """Whether a row or a column may have several values."""
        return self.soonest is not self.latest or self.fastest is not self.slowest


def borders_of(starts: Vector, slowdowns: Vector) -> Borders:
    """Let every start and every slow-down have a row or column of its own."""
    rows, columns = starts.astype(np.float64, copy=False), slowdowns.astype(np.float64, copy=False)
    return Borders(rows, rows, columns, columns)


BoundsOf = Callable[[Borders], Bounds]
"""Bounds on blocks whose rows and columns have these borders."""


def narrowed(entries: Entries, bounds_of: BoundsOf) -> tuple[Entries, float]:
    """Keep what tells the cells that may hold the least value apart; return the least value that was reached, too."""
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
    hopeful = (least <= bounds.limit(reached)) & (least < math.inf)
    if not hopeful.any():
        return entries.where(np.empty(0, dtype=np.int64)), reached
    (first_row, last_row), (first_column, last_column) = ends(hopeful, axis=0), ends(hopeful, axis=1)
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
    """Let nothing be before the first start and slow-down, and make one entry of all that is at both."""
    apart = (entries.start > start) | (entries.slowdown > slowdown)
    together = before + int(entries.slots[~apart].sum())
    entries = entries.where(apart.nonzero()[0])
    return Entries(
        np.concatenate((np.maximum(entries.start, start), (start,))),
        np.concatenate((np.maximum(entries.slowdown, slowdown), (slowdown,))),
        np.concatenate((entries.slots, (together,))),
    )


def side_for(entries: int) -> int:
    """Say how many rows and columns a grid should have for so many entries."""
    root = entries**0.5
    return int(max(_LEAST_SIDE, min(_USUAL_SIDE, 3 * root), min(_MOST_SIDE, root / 2)))


def ends(hopeful: BoolArray, *, axis: int) -> tuple[int, int]:
    """Find the first and the last row, or column, that has one."""
    where = np.flatnonzero(hopeful.any(axis=1 - axis))
    return int(where[0]), int(where[-1])
