"""Proportional load: a member's share is in proportion to its speed, so all end together [A 4].

Let H be the sum of 1 / slow-down over P members. They run for P * T(P) / H seconds. So for each size, the fastest slots
are the best.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.loads import unequal
from coschedule.queue.loads.unequal import BestSize
from coschedule.queue.problem.price import Price
from coschedule.queue.search.candidates import Candidate, SearchSpace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProportionalLoad:
    """``sizes[p]`` members, rising, divide ``work[p]`` = P * T(P) seconds of work on one idle reference node."""

    sizes: IntArray
    work: FloatArray
    price: Price
    steps_a_run: ClassVar[int] = 5_000

    def where(self, kept: BoolArray) -> Self:
        """Return the load with only the sizes for which ``kept``, bool[p], is True."""
        return replace(self, sizes=self.sizes[kept], work=self.work[kept])

    def without_price(self) -> Self:
        """Return the load with a price of 0."""
        return replace(self, price=Price())

    def runs_at(self, slowdown: float) -> FloatArray:
        """Return the seconds that each size runs when all its members have this slow-down: float[p]."""
        runs: FloatArray = slowdown * self.work / self.sizes
        return runs

    def best(self, space: SearchSpace, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate of a value up to ``limit`` that starts at an instant of ``among``, rising."""
        return unequal.best(space, self, among=among, limit=limit)

    def shortest_runs(self, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the run time of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
        return unequal.shortest_runs(self, slowdowns, slots)

    def least_values(self, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the value of runs of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
        return unequal.least_values(self, starts, slowdowns, slots)

    def least_runs(self, first: IntArray, speed: FloatArray) -> FloatArray:
        """Return the least work of any size in each range, divided by the speed; see ``UnequalLoad``."""
        runs: FloatArray = np.minimum.reduceat(self.work, first)[:, np.newaxis] / speed
        return runs

    def best_run(self, start: float, slowdowns: FloatArray, held: IntArray, /) -> BestSize | None:
        """Give each size the fastest slots; see ``UnequalLoad``."""
        fitting = int(np.searchsorted(self.sizes, held[-1], side="right"))
        if not fitting:
            return None
        there = np.flatnonzero(np.diff(held, prepend=0))
        gained = np.diff(held[there], prepend=0) / slowdowns[there]
        speed = np.interp(self.sizes[:fitting], np.append(0, held[there]), np.append(0, np.cumsum(gained)))
        runs = self.work[:fitting] / speed
        # Finishes are compared, not runs: runs that end at the same time are equal, and the fewest members win.
        best = int(np.argmin(self.price.value(start, start + runs, self.sizes[:fitting])))
        return BestSize(float(runs[best]), int(self.sizes[best]))
