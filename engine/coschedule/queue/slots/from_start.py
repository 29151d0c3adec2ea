"""The slots at one start, and how many of them a gang loses before it finishes."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.slots.open_slots import OpenSlots


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotsFrom:
    """From a start on, ``slots[j]`` slots of pace ``pace[j]`` last until ``end[j]``; ``pace[j]`` is below ``paces``."""

    paces: int
    pace: IntArray
    slots: IntArray
    end: FloatArray

    @property
    def held(self) -> IntArray:
        """The number of slots of each pace and of faster ones: int[t]."""
        return self._by_pace(self.pace, self.slots)

    def lost_by(self, finish: float) -> IntArray:
        """Count the slots of each pace and of faster ones that end before ``finish``: int[t]."""
        gone = self.end < finish
        return self._by_pace(self.pace[gone], self.slots[gone])

    def lost_soon(self, finishes: FloatArray) -> IntArray:
        """Count the slots of pace t and of faster ones that end before ``finishes[t]``, which rise: int[t]."""
        gone = self.end < finishes[-1]
        # Slot j is counted for each pace t that is at least ``pace[j]`` and has ``finishes[t]`` above ``end[j]``.
        first = np.maximum(self.pace[gone], finishes.searchsorted(self.end[gone], side="right"))
        return self._by_pace(first, self.slots[gone])

    def lost(self, paces: IntArray, finishes: FloatArray) -> IntArray:
        """Count the slots of ``paces[q]`` or faster that end before ``finishes[q, p]``: int[q, p]."""
        gone = (self.end < finishes.max()).nonzero()[0]
        gone = gone[self.end[gone].argsort()]
        lost = np.zeros((len(paces), len(gone) + 1), dtype=np.int64)
        ((self.pace[gone] <= paces[:, np.newaxis]) * self.slots[gone]).cumsum(axis=1, out=lost[:, 1:])
        counted: IntArray = lost[np.arange(len(paces))[:, np.newaxis], self.end[gone].searchsorted(finishes)]
        return counted

    def _by_pace(self, pace: IntArray, slots: IntArray) -> IntArray:
        return np.bincount(pace, weights=slots, minlength=self.paces).astype(np.int64).cumsum()


def slots_from(open_slots: OpenSlots, start: float) -> SlotsFrom:
    """Return the slots that exist at ``start``."""
    there = open_slots.at(start)
    return SlotsFrom(
        paces=len(open_slots.slowdowns),
        pace=open_slots.pace[there],
        slots=open_slots.total[there],
        end=open_slots.ends(start, there),
    )
