"""The division of workstations when all speed-ups are known: the exact alternative to the share auction [C 5.7].

Objective: choose one level for each application, within the available workstations, with the largest sum of the
logarithms of speed-ups. This is proportional fairness. In any other division, some speed-ups grow and others fall; the
product of all factors of growth is at most the product of all factors of loss.

Theorem: the largest sum of logarithms is the largest product, so rational speed-ups are compared exactly by products.
The problem is a multiple-choice knapsack. A *way* is a choice of levels for the first applications. If two ways use the
same number of workstations, the way with the larger product is at least as good, whatever the other applications get.

Method: tables of float64 logarithms give the most that the other applications can add, for each number of workstations
left. A way is dropped if its bound is below the optimum by more than all rounding errors. The rest, usually the optimum
and its ties, is compared in exact products. O(applications * levels * workstations) time in vectors,
O(applications * workstations) memory.

Ties: fewest workstations, then the lowest level of the first application, of the second, and so on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import FloatArray, IntArray, Number, Vector

LARGEST_TABLE = 10_000_000
"""The limit on workstations times levels of all applications: this number of ways may have to be compared."""

_ROUNDING = 2.0**-50
"""An upper bound on the rounding error of a logarithm and its sums, relative to the largest sum, per application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """An application: level l has ``workstations[l]`` workstations and the speed-up ``speedups[l]``.

    Workstations are at least 0, speed-ups are above 0 and finite, and there is at least one level. InvalidValueError
    otherwise.
    """

    workstations: tuple[int, ...]
    speedups: tuple[Number, ...]

    def __post_init__(self) -> None:
        if not self.workstations:
            raise InvalidValueError("workstations", "must hold at least one level")
        if len(self.speedups) != len(self.workstations):
            raise InvalidValueError("speedups", f"must hold {len(self.workstations)} speed-ups, one for each level")
        for level, workstations in enumerate(self.workstations):
            if workstations < 0:
                raise InvalidValueError(f"workstations[{level}]", "must be at least 0")
        for level, speedup in enumerate(self.speedups):
            if not 0 < speedup < math.inf:
                raise InvalidValueError(f"speedups[{level}]", "must be above 0 and finite")

    def whole_speedups(self) -> list[int]:
        """Return the speed-ups times their common denominator: integers in the same proportions."""
        exact = [Fraction(speedup) for speedup in self.speedups]
        common = math.lcm(*(speedup.denominator for speedup in exact))
        return [int(speedup * common) for speedup in exact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The best division: the level of each application, the workstations used, and the sum of log speed-ups."""

    levels: tuple[int, ...]
    workstations: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NoShares:
    """The smallest levels together need ``needed`` workstations, and there are ``total``."""

    needed: int
    total: int


def divide_shares(applications: Sequence[Levels], *, total: int) -> Shares | NoShares:
    """Choose the levels with the largest product of speed-ups that need at most ``total`` workstations.

    Exact also for floats, which are read as rationals. InvalidValueError when ``total`` is negative, or for more than
    LARGEST_TABLE levels times workstations. The module explains method, cost and ties.
    """
    if total < 0:
        raise InvalidValueError("total", "must be at least 0")
    least = sum(min(application.workstations) for application in applications)
    if least > total:
        return NoShares(needed=least, total=total)
    usable = min(total, sum(max(application.workstations) for application in applications))
    levels = sum(len(application.workstations) for application in applications)
    if levels * usable > LARGEST_TABLE:
        raise InvalidValueError("total", f"must be at most {LARGEST_TABLE // levels} for {levels} levels")
    left, chosen = _best_way(applications, usable)
    logs = [math.log(application.speedups[level]) for application, level in zip(applications, chosen, strict=True)]
    return Shares(levels=chosen, workstations=usable - left, value=math.fsum(logs))


class _Ways(NamedTuple):
    """The best choices of levels for the applications so far, one for each number of workstations that are left.

    Entries are sorted by the level of the first application, then of the second, and so on. Entry i leaves ``left[i]``
    workstations and has the product ``product[i]``, with the float64 logarithm ``log[i]``. Its last application is at
    ``level[i]``. The earlier applications are as in entry ``before[i]`` of the previous ways.
    """

    left: IntArray
    product: Vector
    log: FloatArray
    level: IntArray
    before: IntArray


def _best_way(applications: Sequence[Levels], usable: int) -> tuple[int, tuple[int, ...]]:
    """Return the workstations left and the levels of the best choice, as the module defines it."""
    addable, slack = _addable(applications, usable), _slack(applications)
    least = float(addable[0][usable]) - slack
    none = np.zeros(1, dtype=np.int64)
    ways = _Ways(left=none + usable, product=np.array([1], dtype=object), log=np.zeros(1), level=none, before=none)
    steps: list[tuple[IntArray, IntArray]] = []
    for application, rest in zip(applications, addable[1:], strict=True):
        ways = _extended(ways, application, rest, least=least, slack=slack)
        steps.append((ways.level, ways.before))
    best = max(range(len(ways.left)), key=lambda index: (ways.product[index], ways.left[index]))
    return int(ways.left[best]), _levels(steps, best)


def _extended(ways: _Ways, application: Levels, rest: FloatArray, *, least: float, slack: float) -> _Ways:
    """Extend each way by each level of one more application; keep the best for each number of workstations left."""
    needed = np.array([min(workstations, len(rest)) for workstations in application.workstations], dtype=np.int64)
    lefts, logs = ways.left[:, None] - needed, ways.log[:, None] + np.array(_logs(application))
    reaches = (lefts >= 0) & (logs + rest[np.maximum(lefts, 0)] >= least)
    # The result is sorted by levels, since the ways are, and nonzero lists row by row.
    before, level = np.nonzero(reaches)
    left, log = lefts[reaches], logs[reaches]
    best = np.full(len(rest), -np.inf)
    np.maximum.at(best, left, log)
    near = np.flatnonzero(log >= best[left] - slack)
    product = ways.product[before[near]] * np.array(application.whole_speedups(), dtype=object)[level[near]]
    first = _first_of_best(left[near], product)
    kept = near[first]
    return _Ways(left=left[kept], product=product[first], log=log[kept], level=level[kept], before=before[kept])


def _first_of_best(left: IntArray, product: Vector) -> IntArray:
    """Return the index of the first of the largest products for each number of workstations left; indices rise."""
    by_left = np.argsort(left, kind="stable")
    starts = np.flatnonzero(np.diff(left[by_left], prepend=-1))
    largest = np.maximum.reduceat(product[by_left], starts)
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(left)))
    best = np.flatnonzero(product[by_left] == largest[group])
    _, first = np.unique(group[best], return_index=True)
    return np.sort(by_left[best[first]])


def _levels(steps: Sequence[tuple[IntArray, IntArray]], last: int) -> tuple[int, ...]:
    """Return the levels of the way ``last``; each step has the arrays ``level`` and ``before`` of a ``_Ways``."""
    levels = []
    for level, before in reversed(steps):
        levels.append(int(level[last]))
        last = int(before[last])
    return tuple(reversed(levels))


def _addable(applications: Sequence[Levels], usable: int) -> list[FloatArray]:
    """Return ``addable[i][w]``: the largest sum of logarithms of applications i, i + 1, ... on up to w workstations.

    It is -inf if the applications do not fit on w workstations.
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
    """Return an upper bound on how much the sums of rounded logarithms of two equal products differ."""
    largest = sum(max(abs(log) for log in _logs(application)) for application in applications)
    return _ROUNDING * (len(applications) + 2) * (1 + largest)
