"""What stays free from a start to a finish on the nodes of each class, of the resources that a gang wants."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import change, is_first, is_last
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassRoom:
    """Every node of class ``c`` has ``free[c, w]`` of what is wanted all the time, if it is ``open[c]`` so long.

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

    def is_as(self, other: "ClassRoom") -> bool:
        """Whether both are the same."""
        same = (self.free == other.free).all() and (self.open == other.open).all()
        if self.stays is None or other.stays is None:
            return bool(same and self.stays is other.stays)
        return bool(same and (self.stays == other.stays).all())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rooms:
    """The spans of all classes, as in ``Spans``, with what is free of the resources that are wanted: ``free[b, w]``.

    Span ``b`` lasts from ``begin[b]`` to ``end[b]``.
    """

    owner: IntArray
    begin: FloatArray
    end: FloatArray
    free: IntArray
    open: BoolArray

    @classmethod
    def of(cls, timeline: Timeline, wanted: IntArray) -> Self:
        """Take the spans of a timeline, and of the resources those that are ``wanted``."""
        spans = timeline.spans
        return cls(
            owner=spans.owner,
            begin=spans.begin,
            end=np.where(is_last(spans.owner), np.inf, np.append(spans.begin[1:], np.inf)[: len(spans.begin)]),
            free=np.maximum(spans.free[:, wanted], 0),
            open=spans.open,
        )

    def during(self, start: float, finish: float) -> ClassRoom:
        """Find what is free from ``start``, which is not before now, to ``finish``, which may be inf."""
        during = np.flatnonzero((self.begin < finish) & (self.end > start))
        if not during.size:
            return ClassRoom(free=np.zeros((0, self.free.shape[1]), dtype=np.int64), open=np.zeros(0, dtype=np.bool_))
        first = np.flatnonzero(is_first(self.owner[during]))
        least = np.minimum.reduceat(self.free[during], first, axis=0)
        return ClassRoom(free=least, open=np.logical_and.reduceat(self.open[during], first))

    def instants(self, passes: BoolArray, first: float) -> FloatArray:
        """List when a gang need start, rising: at the ``first`` time it may, and whenever a node gains what is wanted.

        Members may be on classes of which ``passes``, bool[c]. A gang that can run at all can be moved to an earlier
        start until it starts at one of these instants.
        """
        gained = change(self.open.astype(np.int64), self.owner) > 0
        for column in self.free.T:
            gained |= change(column, self.owner) > 0
        gained &= passes[self.owner] & self.open & ~is_first(self.owner)
        begins = self.begin[gained]
        instants: FloatArray = np.unique(np.append(begins[begins > first], first))
        return instants
