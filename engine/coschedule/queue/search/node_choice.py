"""The nodes of a gang's members, once start, finish and largest slow-down are chosen.

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

    The fastest nodes are taken first. If several are equally fast, the first by name is taken first. There must be
    enough slots; ``finish`` may be inf.
    """
    there = open_slots.at(start)
    lasting = there[(open_slots.ends(start, there) >= finish) & (open_slots.pace[there] <= pace)]
    offered = open_slots.by_class(lasting)
    taken = np.diff(np.minimum(np.cumsum(offered[timeline.class_of]), size), prepend=0)
    ranks = np.flatnonzero(taken)
    return ChosenNodes(ranks, taken[ranks])
