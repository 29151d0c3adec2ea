"""Narrowing a matrix of starts and speeds to the part around its least value, in time linear in its entries.

As in ``narrow``, but sums of speeds matter too, and so does which places are the slowest of a gang. Places faster than
the first column of the rectangle are therefore kept apart, as places ahead of all columns: they join whenever they have
started, and no gang of interest ends with one of them. Those that have started by the first row become one entry.
"""

import math
from typing import NamedTuple

import numpy as np

from coschedule.groups.bounding.grids import Points, cells
from coschedule.groups.bounding.narrow import FEW, MUCH, Borders, BoundsOf, ends, side_for
from coschedule.groups.bounding.strips import Strips, strips_of
from coschedule.groups.places import Places
from coschedule.numbers import BoolArray, FloatArray, IntArray, Scalar, Vector

SLACK = 1e-12
"""Of a quotient, which is rounded."""


class Field(NamedTuple):
    """Entry ``e`` is ``places[e]`` places of ``total[e]`` speed together that open at ``start[e]``.

    The first ones have a column; they are entry ``entry[e]`` of the places searched. The rest is ahead of all.
    """

    start: Vector
    places: IntArray
    total: FloatArray
    entry: IntArray

    @property
    def ahead(self) -> int:
        """How many entries are ahead of all columns."""
        return len(self.start) - len(self.entry)


def narrowed_field(places: Places, bounds_of: BoundsOf) -> tuple[Field, float]:
    """Keep what tells the cells that may hold the least value apart; return the least value that was reached, too."""
    speed = places.level.astype(np.float64, copy=False)
    field = Field(places.start, places.count, places.count * speed, np.arange(len(speed)))
    reached = math.inf
    while len(field.entry) > FEW:
        narrower, reached = _narrowed_once(field, 1 / speed[field.entry], bounds_of, reached)
        much = len(narrower.start) < MUCH * len(field.start)
        field = narrower
        if not much:
            break
    return field, reached


def columns_of_field(field: Field, rank: IntArray) -> IntArray:
    """Place entries: ``rank[e]`` counts the columns from 0 on, and column 0 lies ahead of all."""
    return np.concatenate((rank + 1, np.zeros(field.ahead, dtype=np.int64)))


def _narrowed_once(field: Field, slowness: FloatArray, bounds_of: BoundsOf, reached: float) -> tuple[Field, float]:
    side = side_for(len(field.start))
    rows, columns = strips_of(field.start.astype(np.float64, copy=False), side), strips_of(slowness, side)
    column = columns_of_field(field, columns.of)
    points = Points(rows.of, column, (field.places, field.total))
    blocks = cells(points, len(rows.lowest), len(columns.lowest) + 1, first_column=1)
    bounds = bounds_of(Borders(rows.lowest, rows.highest, *_speeds(columns)))
    (least,), values = bounds.around(blocks)
    reached = min(reached, float(values.min()))
    hopeful = (least <= bounds.limit(reached)) & (least < math.inf)
    if not hopeful.any():
        return Field(field.start[:0], field.places[:0], field.total[:0], field.entry[:0]), reached
    (first_row, last_row), (first_column, last_column) = ends(hopeful.any(axis=1)), ends(hopeful.any(axis=0))
    counts = (rows.of <= last_row) & (column <= last_column + 1)
    first = field.start[(counts & (rows.of >= first_row)).nonzero()[0]].min()
    return _within(field, first, counts & (column <= first_column), counts & (column > first_column)), reached


def _within(field: Field, first: Scalar, ahead: BoolArray, kept: BoolArray) -> Field:
    """Keep some entries with a column; let nothing start before ``first``, and what is ahead by then be one entry."""
    started = field.start <= first
    together, columns = (ahead & started).nonzero()[0], kept.nonzero()[0]
    entries = np.concatenate((columns, (ahead & ~started).nonzero()[0]))
    return Field(
        np.concatenate((np.maximum(field.start[entries], first), (first,))),
        np.concatenate((field.places[entries], (field.places[together].sum(),))),
        np.concatenate((field.total[entries], (field.total[together].sum(),))),
        field.entry[columns],
    )


def _speeds(columns: Strips) -> tuple[FloatArray, FloatArray]:
    """Bound the speeds of each column, after column 0."""
    fastest, slowest = (np.concatenate(((math.inf,), 1 / slowness)) for slowness in (columns.lowest, columns.highest))
    return fastest * (1 + SLACK), slowest * (1 - SLACK)
