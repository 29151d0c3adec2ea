"""On which nodes a gang's members go, once start, finish and slowest slow-down are chosen.

Example: 3 members, nodes a, b and c of equal speed with 2, 0 and 5 slots that last. Two go on a, one on c.
"""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.slots.open_slots import OpenSlots
from coschedule.queue.slots.timeline import Timeline


class ChosenNodes(NamedTuple):
    """``counts[i]`` members, at least one, on the node of rank ``ranks[i]``; ranks rise."""

    ranks: IntArray
    counts: IntArray


def choose_nodes(
    timeline: Timeline, open_slots: OpenSlots, *, size: int, start: float, finish: float, pace: int
) -> ChosenNodes:
    """Take ``size`` slots that last from start to finish on nodes as fast as ``pace`` or faster.

    The fastest nodes are taken first, of equally fast ones the first by name. There must be enough slots; ``finish``
    may be inf.
    """
    during = np.flatnonzero((open_slots.end > start) & (open_slots.begin < finish))
    lasting = np.full(len(open_slots.number), np.iinfo(np.int64).max)
    np.minimum.at(lasting, open_slots.owner[during], open_slots.per_node[during])
    offered = np.zeros(len(timeline.width), dtype=np.int64)
    allowed = open_slots.pace <= pace
    offered[open_slots.number[allowed]] = lasting[allowed]
    taken = np.diff(np.minimum(np.cumsum(offered[timeline.class_of]), size), prepend=0)
    ranks = np.flatnonzero(taken)
    return ChosenNodes(ranks, taken[ranks])
