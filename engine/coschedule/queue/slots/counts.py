"""How many slots there are at each instant at which a gang may start, by how fast their nodes are."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.slots.open_slots import OpenSlots
from coschedule.queue.slots.segments import change, is_first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotCounts:
    """Axes: pace ``t`` (index of a slow-down), instant ``k``, and change ``v`` of the number of slots after now.

    There are ``now[t]`` slots of pace ``t`` now. From ``time[v]`` on there are ``gain[v]`` more of pace ``pace[v]``, or
    fewer where that is negative. ``met[v]`` is the index of the first instant at or after ``time[v]``, and ``began[v]``
    that of the first instant at or after the begin of the span that ends with the change; both are one past the last
    instant where there is none. Times before the first instant count as that instant.
    """

    instants: FloatArray
    now: IntArray
    gain: IntArray
    pace: IntArray
    time: FloatArray
    met: IntArray
    began: IntArray

    def at(self, indices: IntArray) -> IntArray:
        """Count the slots of each pace and of faster ones at the instants ``indices``, which rise: int[t, index]."""
        column_of = np.searchsorted(indices, np.arange(len(self.instants) + 1))
        return self._sum(column_of[self.met], columns=len(indices), ranges=len(self.now))

    def outlasting(self, shortest: float, *, ranges: int) -> IntArray:
        """Bound from above the slots that last for ``shortest`` seconds from each instant on: int[range, k].

        Paces are put together in ``ranges`` ranges of about as many paces; slots as fast as each range or faster are
        counted. Slots that are lost no longer count from the first instant from which a run of that length would
        still be going on when they are lost, but not before they were there.
        """
        ahead = np.searchsorted(self.instants + shortest, self.time, side="right")
        counted = np.where(self.gain < 0, np.maximum(np.minimum(ahead, self.met), self.began), self.met)
        return self._sum(counted, columns=len(self.instants), ranges=ranges)

    def _sum(self, column: IntArray, *, columns: int, ranges: int) -> IntArray:
        """Add up the slots of now and every change from its column on; faster paces count for slower ones, too."""
        paces = len(self.now)
        slots = np.zeros((ranges, columns + 1))
        np.add.at(slots[:, 0], np.arange(paces) * ranges // paces, self.now)
        flat = (self.pace * ranges // paces) * (columns + 1) + column
        slots += np.bincount(flat, weights=self.gain, minlength=slots.size).reshape(slots.shape)
        by_range = np.cumsum(slots[:, :columns], axis=1)
        return np.cumsum(by_range, axis=0).astype(np.int64)


def count_slots(open_slots: OpenSlots) -> SlotCounts:
    """Count what every search among these slots needs, once."""
    first = is_first(open_slots.owner)
    later = np.flatnonzero(~first)
    classes = open_slots.owner[later]
    now = np.bincount(
        open_slots.pace, weights=open_slots.per_node[first] * open_slots.width, minlength=len(open_slots.slowdowns)
    )
    return SlotCounts(
        instants=open_slots.instants,
        now=now.astype(np.int64),
        gain=change(open_slots.per_node, open_slots.owner)[later] * open_slots.width[classes],
        pace=open_slots.pace[classes],
        time=open_slots.begin[later],
        met=np.searchsorted(open_slots.instants, open_slots.begin[later]),
        began=np.searchsorted(open_slots.instants, open_slots.begin[later - 1]),
    )
