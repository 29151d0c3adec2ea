"""Gangs whose run time is unknown: as soon as possible, as many members as fit, for ever."""

import numpy as np

from coschedule.cluster.choice import Candidate
from coschedule.cluster.room import Room
from coschedule.cluster.segments import change, least_from_here
from coschedule.numbers import IntArray


def earliest_start(room: Room, *, minimum: int, maximum: int, among: IntArray) -> Candidate | None:
    """Find the first of the instants ``among``, rising, from which ``minimum`` places stay; take up to ``maximum``.

    ``among`` are indices of the room's instants.
    """
    staying = _staying(room)[among]
    enough = np.flatnonzero(staying >= minimum)
    if maximum < minimum or not enough.size:
        return None
    first = enough[0]
    size = min(maximum, int(staying[first]))
    return Candidate(np.inf, np.inf, size, float(room.instants[among[first]]), len(room.slowdowns) - 1)


def _staying(room: Room) -> IntArray:
    """Count the places that stay for ever from each instant on; the count never falls."""
    least = least_from_here(room.places, room.owner)
    gain = change(least, room.owner) * room.width[room.owner]
    when = np.searchsorted(room.instants, room.begin)
    return np.cumsum(np.bincount(when, weights=gain, minlength=len(room.instants))).astype(np.int64)
