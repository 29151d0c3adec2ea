"""The nodes of a chosen gang: the members of each, the node that starts last, and the slowest node."""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import IntArray, Vector
from coschedule.problems.atallah.node_columns import NodeColumns


class HeldNodes(NamedTuple):
    """The nodes that have members: node ``node[i]``, rising, holds ``held[i]`` members.

    Each of these members has the slow-down ``slowdown[i]``. Node ``latest`` starts last and node ``slowest`` has the
    largest slow-down. Among equal nodes, the lowest index is given.
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
    """Describe a gang with ``held[h]`` members on node ``node[h]``; the gang has at least one member.

    Nodes rise and may repeat; a repeated node holds the sum. A node never has more members than slots.
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
    """Return the slow-down of the last member of each node with members."""
    wanted = np.zeros(len(columns.start), dtype=np.int64)
    wanted[: len(taken)] = taken
    after = np.cumsum(columns.count)
    before = after - columns.count
    first = np.searchsorted(columns.node, np.arange(len(columns.start)))
    last = before[first] + wanted
    of_step = last[columns.node]
    used: Vector = columns.slowdown[(before < of_step) & (of_step <= after) & (wanted[columns.node] > 0)]
    return used
