"""Equal load: the best start, slow-down and size for one gang [A 3], over slots that come and go.

Objective: minimise start + e * T(P) * (1 + price * P), e being the largest slow-down used, over all instants at which
slots appear, all slow-downs and all sizes; a slot counts only if it lasts until the gang would finish.

Method: an instant is bounded from below by granting it every slot that outlasts the shortest run. Instants are taken
in the order of their bounds, some at a time, until the next bound is worse than the best choice found. The pairs of
such an instant and a slow-down are bounded by the slots of that instant that outlast the shortest run at that
slow-down, and evaluated in that order, some at a time: one matrix over pairs and sizes. Where every node has a speed of
its own, there are thousands of pairs; few of them are left then.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.candidates import Candidate, Considered, SearchSpace
from coschedule.queue.finishes import finishes_of
from coschedule.queue.price import Price

_MOST_RANGES = 16
"""Bounds of instants tell at most so many ranges of slow-downs apart: more of them cost more than they save."""

_AT_ONCE = 16
"""So many instants, or pairs, are looked at together: most of the time of a small matrix goes into calling numpy."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EqualLoad:
    """``sizes[p]`` members, rising, run ``times[p]`` seconds on idle reference nodes."""

    sizes: IntArray
    times: FloatArray
    price: Price

    def where(self, kept: BoolArray) -> Self:
        """Keep the sizes for which ``kept``, bool[p], is True."""
        return replace(self, sizes=self.sizes[kept], times=self.times[kept])

    def runs_at(self, slowdown: float) -> FloatArray:
        """Seconds that each size runs when all its members have this slow-down: float[p]."""
        return slowdown * self.times

    def best(self, space: SearchSpace, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate that starts at an instant of ``among``, rising, of a value up to ``limit``."""
        if not (len(space.open_slots.slowdowns) and len(self.sizes) and len(among)):
            return None
        search = _Search(space, self, limit)
        if len(among) <= _AT_ONCE:
            search.look_at(among)
            return search.best
        bounds = self._bounds(space)
        possible = among[(bounds[among] <= limit) & (bounds[among] < np.inf)]
        order = possible[np.argsort(bounds[possible], kind="stable")]
        for first in range(0, len(order), _AT_ONCE):
            if bounds[order[first]] > search.limit:
                break
            search.look_at(np.sort(order[first : first + _AT_ONCE]))
        return search.best

    def up_to(self, most: int) -> tuple[IntArray, FloatArray]:
        """Return the sizes that are at most ``most``, and their times."""
        kept = int(np.searchsorted(self.sizes, most, side="right"))
        return self.sizes[:kept], self.times[:kept]

    def least_values(self, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Bound from below the value of runs of any size that so many slots could hold, inf where none."""
        cheapest = np.append(np.inf, np.minimum.accumulate(self.times * self.price.weights(self.sizes)))
        costs = slowdowns * cheapest[np.searchsorted(self.sizes, slots, side="right")]
        return self.price.least_value(starts, costs, int(self.sizes[-1]))

    def _bounds(self, space: SearchSpace) -> FloatArray:
        """Bound from below the value of every run that starts at each instant, inf where no size fits: float[k]."""
        slowdowns = space.open_slots.slowdowns
        ranges = min(_MOST_RANGES, len(slowdowns))
        fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
        slots = space.counts.outlasting(float(fastest[0] * self.times.min()), ranges=ranges)
        bounds: FloatArray = self.least_values(space.open_slots.instants, fastest[:, np.newaxis], slots).min(axis=0)
        return bounds


@dataclass(slots=True, eq=False)
class _Search:
    """The best candidate found so far, and the value that the next one must not exceed."""

    space: SearchSpace
    load: EqualLoad
    limit: float
    best: Candidate | None = None

    def look_at(self, among: IntArray) -> None:
        """Evaluate pairs of an instant of ``among``, rising, and a slow-down that may beat the best candidate."""
        open_slots = self.space.open_slots
        slots = self.space.counts.at(among)
        starts, slowdowns = open_slots.instants[among], open_slots.slowdowns[:, np.newaxis]
        bounds = self.load.least_values(starts, slowdowns, slots - self._lost_soon(among)).ravel()
        possible = np.flatnonzero((bounds <= self.limit) & (bounds < np.inf))
        if len(possible) > _AT_ONCE:
            # What the lowest bounds find leaves little of the others to be sorted.
            lowest = np.argpartition(bounds[possible], _AT_ONCE)[:_AT_ONCE]
            self._look_at_pairs(possible[lowest], bounds, among, slots)
            possible = np.delete(possible, lowest)
            possible = possible[bounds[possible] <= self.limit]
        self._look_at_pairs(possible, bounds, among, slots)

    def _look_at_pairs(self, possible: IntArray, bounds: FloatArray, among: IntArray, slots: IntArray) -> None:
        """Evaluate pairs in the order of their bounds, until a bound exceeds the limit."""
        instants = self.space.open_slots.instants[among]
        order = possible[np.argsort(bounds[possible], kind="stable")]
        for first in range(0, len(order), _AT_ONCE):
            pairs = order[first : first + _AT_ONCE]
            pairs = pairs[bounds[pairs] <= self.limit]
            if not pairs.size:
                break
            paces, columns = np.divmod(pairs, len(among))
            self._evaluate(instants[columns], paces, slots[paces, columns])

    def _lost_soon(self, among: IntArray) -> IntArray:
        """Count the slots, up to each pace, that even the shortest run at that pace loses: int[t, k]."""
        shortest = self.space.open_slots.slowdowns * self.load.times.min()
        starts = self.space.open_slots.instants[among].tolist()
        return np.stack([self.space.losses.lost_soon(start, start + shortest) for start in starts], axis=1)

    def _evaluate(self, starts: FloatArray, paces: IntArray, slots: IntArray) -> None:
        """Evaluate every size for each pair ``q``: at its start it has ``slots[q]`` slots of ``paces[q]`` or faster."""
        sizes, times = self.load.up_to(int(slots.max()))
        slowdowns, at = self.space.open_slots.slowdowns[paces], starts[:, np.newaxis]
        finishes = finishes_of(at, slowdowns[:, np.newaxis] * times)
        lasting = slots[:, np.newaxis] - self.space.losses.lost(starts, paces, finishes)
        finishes = np.where(lasting >= sizes, finishes, np.inf)
        self.space.consider(Considered(starts, slowdowns, sizes, finishes))
        values = self.load.price.value(at, finishes, sizes)
        least = float(values.min())
        if least > self.limit or least == np.inf:
            return
        for pair, size in np.argwhere(values == least).tolist():
            finish = float(finishes[pair, size])
            found = Candidate(least, int(sizes[size]), float(starts[pair]), int(paces[pair]), finish)
            self.best = found if self.best is None else min(self.best, found)
        self.limit = least
