"""The requested resources that stay free on the nodes of each class from a start to a finish."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import change, is_first, is_last
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassRoom:
    """During a span of time, each node of class ``c`` has ``free[c, w]`` of the wanted resources, if ``open[c]``.

    Members of a role may stay for the whole span if ``stays[c, role]``; ``stays`` is None if all may. ``free`` is never
    negative: where a resource is overcommitted, it is 0.
    """

    free: IntArray
    open: BoolArray
    stays: BoolArray | None = None

    def admits(self, passes: BoolArray) -> BoolArray:
        """Return whether members of each role may be on each class: bool[c, role].

        ``passes`` says the same by constraints alone.
        """
        admitted: BoolArray = passes & self.open[:, np.newaxis]
        return admitted if self.stays is None else admitted & self.stays

    def is_as(self, other: "ClassRoom") -> bool:
        """Whether both are equal."""
        same = (self.free == other.free).all() and (self.open == other.open).all()
        if self.stays is None or other.stays is None:
            return bool(same and self.stays is other.stays)
        return bool(same and (self.stays == other.stays).all())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rooms:
    """The spans of all classes, as in ``Spans``, with ``free[b, w]`` of the wanted resources.

    Span ``b`` lasts from ``begin[b]`` to ``end[b]``.
    """

    owner: IntArray
    begin: FloatArray
    end: FloatArray
    free: IntArray
    open: BoolArray

    @classmethod
    def of(cls, timeline: Timeline, wanted: IntArray) -> Self:
        """Return the spans of a timeline with the ``wanted`` resources."""
        spans = timeline.spans
        return cls(
            owner=spans.owner,
            begin=spans.begin,
            end=np.where(is_last(spans.owner), np.inf, np.append(spans.begin[1:], np.inf)[: len(spans.begin)]),
            free=np.maximum(spans.free[:, wanted], 0),
            open=spans.open,
        )

    def during(self, start: float, finish: float) -> ClassRoom:
        """Return the resources that are free from ``start``, not before now, to ``finish``, which may be inf."""
        during = np.flatnonzero((self.begin < finish) & (self.end > start))
        if not during.size:
            return ClassRoom(free=np.zeros((0, self.free.shape[1]), dtype=np.int64), open=np.zeros(0, dtype=np.bool_))
        first = np.flatnonzero(is_first(self.owner[during]))
        least = np.minimum.reduceat(self.free[during], first, axis=0)
        return ClassRoom(free=least, open=np.logical_and.reduceat(self.open[during], first))

    def instants(self, passes: BoolArray, first: float) -> FloatArray:
        """List the starts to try, rising: ``first``, and each later time when a node opens or gains a wanted resource.

        Members may be on classes with ``passes``, bool[c]. Any run that starts between two instants can
        start at the earlier one instead.
        """
        gained = change(self.open.astype(np.int64), self.owner) > 0
        for column in self.free.T:
            gained |= change(column, self.owner) > 0
        gained &= passes[self.owner] & self.open & ~is_first(self.owner)
        begins = self.begin[gained]
        instants: FloatArray = np.unique(np.append(begins[begins > first], first))
        return instants
