"""How many slots a gang loses between its start and its finish, for any start, without a walk over time per start.

On the nodes of a class, a gang keeps the least number of slots that there is from its start to its finish. Seen from
a start, that least number falls at the next span with fewer slots, then at the next with fewer still. Which span
follows span ``i`` as the next with fewer slots does not depend on the start. Only whether a start sees this loss does:
it sees it if it lies after the last earlier span that has no more slots than span ``i``, and before the end of ``i``.
So each span gives at most one loss, and each start sees some of the losses.

Example: 3 slots in [0, 10), 1 in [10, 20), 2 from 20 on. The only loss is of 2 slots at time 10, and starts in [0, 10)
see it. A gang that starts at 12 keeps 1 slot and loses none: the slot gained at 20 came after its start.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.open_slots import OpenSlots
from coschedule.queue.slots.segments import is_first, is_last


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Losses:
    """Loss ``l``, ordered by time: at ``time[l]`` a gang loses ``slots[l]`` of the slots of pace ``pace[l]`` it holds.

    Only gangs that start in ``[since[l], before[l])`` have this loss.
    """

    time: FloatArray
    slots: IntArray
    pace: IntArray
    since: FloatArray
    before: FloatArray

    def lost(self, starts: FloatArray, paces: IntArray, finishes: FloatArray) -> IntArray:
        """Count what start ``q`` loses before ``finishes[q, p]``, of slots of ``paces[q]`` or faster: int[q, p]."""
        # Most losses are seen by none of these starts, and the matrix below costs most of the time.
        some = np.flatnonzero((self.since <= starts.max()) & (self.before > starts.min()))
        at = starts[:, np.newaxis]
        seen = (self.since[some] <= at) & (at < self.before[some]) & (self.pace[some] <= paces[:, np.newaxis])
        lost = np.zeros((len(starts), len(some) + 1), dtype=np.int64)
        np.cumsum(seen * self.slots[some], axis=1, out=lost[:, 1:])
        met = np.searchsorted(self.time[some], finishes)
        return lost[np.arange(len(starts))[:, np.newaxis], met]

    def lost_soon(self, start: float, finishes: FloatArray) -> IntArray:
        """Count what one start loses before ``finishes[t]``, which rise, of slots of pace t and faster ones: int[t]."""
        seen = np.flatnonzero((self.since <= start) & (start < self.before) & (self.time < finishes[-1]))
        # A loss counts from the first pace on that may use the slot and whose finish is after the loss.
        first = np.maximum(self.pace[seen], np.searchsorted(finishes, self.time[seen], side="right"))
        by_pace = np.bincount(first, weights=self.slots[seen], minlength=len(finishes))
        return np.cumsum(by_pace).astype(np.int64)

    def lost_by_pace(self, start: float, finish: float, *, paces: int) -> IntArray:
        """Count what one start loses before ``finish``, of slots of each of the ``paces`` and faster ones: int[t]."""
        seen = np.flatnonzero((self.since <= start) & (start < self.before) & (self.time < finish))
        by_pace = np.bincount(self.pace[seen], weights=self.slots[seen], minlength=paces)
        return np.cumsum(by_pace).astype(np.int64)


def find_losses(open_slots: OpenSlots) -> Losses:
    """Find all losses of these slots, in O(spans * log spans)."""
    changing = np.flatnonzero(~(is_first(open_slots.owner) & is_last(open_slots.owner)))
    owner, slots, end = open_slots.owner[changing], open_slots.per_node[changing], open_slots.end[changing]
    # Every class is shifted below all values of the one before it, so that no search goes past the end of its class.
    step = int(slots.max(initial=0)) + 1
    fewer = _first_later(slots - owner * step, np.greater_equal)
    # Read backwards, the last earlier span with no more slots is the first later one.
    no_more = len(owner) - 1 - _first_later((slots + owner * step)[::-1], np.greater)[::-1]
    steps = np.flatnonzero(np.append(owner, -1)[fewer] == owner)
    steps = steps[np.argsort(end[fewer[steps] - 1], kind="stable")]
    same_class = np.append(owner, -1)[no_more[steps]] == owner[steps]
    return Losses(
        time=end[fewer[steps] - 1],
        slots=(slots[steps] - slots[fewer[steps]]) * open_slots.width[owner[steps]],
        pace=open_slots.pace[owner[steps]],
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
