"""What a choice says about nodes, once it is known how many members each of them holds."""

from typing import NamedTuple

import numpy as np

from coschedule.columns import NodeColumns
from coschedule.numbers import IntArray, Vector


class Members(NamedTuple):
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
        """Node indices, rising, one a member."""
        return tuple(np.repeat(self.node, self.held).tolist())


def members_of(columns: NodeColumns, taken: IntArray) -> Members:
    """Describe a group that has ``taken[i]`` members, never more than its places, on node ``i``; one at least."""
    node = np.flatnonzero(taken)
    slowdown = _slowdowns(columns, taken)
    return Members(
        node=node,
        held=taken[node],
        slowdown=slowdown,
        latest=int(node[np.argmax(columns.start[node])]),
        slowest=int(node[np.argmax(slowdown)]),
    )


def _slowdowns(columns: NodeColumns, taken: IntArray) -> Vector:
    """Find the slow-down of the last member of every node that has members."""
    if len(columns.node) == len(columns.start):
        alone: Vector = columns.slowdown[np.flatnonzero(taken)]
        return alone
    wanted = np.zeros(len(columns.start), dtype=np.int64)
    wanted[: len(taken)] = taken
    after = np.cumsum(columns.count)
    before = after - columns.count
    first = np.searchsorted(columns.node, np.arange(len(columns.start)))
    last = before[first] + wanted
    of_step = last[columns.node]
    used: Vector = columns.slowdown[(before < of_step) & (of_step <= after) & (wanted[columns.node] > 0)]
    return used
