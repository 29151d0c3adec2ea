"""Which nodes limit a placed gang: the one that is there last, and the slowest."""

from typing import NamedTuple

import numpy as np

from coschedule.queue.node_choice import Seats
from coschedule.queue.slots.open_slots import Room
from coschedule.queue.slots.timeline import Timeline


class Limits(NamedTuple):
    """Ranks of nodes. Node ``latest`` has no room for its members before the start, None if all nodes have.

    Of several, the first: ranks run from the fastest node on, equally fast ones in the order of their names.
    """

    latest: int | None
    slowest: int


def limits_of(timeline: Timeline, room: Room, seats: Seats, start: float) -> Limits:
    """Find what limits a gang that takes ``seats`` from ``start`` on."""
    before = np.flatnonzero((room.begin < start) & (room.end >= start))
    places = np.zeros(len(timeline.width), dtype=np.int64)
    places[room.number[room.owner[before]]] = room.places[before]
    too_few = seats.ranks[places[timeline.class_of[seats.ranks]] < seats.counts]
    pace = timeline.pace[timeline.class_of[seats.ranks]]
    return Limits(
        latest=int(too_few[0]) if start > timeline.now and too_few.size else None,
        slowest=int(seats.ranks[np.argmax(pace)]),
    )
