"""Slots for members: when they open, and how good they are.

A node that holds several members has several entries, one for each distinct slow-down. Slots with the smallest
slow-downs are always used first, so any choice of P slots is a choice of P members.
"""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray, Vector
from coschedule.problems.atallah.node_columns import NodeColumns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slots:
    """Entry ``e`` is ``count[e]`` equal slots on node ``node[e]``, open from ``start[e]`` to ``until[e]``.

    ``level[e]`` is their slow-down or their speed. ``node`` rises.
    """

    start: Vector
    level: Vector
    count: IntArray
    node: IntArray
    until: Vector

    @property
    def total(self) -> int:
        """The number of members that all nodes together hold."""
        return int(self.count.sum())

    def where(self, kept: BoolArray) -> "Slots":
        """Keep the entries for which ``kept``, bool[e], is True."""
        return Slots(
            start=self.start[kept],
            level=self.level[kept],
            count=self.count[kept],
            node=self.node[kept],
            until=self.until[kept],
        )


def lay_out(columns: NodeColumns, level: Vector, *, most_on_a_node: int) -> Slots:
    """Turn the steps of nodes, each with its level, into slots, at most ``most_on_a_node`` for each entry."""
    one_each = len(columns.node) == len(columns.start)
    return Slots(
        start=columns.start if one_each else columns.start[columns.node],
        level=level,
        count=np.minimum(columns.count, most_on_a_node),
        node=columns.node,
        until=columns.until if one_each else columns.until[columns.node],
    )


def ranked(values: Vector) -> tuple[Vector, IntArray]:
    """Return the distinct values, rising, and the position of each value among them; one sort."""
    order = np.argsort(values)
    rising = values[order]
    first = np.ones(len(rising), dtype=np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=first[1:], casting="unsafe")
    rank = np.empty(len(rising), dtype=np.int64)
    rank[order] = np.cumsum(first) - 1
    return rising[first], rank


def lowest_nodes(slots: Slots, eligible: BoolArray, size: int) -> tuple[IntArray, IntArray]:
    """Take ``size`` of the eligible slots, the lowest indices first: return the nodes, and the slots of each.

    Nodes rise, and repeat where several entries are used.
    """
    entries = eligible.nonzero()[0]
    count = slots.count[entries]
    after = count.cumsum()
    last = int(after.searchsorted(size))
    given = count[: last + 1]
    given[last:] -= after[last] - size
    return slots.node[entries[: last + 1]], given
