"""Tables of the numbers of members of several roles that a part of the cluster can hold.

A table has a cell for each combination of counts of the *counted* roles, from none to all that are needed. The value of
a cell is the largest number of members of the one *maximised* role that fit in addition. Without a maximised role, the
value may be the largest worth of the members of some roles. The value is -inf if the combination does not fit. If nodes
can hold some number of members of a role, all smaller numbers count as possible too, unless the role is ``exact``.

Example: 1 launcher is counted, and up to 4 workers are maximised. Each takes one CPU, and a node has 3. Its table is
[3, 2]: 3 workers without the launcher, 2 with it. Two such nodes have [4, 4], as no more than 4 workers are needed.
"""

import math
from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray

_MOST_TABLES, _MOST_CELLS_AT_ONCE = 64, 2**14
"""The most tables that are computed together, and about the most cells of all these tables."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """Cell ``a`` stands for ``counts[a, r]`` members of each role, always 0 of role ``maximised``, if there is one.

    The gang has ``needed[r]`` members. Values above ``enough`` count as ``enough``. There are ``shape[r]`` cells along
    each role.
    """

    needed: IntArray
    exact: BoolArray
    maximised: int | None
    enough: float
    counts: IntArray
    strides: IntArray
    shape: tuple[int, ...]

    @property
    def nothing(self) -> FloatArray:
        """The table of no nodes."""
        table = np.full(len(self.counts), -np.inf)
        table[0] = 0.0
        return table

    def cell(self, counts: IntArray) -> int:
        """Find the cell of these counts."""
        return int(counts @ self.strides)

    def source(self, cell: int, given: IntArray) -> int:
        """Subtract ``given[r]`` from the counts of ``cell``, down to 0; return the cell of the counts that remain."""
        return self.cell(np.maximum(self.counts[cell] - given, 0))


def layout_of(needed: IntArray, *, exact: BoolArray, maximised: int | None, enough: float = math.inf) -> Layout:
    """Return the layout of tables for a gang of ``needed[r]`` members of each role."""
    lengths = needed + 1
    if maximised is not None:
        lengths[maximised], enough = 1, float(needed[maximised])
    shape = tuple(lengths.tolist())
    counts = np.indices(shape).reshape(len(needed), -1).T
    strides = np.append(np.cumprod(lengths[:0:-1])[::-1], 1)
    return Layout(
        needed=needed, exact=exact, maximised=maximised, enough=enough, counts=counts, strides=strides, shape=shape
    )


def cells_of(needed: IntArray, maximised: int | None) -> int:
    """Return the number of cells of the tables of ``layout_of`` for these members."""
    return math.prod(int(count) + 1 for role, count in enumerate(needed) if role != maximised)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Options:
    """The options of a part of the cluster: option ``o`` has ``given[o, r]`` members of each role, and ``value[o]``.

    The first option holds no member. Another option is left out if there is a better one. The better one has no fewer
    members of each role, as many members of exact roles, and no lower value. For ``add``: ``most[r]`` is the maximum of
    ``given``, ``fewer[o][r]`` is ``most[r] - given[o, r]``, and ``values`` is ``value`` as a list.
    """

    given: IntArray
    value: FloatArray
    most: list[int]
    fewer: list[list[int]]
    values: list[float]


def most_at_once(layout: Layout) -> int:
    """Return the number of parts whose options are computed together, so that their tables stay small."""
    return max(1, min(_MOST_TABLES, _MOST_CELLS_AT_ONCE // len(layout.counts)))


def options_of(layout: Layout, table: FloatArray) -> Options:
    """List the options of a part of the cluster with this table."""
    return options_of_all(layout, table[np.newaxis])[0]


def options_of_all(layout: Layout, tables: FloatArray) -> list[Options]:
    """List the options of several parts of the cluster, part p with ``tables[p]``."""
    kept = (tables > -np.inf) & (tables > _best_beyond(layout, tables)) & ((tables > 0) | layout.counts.any(axis=1))
    # The first option of each part holds no member.
    part, option = np.nonzero(np.concatenate([np.ones((len(tables), 1), dtype=np.bool_), kept], axis=1))
    begins = np.searchsorted(part, np.arange(len(tables)))
    given = np.concatenate([np.zeros((1, layout.counts.shape[1]), dtype=np.int64), layout.counts])[option]
    value = np.where(option > 0, tables[part, option - 1], 0.0)
    most = np.maximum.reduceat(given, begins, axis=0)
    columns = given, value, most[part] - given
    return [
        Options(given=given, value=value, most=most, fewer=fewer.tolist(), values=value.tolist())
        for given, value, fewer, most in zip(
            *(np.split(column, begins[1:]) for column in columns), most.tolist(), strict=True
        )
    ]


def _best_beyond(layout: Layout, tables: FloatArray) -> FloatArray:
    """Return for each cell the best value of the cells that have more members of roles that are not ``exact``."""
    best = tables.reshape(len(tables), *layout.shape)
    beyond = np.full(best.shape, -np.inf)
    for axis in (1 + np.flatnonzero(~layout.exact)).tolist():
        if best.shape[axis] == 1:
            continue
        # From here on, ``best`` has for each cell the best value of the cells that have at least as many members of the
        # roles up to this one.
        best = np.flip(np.maximum.accumulate(np.flip(best, axis), axis=axis), axis)
        ahead: list[slice] = [slice(None)] * best.ndim
        here = list(ahead)
        here[axis], ahead[axis] = slice(None, -1), slice(1, None)
        np.maximum(beyond[tuple(here)], best[tuple(ahead)], out=beyond[tuple(here)])
    return beyond.reshape(tables.shape)


def add(layout: Layout, table: FloatArray, options: Options) -> tuple[FloatArray, IntArray]:
    """Return the table with another part of the cluster, and for each cell the option that this part then takes."""
    padded = _padded(layout, table, options.most)
    best, taken = table.reshape(layout.shape).copy(), np.zeros(layout.shape, dtype=np.int64)
    for option in range(1, len(options.values)):
        # For each cell, ``less`` has the value of the cell without the members that the option holds.
        first = options.fewer[option]
        less = padded[tuple([slice(at, at + length) for at, length in zip(first, layout.shape, strict=True)])]
        sums = np.minimum(less + options.values[option], layout.enough)
        better = sums > best
        np.copyto(best, sums, where=better)
        taken[better] = option
    return best.reshape(-1), taken.reshape(-1)


def _padded(layout: Layout, table: FloatArray, padding: list[int]) -> FloatArray:
    """Prepend cells for negative counts: copies of the cells for the count 0, or -inf for exact roles."""
    padded = table.reshape(layout.shape)
    for axis, cells in enumerate(padding):
        if cells:
            before = padded.take([0], axis=axis).repeat(cells, axis=axis)
            if layout.exact[axis]:
                before[:] = -np.inf
            padded = np.concatenate([before, padded], axis=axis)
    return padded
