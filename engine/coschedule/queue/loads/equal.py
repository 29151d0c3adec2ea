"""Equal load: the best start, slow-down and size for one gang [A 3], over slots that come and go.

Objective: minimise start + e * T(P) * (1 + price * P), where e is the largest slow-down used. Choose among all instants
at which slots appear, all slow-downs and all sizes. A slot counts only if it lasts until the gang would finish.

Method: compute a lower bound on the values from each instant. For this, count all slots that outlast the shortest run,
by ranges of slow-downs. Search instants in the order of their bounds, until the next bound is worse than the best
choice found. This usually takes two or three instants. There may be more slow-downs than ranges. Then, after a few
searches, compute the bounds of the remaining instants again, with smaller ranges. This matters with a price, since a
price makes small differences large.

To search an instant, compute a lower bound on the values at each slow-down. For this, count the slots that outlast the
shortest run at this slow-down. Evaluate slow-downs in the order of these bounds, some at a time, as one matrix over
slow-downs and sizes. With thousands of different speeds, the bounds leave few slow-downs.
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
"""The most ranges of slow-downs that the first bounds distinguish: more ranges cost more than they save."""

_ALIKE = 8
"""The number of ranges whose slots are counted with the same shortest run.

Later rounds have more ranges, and this number grows with them. So slots are counted with few different runs.
"""

_FEW = 4
"""The number of instants that are evaluated before the other instants are bounded again."""

_CLOSER = 4
"""The factor by which the number of ranges grows when bounds are computed again."""

_AT_ONCE = 16
"""The number of slow-downs that are evaluated together: numpy's calls take most time if matrices are small."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EqualLoad:
    """``sizes[p]`` members, rising, run ``times[p]`` seconds on idle reference nodes.

    ``cheapest[v]`` are the least weighed seconds (``Price``) of any size up to v members, inf if there is none.
    """

    sizes: IntArray
    times: FloatArray
    price: Price
    cheapest: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cheapest", self._least_by_slots(self.times * self.price.weights(self.sizes)))

    def where(self, kept: BoolArray) -> Self:
        """Return the load with only the sizes for which ``kept``, bool[p], is True."""
        return replace(self, sizes=self.sizes[kept], times=self.times[kept])

    def runs_at(self, slowdown: float) -> FloatArray:
        """Return the seconds that each size runs when all its members have this slow-down: float[p]."""
        return slowdown * self.times

    def best(self, space: SearchSpace, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate of a value up to ``limit`` that starts at an instant of ``among``, rising."""
        if not (len(space.open_slots.slowdowns) and len(self.sizes) and len(among)):
            return None
        search = _CandidateSearch(space, self, limit)
        ranges = _MOST_RANGES
        bounds = self._bounds(space, among, ranges)
        while ranges < len(space.open_slots.slowdowns) and len(among) > _FEW:
            among = search.evaluate_first(among, bounds)
            ranges *= _CLOSER
            bounds = self._bounds(space, among, ranges)
        search.evaluate_all(among, bounds)
        return search.best

    def up_to(self, most: int) -> tuple[IntArray, FloatArray]:
        """Return the sizes that are at most ``most``, and their times."""
        kept = int(np.searchsorted(self.sizes, most, side="right"))
        return self.sizes[:kept], self.times[:kept]

    def least_values(self, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the value of runs of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
        costs = slowdowns * self.cheapest[np.minimum(slots, len(self.cheapest) - 1)]
        return self.price.least_value(starts, costs, int(self.sizes[-1]))

    def shortest_runs(self, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the run time of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
        shortest = self._least_by_slots(self.times)
        runs: FloatArray = slowdowns * shortest[np.minimum(slots, len(shortest) - 1)]
        return runs

    def _least_by_slots(self, by_size: FloatArray) -> FloatArray:
        """Return the least value of all sizes up to v, for v from 0 to the largest size: float[v]."""
        least = least_of_first(by_size)
        slots = np.arange(self.sizes.max(initial=0) + 1)
        return least[np.searchsorted(self.sizes, slots, side="right")]

    def _bounds(self, space: SearchSpace, among: IntArray, most_ranges: int) -> FloatArray:
        """Return a lower bound on the value of runs from each instant: float[k], inf if no size fits.

        A single instant has no bound: -inf.
        """
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
    """The best candidate found so far; ``limit`` is the value that further candidates must not exceed."""

    space: SearchSpace
    load: EqualLoad
    limit: float
    best: Candidate | None = None

    def evaluate_first(self, among: IntArray, bounds: FloatArray) -> IntArray:
        """Evaluate runs from the few instants with the best bounds; return other instants that may still be better."""
        order = np.argsort(bounds, kind="stable")
        self.evaluate_all(among[order[:_FEW]], bounds[order[:_FEW]])
        rest = order[_FEW:]
        left: IntArray = np.sort(among[rest[(bounds[rest] <= self.limit) & (bounds[rest] < np.inf)]])
        return left

    def evaluate_all(self, among: IntArray, bounds: FloatArray) -> None:
        """Evaluate runs from the instants ``among[k]`` in the order of their ``bounds[k]``."""
        for index in np.argsort(bounds, kind="stable").tolist():
            if bounds[index] > self.limit or bounds[index] == np.inf:
                break
            self.evaluate_from(float(self.space.instants[among[index]]))

    def evaluate_from(self, start: float) -> None:
        """Evaluate runs that start at ``start`` on slots up to a pace, for each pace that may beat the best run."""
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
        """Evaluate each size on ``held[q]`` slots of ``paces[q]`` or faster, without slots that end too early."""
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
