"""Places for members: what nodes offer, as columns.

A node that holds several members becomes several entries, one a distinct slow-down: the places with the smallest
slow-downs are always used first, so any choice of P places is a choice of P members.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coschedule.nodes import Node
from coschedule.numbers import BoolArray, IntArray, Vector


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Places:
    """Entry ``e`` is ``count[e]`` equal places on node ``node[e]``; entries are sorted by slow-down, then node.

    All columns have one length. ``start_rank[e]`` is the position of the node's start in ``starts``, which holds every
    start once, rising.
    """

    node: IntArray
    slowdown: Vector
    until: Vector
    count: IntArray
    start_rank: IntArray
    starts: Vector

    @property
    def total(self) -> int:
        """How many members all nodes together hold."""
        return int(self.count.sum())


def lay_out(nodes: Sequence[Node], *, most_on_a_node: int, exact: bool) -> Places:
    """Turn nodes into places, at most ``most_on_a_node`` a node, numbers as objects if exact, else as float64."""
    dtype = object if exact else np.float64
    steps = [
        (index, slowdown, min(count, most_on_a_node))
        for index, node in enumerate(nodes)
        for slowdown, count in node.slowdown_steps()
    ]
    node = np.array([index for index, _, _ in steps], dtype=np.int64)
    slowdown = np.array([slowdown for _, slowdown, _ in steps], dtype=dtype)
    count = np.array([count for _, _, count in steps], dtype=np.int64)
    order = np.argsort(slowdown, kind="stable")
    starts, rank = np.unique(np.array([node.start for node in nodes], dtype=dtype), return_inverse=True)
    until = np.array([node.until for node in nodes], dtype=dtype)
    by_entry = node[order]
    return Places(
        node=by_entry,
        slowdown=slowdown[order],
        until=until[by_entry],
        count=count[order],
        start_rank=rank[by_entry],
        starts=starts,
    )


def lowest_members(places: Places, eligible: BoolArray, size: int) -> tuple[int, ...]:
    """Take ``size`` of the eligible places on the nodes with the lowest indices; a node is named once a member."""
    entries = np.flatnonzero(eligible)
    offered = np.bincount(places.node[entries], weights=places.count[entries]).astype(np.int64)
    taken = np.diff(np.minimum(np.cumsum(offered), size), prepend=0)
    return tuple(int(node) for node in np.repeat(np.arange(len(taken)), taken))
