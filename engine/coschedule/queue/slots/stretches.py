"""Stretches: slots that exist from one time to another without a break.

A node that can hold v members has slots number 1 to v. Slot number j exists while v is j or more, so it comes and goes
in stretches. Slots with equal stretches are stored together. A slot lasts during a run if one of its stretches begins
no later than the run and ends no earlier.

Example: 3 slots in [0, 10), 1 in [10, 20), 2 from 20 on. Slot 1 exists from 0 on, slots 2 and 3 in [0, 10), and slot 2
from 20 on: three stretches. A run from 5 to 12 finds slot 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import change, is_first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stretches:
    """Stretch ``i``: slots number ``above[i]`` + 1 to ``upto[i]`` of each node of class ``owner[i]``.

    They exist from ``times[begin[i]]`` to ``times[end[i]]`` and neither just before nor just after. ``times`` rise and
    end with inf; some may belong to no stretch. ``classes`` is the number of classes, also those without stretches.
    """

    classes: int
    times: FloatArray
    owner: IntArray
    begin: IntArray
    end: IntArray
    above: IntArray
    upto: IntArray

    def renumbered(self, new: IntArray, classes: int) -> "Stretches":
        """Give class ``c`` the number ``new[c]``, below ``classes``; drop the classes for which it is negative."""
        owner = new[self.owner]
        kept = np.flatnonzero(owner >= 0)
        return Stretches(
            classes=classes,
            times=self.times,
            owner=owner[kept],
            begin=self.begin[kept],
            end=self.end[kept],
            above=self.above[kept],
            upto=self.upto[kept],
        )

    def then(self, others: "Stretches") -> "Stretches":
        """Append the stretches of further classes."""
        known = self._knowing(others.times)
        theirs = known.times.searchsorted(others.times)
        return Stretches(
            classes=self.classes + others.classes,
            times=known.times,
            owner=np.concatenate([self.owner, others.owner + self.classes]),
            begin=np.concatenate([known.begin, theirs[others.begin]]),
            end=np.concatenate([known.end, theirs[others.end]]),
            above=np.concatenate([self.above, others.above]),
            upto=np.concatenate([self.upto, others.upto]),
        )

    def _knowing(self, times: FloatArray) -> "Stretches":
        """Return the same stretches with further ``times``, which rise."""
        new = times[self.times[self.times.searchsorted(times)] != times]
        if not new.size:
            return self
        index = np.arange(len(self.times)) + new.searchsorted(self.times)
        merged = np.insert(self.times, self.times.searchsorted(new), new)
        return replace(self, times=merged, begin=index[self.begin], end=index[self.end])


def no_stretches() -> Stretches:
    """Return the stretches of no classes."""
    nothing = np.zeros(0, dtype=np.int64)
    return Stretches(
        classes=0, times=np.array([np.inf]), owner=nothing, begin=nothing, end=nothing, above=nothing, upto=nothing
    )


def find_stretches(owner: IntArray, begin: IntArray, slots: IntArray, *, times: FloatArray, classes: int) -> Stretches:
    """Find the stretches of spans: from ``times[begin[b]]`` on, each node of class ``owner[b]`` has ``slots[b]`` slots.

    Spans are grouped by class, in the order of time within a class. ``slots`` are at least 0, and ``times`` rise.
    """
    changing = np.flatnonzero(is_first(owner) | (change(slots, owner) != 0))
    owner, begin, slots = owner[changing], begin[changing], slots[changing]
    no_more, fewer = _last_with_no_more(owner, slots), _first_with_fewer(owner, slots)
    # Take the last earlier span with no more slots, and the first later span with fewer slots. If a slot also exists in
    # one of these two spans, its stretch is longer, and is listed for another span.
    above = np.maximum(_of_same(owner, slots, no_more), _of_same(owner, slots, fewer))
    own = np.flatnonzero(slots > above)
    never = len(times)
    ends = np.where(np.append(owner, -1)[fewer[own]] == owner[own], np.append(begin, never)[fewer[own]], never)
    begins = begin[no_more[own] + 1]
    used = np.zeros(never + 1, dtype=np.bool_)
    used[begins] = used[ends] = used[never] = True
    index = used.cumsum() - 1
    return Stretches(
        classes=classes,
        times=np.append(times, np.inf)[used],
        owner=owner[own],
        begin=index[begins],
        end=index[ends],
        above=above[own],
        upto=slots[own],
    )


def _of_same(owner: IntArray, slots: IntArray, at: IntArray) -> IntArray:
    """Return the slots of the spans ``at``; 0 where a span is of another class."""
    same: IntArray = np.where(np.append(owner, -1)[at] == owner, np.append(slots, 0)[at], 0)
    return same


def _first_with_fewer(owner: IntArray, slots: IntArray) -> IntArray:
    """Return, for each span, the first later span of its class with fewer slots, else a span outside of its class."""
    # Each class is shifted below all values of the class before it, so that no search goes past the end of its class.
    return _first_later(slots - owner * (int(slots.max(initial=0)) + 1), np.greater_equal)


def _last_with_no_more(owner: IntArray, slots: IntArray) -> IntArray:
    """Return, for each span, the last earlier span of its class with no more slots, else the span before its class."""
    shifted = slots + owner * (int(slots.max(initial=0)) + 1)
    return len(owner) - 1 - _first_later(shifted[::-1], np.greater)[::-1]


def _first_later(values: IntArray, passes_over: Callable[[IntArray, IntArray], BoolArray]) -> IntArray:
    """Return, for each entry, the first later entry that it does not pass over; the length if there is none.

    ``passes_over(later, own)`` is ``later >= own`` or ``later > own``; both are transitive. So if an entry passes over
    a second entry, it also passes over all entries that the second one passes over. The search continues behind these.
    """
    values = np.append(values, values.min(initial=0) - 1)
    found = np.arange(1, len(values))
    searching = np.flatnonzero(passes_over(values[found], values[:-1]))
    while searching.size:
        found[searching] = found[found[searching]]
        searching = searching[passes_over(values[found[searching]], values[searching])]
    return found
