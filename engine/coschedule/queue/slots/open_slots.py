"""Where the members of one gang could go: places over time."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import change, is_first, is_last
from coschedule.queue.slots.timeline import Pieces, Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Room:
    """Axes: class ``c`` that ever has a place, piece ``b`` of such a class, both in the order of the timeline.

    ``number[c]`` is the class in the timeline, ``width[c]`` how many nodes it has, ``pace[c]`` the index of its
    slow-down in ``slowdowns``, which are those of the room, rising. ``places[b]`` is how many members each node of
    class ``owner[b]`` could hold from ``begin[b]`` to ``end[b]``, not as many as in the piece before. ``instants`` are
    the first at which the gang may start, which is now as a rule, and every later one at which some node gains places,
    rising: a gang that can run at all can be moved earlier until it starts at one of them.
    """

    number: IntArray
    pace: IntArray
    width: IntArray
    slowdowns: FloatArray
    owner: IntArray
    begin: FloatArray
    end: FloatArray
    places: IntArray
    instants: FloatArray


def room_for(
    timeline: Timeline, request: IntArray, *, passes: BoolArray, most: int, not_before: float = -np.inf
) -> Room:
    """Count places for members of ``request`` on nodes that pass, bool[n]; never more than ``most`` on a node."""
    pieces = timeline.pieces
    places = _places(pieces, request, most)
    places[~passes[timeline.example][pieces.owner]] = 0
    has_room = np.bincount(pieces.owner, weights=places, minlength=len(timeline.width)) > 0
    number = np.flatnonzero(has_room)
    first = is_first(pieces.owner)
    kept = np.flatnonzero(has_room[pieces.owner] & (first | (change(places, pieces.owner) != 0)))
    owner = (np.cumsum(has_room) - 1)[pieces.owner[kept]]
    begin, places = pieces.begin[kept], places[kept]
    end = np.where(is_last(owner), np.inf, np.append(begin[1:], np.inf)[: len(begin)])
    gains = ~first[kept] & (change(places, owner) > 0)
    paces, pace = np.unique(timeline.pace[number], return_inverse=True)
    return Room(
        number=number,
        pace=pace,
        width=timeline.width[number],
        slowdowns=timeline.slowdowns[paces],
        owner=owner,
        begin=begin,
        end=end,
        places=places,
        instants=_instants(begin[gains], max(timeline.now, not_before)),
    )


def _instants(gains: FloatArray, first: float) -> FloatArray:
    instants: FloatArray = np.unique(np.append(gains[gains > first], first))
    return instants


def _places(pieces: Pieces, request: IntArray, most: int) -> IntArray:
    wanted = np.flatnonzero(request)
    places = np.where(pieces.open, most, 0)
    for resource in wanted:
        np.minimum(places, pieces.free[:, resource] // request[resource], out=places)
    return np.maximum(places, 0, out=places)
