"""Who gets how many workstations when every speed-up is known: the exact alternative to the share auction [C 5.7].

Objective: one level for each application, within the workstations there are, so that the sum of the logarithms of the
speed-ups is largest. This is proportional fairness: no other division raises some speed-ups by a larger factor, all in
all, than that by which it lowers the others.

Theorem: the largest sum of logarithms is the largest product, so rational speed-ups are compared exactly by products.
It is a multiple-choice knapsack: of two ways to give the first applications the same number of workstations, the one
with the larger product is no worse, whatever the others get.

Method: tables of float64 logarithms say, for every number of workstations left, how much the other applications can
still add. A way whose bound is below the optimum by more than all rounding together is out; what remains (the optimum
and its ties, as a rule) is compared in exact products. O(applications * levels * workstations) time in vectors of
workstations, O(applications * workstations) memory.

Ties: fewest workstations, then the lowest level of the first application, of the second, and so on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from coschedule.errors import InvalidValueError
from coschedule.numbers import FloatArray, Number

LARGEST_TABLE = 20_000_000
"""Applications times workstations may not be more than this: eight bytes each must fit in memory."""

_ROUNDING = 2.0**-50
"""More than the rounding of a logarithm and of the sums it is in, relative to the largest sum, per application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """An application: ``workstations[l]``, at least 0, and speed-up ``speedups[l]``, above 0 and finite, of level l.

    InvalidValueError otherwise, and when there are no levels.
    """

    workstations: tuple[int, ...]
    speedups: tuple[Number, ...]

    def __post_init__(self) -> None:
        if not self.workstations:
            raise InvalidValueError("workstations", "must hold at least one level")
        if len(self.speedups) != len(self.workstations):
            raise InvalidValueError("speedups", f"must hold {len(self.workstations)} speed-ups, one a level")
        for level, workstations in enumerate(self.workstations):
            if workstations < 0:
                raise InvalidValueError(f"workstations[{level}]", "must be at least 0")
        for level, speedup in enumerate(self.speedups):
            if not 0 < speedup < math.inf:
                raise InvalidValueError(f"speedups[{level}]", "must be above 0 and finite")

    def whole_speedups(self) -> list[int]:
        """The speed-ups times their common denominator: in the same proportions, without fractions."""
        exact = [Fraction(speedup) for speedup in self.speedups]
        common = math.lcm(*(speedup.denominator for speedup in exact))
        return [int(speedup * common) for speedup in exact]


class ShareReason(StrEnum):
    """Why there are no shares."""

    NO_SHARES_FIT = "NoSharesFit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The best division: the level of each application, the workstations used, and the sum of log speed-ups."""

    levels: tuple[int, ...]
    workstations: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NoShares:
    """Not even the smallest levels fit; ``message`` says so with numbers."""

    reason: ShareReason
    message: str


def divide_shares(applications: Sequence[Levels], *, total: int) -> Shares | NoShares:
    """Choose the levels with the largest product of speed-ups that need no more than ``total`` workstations.

    Exact for floats too, each of which is a rational. InvalidValueError when ``total`` is negative or when there are
    more than LARGEST_TABLE applications times workstations; module docstring: method, complexity, ties.
    """
    if total < 0:
        raise InvalidValueError("total", "must be at least 0")
    least = sum(min(application.workstations) for application in applications)
    if least > total:
        return NoShares(reason=ShareReason.NO_SHARES_FIT, message=_too_few(least, total))
    usable = min(total, sum(max(application.workstations) for application in applications))
    if len(applications) * usable > LARGEST_TABLE:
        message = f"must be at most {LARGEST_TABLE // len(applications)} for {len(applications)} applications"
        raise InvalidValueError("total", message)
    left, best = _best_way(applications, usable)
    chosen = _choices(best)
    logs = [math.log(application.speedups[level]) for application, level in zip(applications, chosen, strict=True)]
    return Shares(levels=chosen, workstations=usable - left, value=math.fsum(logs))


def _too_few(least: int, total: int) -> str:
    return f"the smallest levels need {least} workstations together and there are {total}"


class _Way(NamedTuple):
    """One choice for the applications so far: its product, the float64 logarithm of that, and how it came about."""

    product: int
    log: float
    level: int
    before: "_Way | None"


def _best_way(applications: Sequence[Levels], usable: int) -> tuple[int, _Way]:
    """Find the workstations left and the choice of all applications that comes first in the stated order."""
    addable = _addable(applications, usable)
    least = float(addable[0][usable]) - _slack(applications)
    # Ordered by levels, as every step goes through it in order and puts what it finds better at the end.
    ways = {usable: _Way(1, 0.0, -1, None)}
    for application, rest in zip(applications, addable[1:], strict=True):
        ways = _extended(ways, application, rest, least)
    return max(ways.items(), key=lambda item: (item[1].product, item[0]))


def _extended(ways: dict[int, _Way], application: Levels, rest: FloatArray, least: float) -> dict[int, _Way]:
    """Give one more application each of its levels; of the ways that leave as many workstations keep the best."""
    choices = list(zip(application.workstations, application.whole_speedups(), _logs(application), strict=True))
    extended: dict[int, _Way] = {}
    for left, way in ways.items():
        for level, (workstations, speedup, log) in enumerate(choices):
            remaining = left - workstations
            if remaining < 0 or way.log + log + rest[remaining] < least:
                continue
            product, held = way.product * speedup, extended.get(remaining)
            if held is None or product > held.product:
                extended.pop(remaining, None)
                extended[remaining] = _Way(product, way.log + log, level, way)
    return extended


def _choices(way: _Way | None) -> tuple[int, ...]:
    levels = []
    while way is not None and way.before is not None:
        levels.append(way.level)
        way = way.before
    return tuple(reversed(levels))


def _addable(applications: Sequence[Levels], usable: int) -> list[FloatArray]:
    """Table ``addable[i][w]``: the largest sum of logarithms of applications i, i + 1, ... on w workstations or fewer.

    -inf where they do not fit.
    """
    tables = [np.zeros(usable + 1)]
    for application in reversed(applications):
        rest, table = tables[-1], np.full(usable + 1, -np.inf)
        for workstations, log in zip(application.workstations, _logs(application), strict=True):
            if workstations <= usable:
                reached = table[workstations:]
                np.maximum(reached, rest[: len(reached)] + log, out=reached)
        tables.append(table)
    return tables[::-1]


def _logs(application: Levels) -> list[float]:
    return [math.log(speedup) for speedup in application.speedups]


def _slack(applications: Sequence[Levels]) -> float:
    """Bound how far two equal products can be apart as sums of rounded logarithms."""
    largest = sum(max(abs(log) for log in _logs(application)) for application in applications)
    return _ROUNDING * (len(applications) + 2) * (1 + largest)
