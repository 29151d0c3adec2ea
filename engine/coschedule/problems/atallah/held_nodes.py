"""The nodes of a chosen gang: how many members each of them holds, which starts last and which is slowest."""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import IntArray, Vector
from coschedule.problems.atallah.node_columns import NodeColumns


class HeldNodes(NamedTuple):
    """Axis: node ``i`` that holds members, indices rising: ``held[i]`` of them on node ``node[i]``.

    Every member there runs at ``slowdown[i]``. Node ``latest`` starts last and node ``slowest`` has the largest
    slow-down; of several the one with the lowest index.
    """

    node: IntArray
    held: IntArray
    slowdown: Vector
    latest: int
    slowest: int

    @property
    def names(self) -> tuple[int, ...]:
        """Node indices, rising, one per member."""
        return tuple(self.each(self.node).tolist())

    def each(self, of_node: Vector) -> Vector:
        """Repeat each node's value once per member there."""
        return np.repeat(of_node, self.held) if self.held.max() > 1 else of_node


def held_nodes_of(columns: NodeColumns, node: IntArray, held: IntArray) -> HeldNodes:
    """Describe a gang that has ``held[h]`` members, never more than its slots, on node ``node[h]``; one at least.

    Nodes rise; those that are repeated hold all members together.
    """
    if len(columns.node) == len(columns.start):
        slowdown = columns.slowdown[node]
    else:
        taken = np.bincount(node, weights=held).astype(np.int64)
        node = taken.nonzero()[0]
        held, slowdown = taken[node], _slowdowns(columns, taken)
    return HeldNodes(
        node=node,
        held=held,
        slowdown=slowdown,
        latest=int(node[columns.start[node].argmax()]),
        slowest=int(node[slowdown.argmax()]),
    )


def _slowdowns(columns: NodeColumns, taken: IntArray) -> Vector:
    """Find the slow-down of the last member of every node that has members."""
    wanted = np.zeros(len(columns.start), dtype=np.int64)
    wanted[: len(taken)] = taken
    after = np.cumsum(columns.count)
    before = after - columns.count
    first = np.searchsorted(columns.node, np.arange(len(columns.start)))
    last = before[first] + wanted
    of_step = last[columns.node]
    used: Vector = columns.slowdown[(before < of_step) & (of_step <= after) & (wanted[columns.node] > 0)]
    return used
