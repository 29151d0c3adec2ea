"""Which size an equal load would take, given a start, a slow-down and so many places, for many of them at once.

A size counts only if no smaller one is as quick: the smaller one would need fewer of the same places, end no later and,
whatever the price, cost less. Of the sizes that count, larger ones are always quicker.
"""

import math
from dataclasses import dataclass

import numpy as np

from coschedule.groups.goal import Goal, Objective, SizeTable
from coschedule.groups.ranges import RangeMinima
from coschedule.numbers import FloatArray, IntArray, Scalar

SLACK = 1e-12
"""Rounded to floats, sums and products of numbers that are not negative are off by a part in 10**15 at most."""


def quickest(table: SizeTable) -> SizeTable:
    """Keep the sizes that are quicker than every smaller one."""
    if not len(table.sizes):
        return table
    record = np.ones(len(table.sizes), dtype=np.bool_)
    record[1:] = (table.times[1:] < np.minimum.accumulate(table.times)[:-1]).astype(np.bool_)
    return table if record.all() else table.where(record)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Menu:
    """``last[n]`` is the index of the largest size of ``table`` that ``n`` places can hold, -1 if none.

    ``least[n]`` is the least cost of any size up to there, inf if none; all numbers are rounded to floats.
    """

    table: SizeTable
    last: IntArray
    least: FloatArray
    deadline: float
    fewest: bool
    priced: bool

    def values(self, starts: FloatArray, slowdowns: FloatArray, places: FloatArray, *, slack: float) -> FloatArray:
        """Find the least value with ``places`` of a slow-down from a start on, inf when no size meets the deadline.

        With the fewest members as objective the value is their number. ``slack`` moves the deadline by a part.
        """
        held = np.minimum(places, len(self.last) - 1).astype(np.int64)
        if self.fewest or (self.priced and self.deadline < math.inf):
            return self._in_time(starts, slowdowns, self.last[held], slack)
        values: FloatArray = self.least[held]
        values *= slowdowns
        values += starts
        if self.deadline < math.inf:
            values[values > self.deadline * (1 + slack)] = math.inf
        return values

    def _in_time(self, starts: FloatArray, slowdowns: FloatArray, last: IntArray, slack: float) -> FloatArray:
        longest = (self.deadline * (1 + slack) - starts) / slowdowns
        first = np.searchsorted(-self.table.times, -longest)
        fits = first <= last
        first = np.where(fits, first, 0)
        if self.fewest:
            return np.where(fits, self.table.sizes[first], math.inf)
        costs = RangeMinima(self.table.costs).of(first, np.where(fits, last, 0))
        return np.where(fits, starts + slowdowns * costs, math.inf)

    def limit(self, reached: float, *, exact: bool) -> float:
        """Say up to which value a choice may still be the best."""
        if self.fewest:
            return reached - 1
        return reached * (1 + SLACK) if exact else reached


def menu_of(table: SizeTable, goal: Goal, *, places: int) -> Menu:
    """List what can be had with up to ``places`` places; ``table`` has one size at least."""
    most = min(places, goal.maximum)
    times, costs = (numbers.astype(np.float64, copy=False) for numbers in (table.times, table.costs))
    last = np.cumsum(np.bincount(table.sizes, minlength=most + 1))[: most + 1] - 1
    # Index -1, for no size, finds the inf at the end.
    least = np.append(np.minimum.accumulate(costs), math.inf)[last]
    return Menu(
        table=SizeTable(table.sizes, times, costs),
        last=last,
        least=least,
        deadline=float(goal.deadline),
        fewest=goal.objective is Objective.FEWEST,
        priced=goal.price > 0,
    )


def best_size(table: SizeTable, goal: Goal, *, start: Scalar, slowdown: Scalar, places: int) -> int | None:
    """Find the index of the size that is best by ``goal`` in the table's own arithmetic, None when none is in time."""
    sizes = table.up_to(places)
    possible = np.flatnonzero(start + slowdown * sizes.times <= goal.deadline)
    if not possible.size:
        return None
    return int(possible[0] if goal.objective is Objective.FEWEST else possible[np.argmin(sizes.costs[possible])])
