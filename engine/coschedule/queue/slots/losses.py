"""How the places of a room dwindle after any start, exactly and without a walk per start.

A gang keeps, of a class, the least number of places there is from its start to its finish. Seen from a start, that
least falls at the next piece with fewer places, then at the next with fewer still. Which step follows which piece does
not depend on the start, only whether the start sees it: piece ``i`` is a step for the starts between the last piece
before it that has no more places, and its own end. So each piece gives one loss at most, and a start sees some of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.open_slots import Room
from coschedule.queue.slots.segments import is_first, is_last


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Losses:
    """Loss ``l`` takes ``places[l]`` places of pace ``pace[l]`` at ``time[l]``, rising, from those held since a start.

    Seen by starts in ``[since[l], before[l])`` only.
    """

    time: FloatArray
    places: IntArray
    pace: IntArray
    since: FloatArray
    before: FloatArray

    def lost(self, starts: FloatArray, paces: IntArray, finishes: FloatArray) -> IntArray:
        """Count the places no slower than ``paces[q]`` that start ``q`` loses before ``finishes[q, p]``: int[q, p]."""
        # What none of these starts can see is most of it, and the matrix below is dear.
        some = np.flatnonzero((self.since <= starts.max()) & (self.before > starts.min()))
        at = starts[:, np.newaxis]
        seen = (self.since[some] <= at) & (at < self.before[some]) & (self.pace[some] <= paces[:, np.newaxis])
        lost = np.zeros((len(starts), len(some) + 1), dtype=np.int64)
        np.cumsum(seen * self.places[some], axis=1, out=lost[:, 1:])
        met = np.searchsorted(self.time[some], finishes)
        return lost[np.arange(len(starts))[:, np.newaxis], met]

    def lost_soon(self, start: float, finishes: FloatArray) -> IntArray:
        """Count the places no slower than each pace that one start loses before ``finishes[t]``, which rise: int[t]."""
        seen = np.flatnonzero((self.since <= start) & (start < self.before) & (self.time < finishes[-1]))
        # A loss tells from the first pace on that may use the place and does not end before.
        first = np.maximum(self.pace[seen], np.searchsorted(finishes, self.time[seen], side="right"))
        by_pace = np.bincount(first, weights=self.places[seen], minlength=len(finishes))
        return np.cumsum(by_pace).astype(np.int64)

    def lost_by_pace(self, start: float, finish: float, *, paces: int) -> IntArray:
        """Count the places no slower than each pace that one start loses before ``finish``: int[t]."""
        seen = np.flatnonzero((self.since <= start) & (start < self.before) & (self.time < finish))
        by_pace = np.bincount(self.pace[seen], weights=self.places[seen], minlength=paces)
        return np.cumsum(by_pace).astype(np.int64)


def losses_of(room: Room) -> Losses:
    """Find every loss of a room, in O(pieces * log pieces)."""
    changing = np.flatnonzero(~(is_first(room.owner) & is_last(room.owner)))
    owner, places, end = room.owner[changing], room.places[changing], room.end[changing]
    # Every class is put below all values of the one before it: no search goes on past the end of its class.
    step = int(places.max(initial=0)) + 1
    fewer = _first_later(places - owner * step, np.greater_equal)
    # Read backwards, the last piece before with no more places is the first later one.
    no_more = len(owner) - 1 - _first_later((places + owner * step)[::-1], np.greater)[::-1]
    steps = np.flatnonzero(np.append(owner, -1)[fewer] == owner)
    steps = steps[np.argsort(end[fewer[steps] - 1], kind="stable")]
    same_class = np.append(owner, -1)[no_more[steps]] == owner[steps]
    return Losses(
        time=end[fewer[steps] - 1],
        places=(places[steps] - places[fewer[steps]]) * room.width[owner[steps]],
        pace=room.pace[owner[steps]],
        since=np.where(same_class, end[no_more[steps]], -np.inf),
        before=end[steps],
    )


def _first_later(values: IntArray, passes_over: Callable[[IntArray, IntArray], BoolArray]) -> IntArray:
    """Find for every entry the first later one that it does not pass over; the length where there is none.

    ``passes_over(later, own)`` must be >= or >: then whatever a passed entry passes over is passed over too, so that a
    search may jump to where that entry's own search has got.
    """
    values = np.append(values, values.min(initial=0) - 1)
    found = np.arange(1, len(values))
    searching = np.flatnonzero(passes_over(values[found], values[:-1]))
    while searching.size:
        found[searching] = found[found[searching]]
        searching = searching[passes_over(values[found[searching]], values[searching])]
    return found
