"""Nodes held for a gang that fits only when others have ended, nobody knows when.

Problem: places that are free for good, or will be from a known time on, do not suffice. On every node there are
``most`` places once everything has ended that is meant to end at all, of which ``missing`` wait for ends that nobody
knows. Choose the nodes on which nobody else is put any more, so that the gang fits in the end.

Objective: the fewest nodes whose ``most`` add up to the members needed. Of such sets the first when their nodes are
compared one by one, in this order of nodes: fewest missing places, then the earliest time from which everything with a
known end has ended, then by rank. What is nearest to being free keeps idle places from the others for the shortest
time; where ends are without memory, it also keeps the fewest from them on average.

Method: nodes are looked at in that order, and each is taken with which the set can still be completed. It can if the
largest of the other nodes, as many as are still to be chosen, add up to the rest. A node that is turned down completes
no larger set either, so this finds the first set.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.demand import Wish
from coschedule.queue.slots.segments import is_last
from coschedule.queue.slots.timeline import Timeline
from coschedule.queue.snapshot import AMOUNT_LIMIT


class Held(NamedTuple):
    """Nodes by rank, rising, and the instant from which nobody else is put there."""

    ranks: IntArray
    start: float


class Waiting(NamedTuple):
    """Of every rank: places in the end, how many of them wait for unknown ends, and since when the others are there."""

    most: IntArray
    missing: IntArray
    ready: FloatArray


def nodes_to_hold(timeline: Timeline, wish: Wish, someday: IntArray) -> Held | None:
    """Choose the nodes to hold; None where not even all nodes would do.

    ``someday[n, r]`` is what comes back on each node of the snapshot, nobody knows when. What the gang holds already,
    it keeps as long as that would do.
    """
    waiting = _waiting(timeline, wish, someday)
    ranks = _kept(timeline, wish, waiting)
    if ranks is None:
        ranks = _first_set(waiting, wish.needed)
    return None if ranks is None else Held(ranks, float(waiting.ready[ranks].max()))


def _waiting(timeline: Timeline, wish: Wish, someday: IntArray) -> Waiting:
    pieces = timeline.pieces.take(np.flatnonzero(is_last(timeline.pieces.owner)))
    free = pieces.free[timeline.class_of]
    coming = someday[timeline.node]
    # A node that closes again may do so before the others have ended.
    fits = pieces.open[timeline.class_of] & wish.passes[timeline.node]
    most = np.where(fits, _places(wish, np.minimum(free, AMOUNT_LIMIT - coming) + coming), 0)
    there = np.where(fits, _places(wish, free), 0)
    ready = np.maximum(pieces.begin[timeline.class_of], max(timeline.now, wish.gang.not_before))
    return Waiting(most, most - there, ready)


def _places(wish: Wish, free: IntArray) -> IntArray:
    places = np.full(len(free), wish.gang.maximum, dtype=np.int64)
    for resource in np.flatnonzero(wish.request):
        np.minimum(places, free[:, resource] // wish.request[resource], out=places)
    return np.maximum(places, 0, out=places)


def _kept(timeline: Timeline, wish: Wish, waiting: Waiting) -> IntArray | None:
    """Take what the gang holds already, if each of these nodes is of use still, and all of them would do."""
    held = wish.gang.held
    if not held:
        return None
    rank_of = np.argsort(timeline.node)
    if max(held) >= len(rank_of):
        return None
    ranks = np.sort(rank_of[list(held)])
    most = waiting.most[ranks]
    return ranks if most.all() and most.sum() >= wish.needed else None


def _first_set(waiting: Waiting, needed: int) -> IntArray | None:
    most = waiting.most.tolist()
    largest_first = np.cumsum(np.sort(waiting.most)[::-1])
    if not most or largest_first[-1] < needed:
        return None
    left = int(np.searchsorted(largest_first, needed)) + 1
    others, chosen = Counter(most), []
    for rank in np.lexsort((waiting.ready, waiting.missing)).tolist():
        others[most[rank]] -= 1
        if most[rank] and most[rank] + _largest(others, left - 1) >= needed:
            chosen.append(rank)
            left, needed = left - 1, needed - most[rank]
            if not left:
                break
        else:
            others[most[rank]] += 1
    return np.sort(np.array(chosen, dtype=np.int64))


def _largest(numbers: Counter[int], count: int) -> int:
    """Add up the ``count`` largest numbers."""
    total = 0
    for number in sorted(numbers, reverse=True):
        taken = min(count, numbers[number])
        total, count = total + taken * number, count - taken
        if not count:
            break
    return total
