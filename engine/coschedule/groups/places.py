"""Places for members, on two axes: when they open, and how good they are.

A node that holds several members becomes several entries, one a distinct slow-down: the places with the smallest
slow-downs are always used first, so any choice of P places is a choice of P members.
"""

from dataclasses import dataclass

import numpy as np

from coschedule.columns import NodeColumns
from coschedule.numbers import BoolArray, FloatArray, IntArray, Vector


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Places:
    """Entry ``e`` is ``count[e]`` equal places on node ``node[e]``, which is taken back at ``until[e]``.

    ``starts[row[e]]`` is when they open and ``levels[column[e]]`` how good they are; both axes hold every value once,
    the earliest and the best first. A level is a slow-down (rising), or a speed (falling).
    """

    starts: Vector
    levels: Vector
    row: IntArray
    column: IntArray
    count: IntArray
    node: IntArray
    until: Vector

    @property
    def total(self) -> int:
        """How many members all nodes together hold."""
        return int(self.count.sum())

    def where(self, kept: BoolArray) -> "Places":
        """Keep the entries that ``kept``, bool[e], says; the axes stay."""
        return Places(
            starts=self.starts,
            levels=self.levels,
            row=self.row[kept],
            column=self.column[kept],
            count=self.count[kept],
            node=self.node[kept],
            until=self.until[kept],
        )

    def up_to(self, row: int, column: int) -> BoolArray:
        """Tell which places lie in rows and columns up to these."""
        return (self.row <= row) & (self.column <= column)

    def float_axes(self) -> tuple[FloatArray, FloatArray]:
        """Round starts and levels to the nearest float64."""
        return self.starts.astype(np.float64, copy=False), self.levels.astype(np.float64, copy=False)


def lay_out(columns: NodeColumns, *, most_on_a_node: int) -> Places:
    """Turn nodes into places whose level is their slow-down, at most ``most_on_a_node`` an entry."""
    starts, row = ranked(columns.start)
    levels, column = ranked(columns.slowdown)
    return Places(
        starts=starts,
        levels=levels,
        row=row[columns.node],
        column=column,
        count=np.minimum(columns.count, most_on_a_node),
        node=columns.node,
        until=columns.until[columns.node],
    )


def ranked(values: Vector) -> tuple[Vector, IntArray]:
    """List every value once, rising, and the place of each value in that list; one sort."""
    order = np.argsort(values)
    rising = values[order]
    first = np.ones(len(rising), dtype=np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=first[1:], casting="unsafe")
    rank = np.empty(len(rising), dtype=np.int64)
    rank[order] = np.cumsum(first) - 1
    return rising[first], rank


def lowest_nodes(places: Places, eligible: BoolArray, size: int) -> IntArray:
    """Count how many places each node gives if, for ``size`` of the eligible ones, the lowest indices give all."""
    entries = np.flatnonzero(eligible)
    offered = np.bincount(places.node[entries], weights=places.count[entries]).astype(np.int64)
    return np.diff(np.minimum(np.cumsum(offered), size), prepend=0)
