"""Equal load: the best start, slow-down and size for one gang [A 3], over slots that come and go.

Objective: minimise start + e * T(P) * (1 + price * P), e being the largest slow-down used, over all instants at which
slots appear, all slow-downs and all sizes; a slot counts only if it lasts until the gang would finish.

Method: an instant is bounded from below by granting it every slot that outlasts the shortest run, range of slow-downs
by range. Instants are taken in the order of their bounds, until the next bound is worse than the best choice found: two
or three as a rule. Where there are more slow-downs than ranges, those that are left after a few are bounded once more,
by smaller ranges: a price makes small differences large. From such an instant, the slow-downs are bounded by the slots
that outlast the shortest run at each, and evaluated in that order, some at a time: one matrix over slow-downs and
sizes. Where every node has a speed of its own, there are thousands of them; few are left then.
"""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.problem.price import Price
from coschedule.queue.search.candidates import Candidate, Considered, SearchSpace
from coschedule.queue.search.finishes import finishes_of, least_of_first
from coschedule.queue.slots.counts import count_outlasting
from coschedule.queue.slots.from_start import SlotsFrom, slots_from

_MOST_RANGES = 32
"""Bounds of all instants tell at most so many ranges of slow-downs apart: more of them cost more than they save."""

_ALIKE = 8
"""For so many of these ranges the slots that outlast one run are counted: counting them for another costs as much."""

_FEW = 4
"""So few instants are looked at rather than bounded once more."""

_CLOSER = 4
"""So many times as many ranges as before are told apart by closer bounds."""

_AT_ONCE = 16
"""So many slow-downs are looked at together: most of the time of a small matrix goes into calling numpy."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EqualLoad:
    """``sizes[p]`` members, rising, run ``times[p]`` seconds on idle reference nodes.

    ``cheapest[v]`` are the least weighed seconds of any size that v slots could hold, inf where none.
    """

    sizes: IntArray
    times: FloatArray
    price: Price
    cheapest: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cheapest", self._least_by_slots(self.times * self.price.weights(self.sizes)))

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
        search = _CandidateSearch(space, self, limit)
        ranges = _MOST_RANGES
        bounds = self._bounds(space, among, ranges)
        while ranges < len(space.open_slots.slowdowns) and len(among) > _FEW:
            among = search.look_at_first(among, bounds)
            ranges *= _CLOSER
            bounds = self._bounds(space, among, ranges)
        search.look_at_all(among, bounds)
        return search.best

    def up_to(self, most: int) -> tuple[IntArray, FloatArray]:
        """Return the sizes that are at most ``most``, and their times."""
        kept = int(np.searchsorted(self.sizes, most, side="right"))
        return self.sizes[:kept], self.times[:kept]

    def least_values(self, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Bound from below the value of runs of any size that so many slots could hold, inf where none."""
        costs = slowdowns * self.cheapest[np.minimum(slots, len(self.cheapest) - 1)]
        return self.price.least_value(starts, costs, int(self.sizes[-1]))

    def shortest_runs(self, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Bound from below the seconds that any size runs which so many slots could hold; see ``GangLoad``."""
        shortest = self._least_by_slots(self.times)
        runs: FloatArray = slowdowns * shortest[np.minimum(slots, len(shortest) - 1)]
        return runs

    def _least_by_slots(self, by_size: FloatArray) -> FloatArray:
        """Return the least of all sizes that so many slots could hold, from none to the largest size: float[v]."""
        least = least_of_first(by_size)
        slots = np.arange(self.sizes.max(initial=0) + 1)
        return least[np.searchsorted(self.sizes, slots, side="right")]

    def _bounds(self, space: SearchSpace, among: IntArray, most_ranges: int) -> FloatArray:
        """Bound from below the value of every run that starts at some instants, inf where no size fits: float[k]."""
        if len(among) <= 1:
            return np.full(len(among), -np.inf)
        slowdowns = space.open_slots.slowdowns
        ranges = min(most_ranges, len(slowdowns))
        fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
        alike = max(_ALIKE, ranges * _ALIKE // _MOST_RANGES)
        shortest = fastest[np.arange(ranges) // alike * alike] * self.times.min()
        slots = count_outlasting(space.open_slots, shortest, among=among)
        bounds: FloatArray = self.least_values(space.instants[among], fastest[:, np.newaxis], slots).min(axis=0)
        return bounds


@dataclass(slots=True, eq=False)
class _CandidateSearch:
    """The best candidate found so far, and the value that the next one must not exceed."""

    space: SearchSpace
    load: EqualLoad
    limit: float
    best: Candidate | None = None

    def look_at_first(self, among: IntArray, bounds: FloatArray) -> IntArray:
        """Evaluate runs from a few of the instants, the most promising ones; return those that may still be better."""
        order = np.argsort(bounds, kind="stable")
        self.look_at_all(among[order[:_FEW]], bounds[order[:_FEW]])
        rest = order[_FEW:]
        left: IntArray = np.sort(among[rest[(bounds[rest] <= self.limit) & (bounds[rest] < np.inf)]])
        return left

    def look_at_all(self, among: IntArray, bounds: FloatArray) -> None:
        """Evaluate runs from the instants ``among[k]``, whose bounds are given, in the order of these."""
        for index in np.argsort(bounds, kind="stable").tolist():
            if bounds[index] > self.limit or bounds[index] == np.inf:
                break
            self.look_at(float(self.space.instants[among[index]]))

    def look_at(self, start: float) -> None:
        """Evaluate runs from a start on slots of each pace and of faster ones, where they may beat the best one."""
        slowdowns = self.space.open_slots.slowdowns
        slots = slots_from(self.space.open_slots, start)
        soonest = start + slowdowns * self.load.times.min()
        held = slots.held
        bounds = self.load.least_values(np.array(start), slowdowns, held - slots.lost_soon(soonest))
        possible = ((bounds <= self.limit) & (bounds < np.inf)).nonzero()[0]
        order = possible[bounds[possible].argsort(kind="stable")]
        for first in range(0, len(order), _AT_ONCE):
            paces = order[first : first + _AT_ONCE]
            paces = paces[bounds[paces] <= self.limit]
            if not paces.size:
                break
            self._evaluate(start, paces, held[paces], slots)

    def _evaluate(self, start: float, paces: IntArray, held: IntArray, slots: SlotsFrom) -> None:
        """Evaluate every size on ``held[q]`` slots of ``paces[q]`` or faster, of which some are lost."""
        sizes, times = self.load.up_to(int(held.max()))
        slowdowns = self.space.open_slots.slowdowns[paces]
        finishes = finishes_of(start, slowdowns[:, np.newaxis] * times)
        lasting = held[:, np.newaxis] - slots.lost(paces, finishes)
        finishes = np.where(lasting >= sizes, finishes, np.inf)
        self.space.consider(Considered(np.full(len(paces), start), slowdowns, sizes, finishes))
        values = self.load.price.value(start, finishes, sizes)
        least = float(values.min())
        if least > self.limit or least == np.inf:
            return
        for pair, size in np.argwhere(values == least).tolist():
            found = Candidate(least, int(sizes[size]), start, int(paces[pair]), float(finishes[pair, size]))
            self.best = found if self.best is None else min(self.best, found)
        self.limit = least
