"""How many members of one gang each node could hold, over time.

Example: members ask for 2 CPUs. A node has 5 CPUs free from time 0 and 3 from time 10 on. It offers 2 slots in
``[0, 10)`` and 1 slot from 10 on, so its spans have ``begin`` 0 and 10, ``end`` 10 and inf, ``per_node`` 2 and 1.
"""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import change, is_first, is_last
from coschedule.queue.slots.timeline import Spans, Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenSlots:
    """Axes: class ``c`` of equal nodes that ever have a slot, and span ``b`` of such a class, by class and then time.

    ``number[c]`` is the class's index in the timeline and ``width[c]`` the number of its nodes. ``pace[c]`` is the
    index of its slow-down in ``slowdowns``, which rise. Every node of class ``owner[b]`` can hold ``per_node[b]``
    members from ``begin[b]`` to ``end[b]``; two spans of a class that follow each other differ in this number.

    ``instants``, which rise, are the only times at which the gang need start: the first time it may (now, as a rule),
    and every later time at which some node gains slots. A gang that can run at all can be moved to an earlier start
    until it starts at one of them.
    """

    number: IntArray
    pace: IntArray
    width: IntArray
    slowdowns: FloatArray
    owner: IntArray
    begin: FloatArray
    end: FloatArray
    per_node: IntArray
    instants: FloatArray


def open_slots_for(
    timeline: Timeline, request: IntArray, *, passes: BoolArray, most: int, not_before: float = -np.inf
) -> OpenSlots:
    """Count the slots for members that take ``request[r]`` of each resource.

    Only nodes of which ``passes``, bool[n] by index in the snapshot, is True have slots, at most ``most`` per node. The
    first instant is now or, if that is later, ``not_before``.
    """
    spans = timeline.spans
    slots = _slots(spans, request, most)
    slots[~passes[timeline.example][spans.owner]] = 0
    has_room = np.bincount(spans.owner, weights=slots, minlength=len(timeline.width)) > 0
    number = np.flatnonzero(has_room)
    first = is_first(spans.owner)
    kept = np.flatnonzero(has_room[spans.owner] & (first | (change(slots, spans.owner) != 0)))
    owner = (np.cumsum(has_room) - 1)[spans.owner[kept]]
    begin, slots = spans.begin[kept], slots[kept]
    end = np.where(is_last(owner), np.inf, np.append(begin[1:], np.inf)[: len(begin)])
    gains = ~first[kept] & (change(slots, owner) > 0)
    paces, pace = np.unique(timeline.pace[number], return_inverse=True)
    return OpenSlots(
        number=number,
        pace=pace,
        width=timeline.width[number],
        slowdowns=timeline.slowdowns[paces],
        owner=owner,
        begin=begin,
        end=end,
        per_node=slots,
        instants=_instants(begin[gains], max(timeline.now, not_before)),
    )


def slots_now(timeline: Timeline, request: IntArray, passes: BoolArray) -> int:
    """Count the slots that there are now for members that take ``request[r]``, for however short a time."""
    now = timeline.spans.take(np.flatnonzero(is_first(timeline.spans.owner)))
    slots = _slots(now, request, np.iinfo(np.int32).max)
    return int((slots * timeline.width[now.owner])[passes[timeline.example][now.owner]].sum())


def _instants(gains: FloatArray, first: float) -> FloatArray:
    instants: FloatArray = np.unique(np.append(gains[gains > first], first))
    return instants


def _slots(spans: Spans, request: IntArray, most: int) -> IntArray:
    wanted = np.flatnonzero(request)
    slots = np.where(spans.open, most, 0)
    for resource in wanted:
        np.minimum(slots, spans.free[:, resource] // request[resource], out=slots)
    return np.maximum(slots, 0, out=slots)
