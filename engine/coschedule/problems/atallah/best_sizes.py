"""Finds the best sizes of an equal load for many cells at once: each has a start, a slow-down and a number of slots.

A size counts only if it is quicker than all smaller sizes. If a smaller size is as quick, it uses fewer of the same
slots, ends no later and costs less, at any price. So among the sizes that count, larger ones are always quicker.

Example: sizes 1, 2 and 3 run 10, 6 and 7 seconds. Size 3 does not count. So for 0 to 3 slots ``last`` is
[-1, 0, 1, 1], and ``least`` is [inf, 10, 6, 6].
"""

import math
from dataclasses import dataclass

import numpy as np

from coschedule.model.goal import Goal, Objective, SizeTable
from coschedule.model.numbers import FloatArray, IntArray, Scalar, Vector
from coschedule.problems.atallah.bounding.ranges import RangeMinima
from coschedule.problems.atallah.gang import SlotChoice

Cell = tuple[FloatArray, FloatArray]
"""The starts and the slow-downs of some cells."""

SLACK = 1e-12
"""More than the relative error of the sums and products here in floats, which is at most 10**-15."""


def quickest(table: SizeTable) -> SizeTable:
    """Keep the sizes that are quicker than all smaller ones."""
    if not len(table.sizes):
        return table
    if (table.times[1:] < table.times[:-1]).all():
        return table
    record = np.ones(len(table.sizes), dtype=np.bool_)
    record[1:] = (table.times[1:] < np.minimum.accumulate(table.times)[:-1]).astype(np.bool_)
    return table.where(record)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestSizes:
    """``last[n]`` is the index of the largest size of ``table`` that fits on ``n`` slots, -1 if none.

    ``least[n]`` is the least cost of all sizes that fit on ``n`` slots, inf if none. All numbers are rounded to floats.
    """

    table: SizeTable
    last: IntArray
    least: FloatArray
    deadline: float
    fewest: bool
    priced: bool

    def values(self, best: Cell, worst: Cell, slots: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least value on ``slots`` for the starts and slow-downs ``best``, and the same for ``worst``.

        A value is inf when no size meets the deadline. With the fewest members as objective, the value is their number.
        The deadline is rounded up for ``best`` and down for ``worst``.
        """
        held = slots.astype(np.int64)
        if self.fewest or (self.priced and self.deadline < math.inf):
            last = self.last.take(held, mode="clip")
            return self._in_time(*best, last, SLACK), self._in_time(*worst, last, -SLACK)
        costs = self.least.take(held, mode="clip")
        least = costs * best[1]
        least += best[0]
        if worst is best and self.deadline == math.inf:
            return least, least
        values = np.multiply(costs, worst[1], out=costs)
        values += worst[0]
        if self.deadline < math.inf:
            least[least > self.deadline * (1 + SLACK)] = math.inf
            values[values > self.deadline * (1 - SLACK)] = math.inf
        return least, values

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
        """Return the value up to which a choice may be the best."""
        if self.fewest:
            return reached - 1
        return reached * (1 + SLACK) if exact else reached


def best_sizes_of(table: SizeTable, goal: Goal, *, slots: int) -> BestSizes:
    """Prepare the best sizes for 0 to ``slots`` slots; ``table`` has at least one size."""
    times, costs = (numbers.astype(np.float64, copy=False) for numbers in (table.times, table.costs))
    last = _last(table.sizes, min(slots, goal.maximum))
    least = np.minimum.accumulate(costs) if goal.price else costs
    # Index -1, for no size, refers to the inf at the end.
    least = np.concatenate((least, (math.inf,)))[last]
    return BestSizes(
        table=SizeTable(table.sizes, times, costs),
        last=last,
        least=least,
        deadline=float(goal.deadline),
        fewest=goal.objective is Objective.FEWEST,
        priced=goal.price > 0,
    )


def _last(sizes: IntArray, most: int) -> IntArray:
    """Return the index of the largest size up to each of 0, 1, ..., most."""
    if int(sizes[-1]) - int(sizes[0]) == len(sizes) - 1:
        return np.clip(np.arange(-int(sizes[0]), most + 1 - int(sizes[0])), -1, len(sizes) - 1)
    return np.bincount(sizes, minlength=most + 1).cumsum()[: most + 1] - 1


def quickest_choices(
    table: SizeTable, goal: Goal, starts: Vector, slowdowns: Vector, slots: IntArray
) -> list[SlotChoice]:
    """List the choices with the earliest finish of all cells, one for each cell with this finish.

    The list is empty if this finish is after the deadline. Numbers are exact where the numbers of ``table`` are.
    """
    index = np.searchsorted(table.sizes, slots, side="right") - 1
    finishes = starts + slowdowns * table.times[index]
    finish = finishes.min(initial=math.inf)
    if not finish <= goal.deadline:
        return []
    first = np.flatnonzero(finishes == finish)
    columns = (starts[first], slowdowns[first], table.sizes[index[first]].tolist())
    return [SlotChoice(*column, finish=finish, value=finish) for column in zip(*columns, strict=True)]


def best_choices(table: SizeTable, goal: Goal, starts: Vector, slowdowns: Vector, slots: IntArray) -> list[SlotChoice]:
    """List the best choice of each cell that has a choice; numbers are exact if the numbers of ``table`` are."""
    columns = zip(starts, slowdowns, slots.tolist(), strict=True)
    choices = (_best_choice(table, goal, *column) for column in columns)
    return [choice for choice in choices if choice is not None]


def _best_choice(table: SizeTable, goal: Goal, start: Scalar, slowdown: Scalar, slots: int) -> SlotChoice | None:
    sizes = table.up_to(slots)
    in_time = np.flatnonzero(start + slowdown * sizes.times <= goal.deadline)
    if not in_time.size:
        return None
    index = int(in_time[0] if goal.objective is Objective.FEWEST else in_time[_last_least(sizes.costs[in_time])])
    finish, value = start + slowdown * sizes.times[index], start + slowdown * sizes.costs[index]
    return SlotChoice(start, slowdown, int(sizes.sizes[index]), finish=finish, value=value)


def _last_least(costs: Vector) -> int:
    """Return the last index of the least cost: of all sizes with this cost, the largest one ends first."""
    return len(costs) - 1 - int(costs[::-1].argmin())
