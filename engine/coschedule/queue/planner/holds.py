"""The node hold of a gang that fits only once others have ended at an unknown time.

Only gangs of one role hold nodes, and their terms may at most demand one member a node. With other terms, the later
slots of each node are not known.

Problem: the slots that are free from a known time on do not suffice. Each node has ``most`` slots once everything that
is meant to end has ended; ``missing`` of them wait for unknown ends. Choose nodes that take no other gangs, so that
this gang then fits.

Objective: the fewest nodes whose ``most`` add up to the members needed. If there are several such sets, compare their
nodes one by one, and take the first set. The order of nodes: fewest missing slots, then the earliest time at which
everything with a known end has ended, then rank. Nodes that are almost free keep idle slots from other gangs for the
shortest time. Where ends are memoryless, these nodes also keep the fewest slots from other gangs on average.

Method: let k be the fewest nodes that can be enough. Visit the nodes in that order, and take each node with which the
set can still be completed. To check a node, add it to the set. Then fill the set up to k nodes with the largest nodes
that are not visited yet. Their slots must be enough. A node that is rejected would also be rejected later, when the set
has more nodes. So this finds the first set, in O(n log n).
"""

import heapq
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.choosing.demand import Demand
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT
from coschedule.queue.slots.segments import is_last
from coschedule.queue.slots.timeline import Timeline


class Held(NamedTuple):
    """Nodes by rank, rising. From ``start`` on they take no members of other gangs."""

    ranks: IntArray
    start: float


class InTheEnd(NamedTuple):
    """The slots of each node, by rank, when everything that is meant to end has ended.

    ``missing`` of the ``most`` slots of a node wait for ends at unknown times; its other slots are free from ``ready``
    on.
    """

    most: IntArray
    missing: IntArray
    ready: FloatArray


def nodes_to_hold(timeline: Timeline, demand: Demand, of_unknown_end: IntArray) -> Held | None:
    """Choose the nodes to hold; None when not even all nodes would be enough.

    Node n of the snapshot gets ``of_unknown_end[n, r]`` of resource r back at an unknown time. The gang keeps the nodes
    that it holds already as long as they are enough.
    """
    in_the_end = _in_the_end(timeline, demand, of_unknown_end)
    ranks = _kept(timeline, demand, in_the_end)
    if ranks is None:
        ranks = _first_set(in_the_end, demand.needed)
    return None if ranks is None else Held(ranks, float(in_the_end.ready[ranks].max()))


def _in_the_end(timeline: Timeline, demand: Demand, of_unknown_end: IntArray) -> InTheEnd:
    spans = timeline.spans.take(np.flatnonzero(is_last(timeline.spans.owner)))
    free = spans.free[timeline.class_of]
    coming = of_unknown_end[timeline.node]
    # A node that closes again, or limits how long members stay, may be useless once the others have ended.
    fits = spans.open[timeline.class_of] & demand.for_ever[timeline.node]
    most = np.where(fits, _slots(demand, np.minimum(free, AMOUNT_LIMIT - coming) + coming), 0)
    there = np.where(fits, _slots(demand, free), 0)
    ready = np.maximum(spans.begin[timeline.class_of], max(timeline.now, demand.gang.not_before))
    return InTheEnd(most, most - there, ready)


def _slots(demand: Demand, free: IntArray) -> IntArray:
    slots = np.full(len(free), demand.per_node, dtype=np.int64)
    for resource in np.flatnonzero(demand.request):
        np.minimum(slots, free[:, resource] // demand.request[resource], out=slots)
    return np.maximum(slots, 0, out=slots)


def _kept(timeline: Timeline, demand: Demand, in_the_end: InTheEnd) -> IntArray | None:
    """Return the nodes that the gang already holds, if each still has slots and together they are enough."""
    held = demand.gang.held
    if not held:
        return None
    rank_of = np.argsort(timeline.node)
    if max(held) >= len(rank_of):
        return None
    ranks = np.sort(rank_of[list(held)])
    most = in_the_end.most[ranks]
    return ranks if most.all() and most.sum() >= demand.needed else None


def _first_set(in_the_end: InTheEnd, needed: int) -> IntArray | None:
    largest_first = np.argsort(-in_the_end.most, kind="stable")
    sums = np.cumsum(in_the_end.most[largest_first])
    if not sums.size or sums[-1] < needed:
        return None
    left = int(np.searchsorted(sums, needed)) + 1
    rest = _Rest(in_the_end.most.tolist(), largest_first[:left].tolist())
    chosen: list[int] = []
    for rank in np.lexsort((in_the_end.ready, in_the_end.missing)).tolist():
        if rest.can_be_completed_with(rank, needed):
            rest.take(rank)
            chosen.append(rank)
            needed -= rest.most[rank]
            if len(chosen) == left:
                break
    return np.sort(np.array(chosen, dtype=np.int64))


class _Rest:
    """The largest of the nodes not visited yet: as many as are still to be chosen, with the sum of their slots.

    If one of these nodes is chosen, it is removed. If another node is chosen, the smallest of these nodes is removed.
    """

    def __init__(self, most: list[int], largest: list[int]) -> None:
        self.most = most
        self._largest = set(largest)
        self._by_size = [(most[rank], rank) for rank in largest]
        self._sum = sum(most[rank] for rank in largest)
        heapq.heapify(self._by_size)

    def can_be_completed_with(self, rank: int, needed: int) -> bool:
        """Return whether ``needed`` slots are still possible with this node; a node without slots is never taken."""
        if not self.most[rank]:
            return False
        return rank in self._largest or self._sum - self._smallest()[0] + self.most[rank] >= needed

    def take(self, rank: int) -> None:
        """Choose a node."""
        gone = rank if rank in self._largest else self._smallest()[1]
        self._largest.remove(gone)
        self._sum -= self.most[gone]

    def _smallest(self) -> tuple[int, int]:
        while self._by_size[0][1] not in self._largest:
            heapq.heappop(self._by_size)
        return self._by_size[0]
