"""What stays free from a start to a finish on the nodes of each class, whoever wants it."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import change, is_first, is_last
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Room:
    """Every node of class ``c`` has ``free[c, r]`` of each resource for all of the time, if it is ``open[c]`` so long.

    Members of a role may stay there so long if ``stays[c, role]``, or where that is ``None``. Nothing is ever negative
    here: what is overcommitted is not free.
    """

    free: IntArray
    open: BoolArray
    stays: BoolArray | None = None

    def admits(self, passes: BoolArray) -> BoolArray:
        """Return where members may be, of those places that they pass: bool[c, role]."""
        admitted: BoolArray = passes & self.open[:, np.newaxis]
        return admitted if self.stays is None else admitted & self.stays

    def is_as(self, other: "Room") -> bool:
        """Whether both are the same."""
        same = (self.free == other.free).all() and (self.open == other.open).all()
        if self.stays is None or other.stays is None:
            return bool(same and self.stays is other.stays)
        return bool(same and (self.stays == other.stays).all())


def room_during(timeline: Timeline, start: float, finish: float) -> Room:
    """Find what is free from ``start``, which is not before now, to ``finish``, which may be inf."""
    spans = timeline.spans
    end = np.where(is_last(spans.owner), np.inf, np.append(spans.begin[1:], np.inf)[: len(spans.begin)])
    during = np.flatnonzero((spans.begin < finish) & (end > start))
    if not during.size:
        return Room(free=np.zeros((0, spans.free.shape[1]), dtype=np.int64), open=np.zeros(0, dtype=np.bool_))
    first = np.flatnonzero(is_first(spans.owner[during]))
    least = np.minimum.reduceat(spans.free[during], first, axis=0)
    return Room(free=np.maximum(least, 0), open=np.logical_and.reduceat(spans.open[during], first))


def instants_of(timeline: Timeline, requests: IntArray, passes: BoolArray, not_before: float) -> FloatArray:
    """List when a gang need start, rising: the first time it may, and whenever a node gains what somebody wants.

    Members ask for ``requests[role, r]``, and may be on classes of which ``passes[c, role]``. A gang that can run at
    all can be moved to an earlier start until it starts at one of these instants.
    """
    spans = timeline.spans
    gained = np.zeros(len(spans.owner), dtype=np.bool_)
    for resource in np.flatnonzero(np.any(requests, axis=0)).tolist():
        gained |= change(spans.free[:, resource], spans.owner) > 0
    gained |= change(spans.open.astype(np.int64), spans.owner) > 0
    gained &= np.any(passes, axis=1)[spans.owner] & spans.open & ~is_first(spans.owner)
    first = max(timeline.now, not_before)
    begins = spans.begin[gained]
    instants: FloatArray = np.unique(np.append(begins[begins > first], first))
    return instants
