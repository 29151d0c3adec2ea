"""The goal of one gang: a range of sizes, a deadline, and what counts as best."""

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import BoolArray, IntArray, Number, Scalar, Vector
from coschedule.model.run_times import Work


class Objective(StrEnum):
    """Which choice for a gang is the best."""

    FINISH = "finish"
    """The least finish, or the least value when members have a price."""
    FEWEST = "fewest"
    """The fewest members that meet the deadline; among several such choices, the least value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Sizes, deadline and objective of one gang; InvalidValueError for invalid values.

    The value of a choice is finish + price * size * (finish - start). ``price`` is the cost of a member-second to
    others, in seconds. ``deadline`` is in seconds after the request, inf without one.
    """

    minimum: int
    maximum: int
    deadline: Number = math.inf
    objective: Objective = Objective.FINISH
    price: Number = 0

    def __post_init__(self) -> None:
        if self.minimum < 1:
            raise InvalidValueError("minimum", "must be at least 1")
        if self.maximum < self.minimum:
            raise InvalidValueError("maximum", "must not be below the minimum")
        if not self.deadline >= 0:
            raise InvalidValueError("deadline", "must be at least 0")
        if not 0 <= self.price < math.inf:
            raise InvalidValueError("price", "must be at least 0 and finite")

    @property
    def is_exact(self) -> bool:
        """Whether deadline and price are rational; an infinite deadline also counts."""
        return all(isinstance(number, int | Fraction) or number == math.inf for number in (self.deadline, self.price))

    def rank(self, *, value: Scalar, finish: Scalar, size: int, start: Scalar) -> tuple[Scalar, ...]:
        """Return the rank of a choice: the lowest is the best. Without a price, the value is the finish."""
        if self.objective is Objective.FEWEST:
            return (size, value, finish, start)
        return (value, finish, size, start)


class SizeTable(NamedTuple):
    """The sizes a gang may take, rising: entry ``p`` runs ``times[p]`` seconds on idle reference nodes.

    ``costs[p]`` is times[p] * (1 + price * sizes[p]). The value of a choice is its start plus its cost.
    """

    sizes: IntArray
    times: Vector
    costs: Vector

    def up_to(self, most: int) -> "SizeTable":
        """Keep the sizes that are at most ``most``."""
        kept = int(np.searchsorted(self.sizes, most, side="right"))
        return SizeTable(self.sizes[:kept], self.times[:kept], self.costs[:kept])

    def where(self, kept: BoolArray) -> "SizeTable":
        """Keep the sizes for which ``kept``, bool[p], is True."""
        return SizeTable(self.sizes[kept], self.times[kept], self.costs[kept])

    def without_price(self) -> "SizeTable":
        """Return the table with the times as costs."""
        return SizeTable(self.sizes, self.times, self.times)


def size_table(work: Work, goal: Goal, *, slots: int, exact: bool) -> SizeTable:
    """Return the sizes of ``goal`` that have a time in ``work`` and fit on ``slots`` slots; fractions if ``exact``."""
    largest = min(goal.maximum, slots)
    if largest < goal.minimum:
        empty = np.empty(0)
        return SizeTable(np.empty(0, dtype=np.int64), empty, empty)
    times = work.exact_times(largest) if exact else work.float_times(largest)
    sizes = np.arange(goal.minimum, largest + 1)
    times = times[goal.minimum - 1 :]
    known = times < math.inf
    if not known.all():
        sizes, times = sizes[known], times[known]
    if not goal.price:
        return SizeTable(sizes, times, times)
    price: Scalar = goal.price if exact else float(goal.price)
    return SizeTable(sizes, times, times * (1 + price * (sizes.astype(object) if exact else sizes)))
