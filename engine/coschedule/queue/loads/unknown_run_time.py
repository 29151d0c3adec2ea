"""Gangs whose run time is unknown: as soon as possible, as many members as fit, for ever.

With pieces, as few members as end as soon as any number of them would: that does not depend on the time of a piece.
"""

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.pieces.fastest_nodes import pieces_among
from coschedule.queue.candidates import Candidate
from coschedule.queue.slots.open_slots import Room
from coschedule.queue.slots.segments import change, least_from_here


def earliest_start(
    room: Room, *, minimum: int, maximum: int, pieces: int | None = None, among: IntArray
) -> Candidate | None:
    """Find the first of the instants ``among``, rising, from which ``minimum`` places stay; take up to ``maximum``.

    ``among`` are indices of the room's instants. ``pieces``, if given, are to be dealt: no fewer than ``maximum``.
    """
    staying = _staying(room)[:, among]
    enough = np.flatnonzero(staying.max(axis=0, initial=0) >= minimum)
    if maximum < minimum or not enough.size:
        return None
    first = enough[0]
    held = staying[:, first]
    sizes = np.arange(minimum, min(maximum, int(held[-1])) + 1)
    size = int(sizes[-1]) if pieces is None else _soonest_done(room.slowdowns, held, sizes, pieces)
    return Candidate(np.inf, size, float(room.instants[among[first]]), int(np.searchsorted(held, size)))


def _staying(room: Room) -> IntArray:
    """Count the places no slower than each pace that stay for ever from each instant on: int[t, k], never falling."""
    least = least_from_here(room.places, room.owner)
    gain = change(least, room.owner) * room.width[room.owner]
    when = np.searchsorted(room.instants, room.begin)
    gained = np.zeros((len(room.slowdowns), len(room.instants) + 1))
    np.add.at(gained, (room.pace[room.owner], when), gain)
    return np.cumsum(np.cumsum(gained[:, :-1], axis=1), axis=0).astype(np.int64)


def _soonest_done(slowdowns: FloatArray, held: IntArray, sizes: IntArray, pieces: int) -> int:
    """Choose the fewest members that do all pieces soonest, one at least each."""
    counts = np.diff(held, prepend=0)
    overheads = np.zeros(len(sizes))
    best = pieces_among(slowdowns, counts, pieces=pieces, seconds_per_piece=1.0, sizes=sizes, overheads=overheads)
    assert best is not None, "as many places as members stay"
    return best.size
