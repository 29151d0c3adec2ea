"""The slots of one gang: the number of its members for which each node has room over time, and the starts to try.

Example: members request 2 CPUs. A node has 5 CPUs free from time 0 and 3 from time 10 on. One slot exists from 0 on
and another in ``[0, 10)``.
"""

from dataclasses import dataclass, replace

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.kept import slots_in, stretches_for
from coschedule.queue.slots.stretches import Stretches
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenSlots:
    """The slots of one gang. Axes: stretch ``i`` of slots that exist without a break, and class ``c`` of equal nodes.

    Each node of class ``owner[i]`` has ``slots[i]`` slots from ``times[begin[i]]`` to ``times[end[i]]``, and all nodes
    of the class together have ``total[i]``. ``times`` rise and end with inf. ``pace[i]`` is the index of the nodes'
    slow-down in ``slowdowns``, which rise. ``classes`` is the number of classes, with or without slots. A run may
    stay on nodes of class ``c`` for ``stays[c]`` seconds, whenever it starts; ``stays`` is None if no node limits
    the stay.

    ``instants``, which rise, are the starts to try: the earliest one, and each later time at which some node gains
    slots. Any run that starts between two instants can start at the earlier one instead.
    """

    classes: int
    slowdowns: FloatArray
    times: FloatArray
    owner: IntArray
    pace: IntArray
    begin: IntArray
    end: IntArray
    slots: IntArray
    total: IntArray
    instants: FloatArray
    stays: FloatArray | None = None

    def at(self, start: float) -> IntArray:
        """List the stretches that exist at a time."""
        last = self.times.searchsorted(start, side="right")
        return ((self.begin < last) & (self.end >= last)).nonzero()[0]

    def ends(self, start: float, stretches: IntArray) -> FloatArray:
        """Return the time until which a run from ``start`` on may use the slots of ``stretches``: float[i]."""
        ends: FloatArray = self.times[self.end[stretches]]
        return ends if self.stays is None else np.minimum(ends, start + self.stays[self.owner[stretches]])

    def by_class(self, stretches: IntArray) -> IntArray:
        """Add up the slots of stretches for a node of each class: int[c]."""
        weights = self.slots[stretches]
        return np.bincount(self.owner[stretches], weights=weights, minlength=self.classes).astype(np.int64)


def open_slots_for(
    timeline: Timeline,
    request: IntArray,
    *,
    passes: BoolArray,
    most: int,
    not_before: float = -np.inf,
    stays: FloatArray | None = None,
) -> OpenSlots:
    """Return the slots for members that take ``request[r]`` of each resource.

    Only nodes with ``passes``, bool[n] by index in the snapshot, have slots, at most ``most`` per node. The first
    instant is now or, if that is later, ``not_before``. ``stays``, float[n], are the most seconds that a run may stay
    on each node.
    """
    stretches = stretches_for(timeline, request, passes)
    found = limited(
        stretches,
        slowdowns=timeline.slowdowns,
        pace=timeline.pace,
        width=timeline.width,
        most=most,
        first=max(timeline.now, not_before),
    )
    return found if stays is None else replace(found, stays=stays[timeline.example])


def limited(
    stretches: Stretches, *, slowdowns: FloatArray, pace: IntArray, width: IntArray, most: int, first: float
) -> OpenSlots:
    """Return up to ``most`` slots of each node, and the instants from ``first`` on.

    Class ``c`` has ``width[c]`` nodes with the slow-down ``slowdowns[pace[c]]``.
    """
    some = np.flatnonzero(stretches.above < most)
    owner, begin = stretches.owner[some], stretches.begin[some]
    slots = np.minimum(stretches.upto[some], most) - stretches.above[some]
    paces = pace[owner]
    there = np.flatnonzero(np.bincount(paces, minlength=len(slowdowns)))
    index = np.zeros(len(slowdowns), dtype=np.int64)
    index[there] = np.arange(len(there))
    return OpenSlots(
        classes=len(width),
        slowdowns=slowdowns[there],
        times=stretches.times,
        owner=owner,
        pace=index[paces],
        begin=begin,
        end=stretches.end[some],
        slots=slots,
        total=slots * width[owner],
        instants=_instants(stretches.times, begin, first),
    )


def slots_now(timeline: Timeline, request: IntArray, passes: BoolArray) -> int:
    """Count the slots that exist now for members that take ``request[r]``, however soon they end."""
    slots = slots_in(timeline.spans_of.at_first, request)
    return int((slots * timeline.width)[passes[timeline.example]].sum())


def _instants(times: FloatArray, begin: IntArray, first: float) -> FloatArray:
    gains = np.zeros(len(times), dtype=np.bool_)
    gains[begin] = True
    gains &= times > first
    instants: FloatArray = np.append(first, times[gains])
    return instants
