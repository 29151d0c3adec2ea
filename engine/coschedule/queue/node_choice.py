"""Which nodes the members of a gang take, once start, finish and pace are chosen."""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.slots.open_slots import Room
from coschedule.queue.slots.timeline import Timeline


class Seats(NamedTuple):
    """``counts[i]`` members, one at least, on the node of rank ``ranks[i]``, rising."""

    ranks: IntArray
    counts: IntArray


def seat(timeline: Timeline, room: Room, *, size: int, start: float, finish: float, pace: int) -> Seats:
    """Take ``size`` of the places no slower than ``pace`` that last from start to finish: fastest first, then by name.

    There must be as many; finish may be inf.
    """
    during = np.flatnonzero((room.end > start) & (room.begin < finish))
    lasting = np.full(len(room.number), np.iinfo(np.int64).max)
    np.minimum.at(lasting, room.owner[during], room.places[during])
    offered = np.zeros(len(timeline.width), dtype=np.int64)
    allowed = room.pace <= pace
    offered[room.number[allowed]] = lasting[allowed]
    taken = np.diff(np.minimum(np.cumsum(offered[timeline.class_of]), size), prepend=0)
    ranks = np.flatnonzero(taken)
    return Seats(ranks, taken[ranks])
