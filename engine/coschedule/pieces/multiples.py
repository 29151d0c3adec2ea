"""Finds the least of some times for which a question has an answer. The times are multiples, and are not all listed.

Problem: the times are all j * e, where e is one of some slow-downs and j is from 1 to ``most``. Find the least time for
which a question has an answer. If the question has an answer for one time, it has an answer for all later times.

Method: try the least time first, as bounds are often exact. Then try the weighted median of the medians of each
slow-down. After each try, at most three quarters of the times remain. Once few times are left, list them and halve the
list.

Times are the floats j * e, and are compared without tolerance.
"""

from collections.abc import Callable
from typing import Generic, NamedTuple, Self, TypeVar

import numpy as np

from coschedule.model.numbers import FloatArray

Answer = TypeVar("Answer")

_FEW = 2**12
"""The most times that are listed."""


class Multiples(NamedTuple):
    """The times ``j * slowdowns[t]`` for j from ``first[t]`` to ``last[t]``; bounds are whole numbers, as floats."""

    slowdowns: FloatArray
    first: FloatArray
    last: FloatArray

    @classmethod
    def of(cls, slowdowns: FloatArray, *, most: int) -> Self:
        """Take the first ``most`` multiples of each slow-down."""
        return cls(slowdowns, np.ones(len(slowdowns)), np.full(len(slowdowns), float(most)))

    @property
    def number(self) -> FloatArray:
        """For each slow-down, how many of the times are its multiples."""
        return np.maximum(self.last - self.first + 1, 0)

    @property
    def least(self) -> float:
        """The least time."""
        there = self.number > 0
        return float((self.first * self.slowdowns)[there].min())

    @property
    def median(self) -> float:
        """A time such that at most three quarters of all times are less, and at most three quarters are greater."""
        there = np.flatnonzero(self.number)
        medians = np.floor((self.first + self.last)[there] / 2) * self.slowdowns[there]
        rising = np.argsort(medians, kind="stable")
        counted = np.cumsum(self.number[there][rising])
        return float(medians[rising][np.searchsorted(counted, counted[-1] / 2)])

    @property
    def listed(self) -> FloatArray:
        """All times, rising."""
        each = [
            np.arange(first, last + 1) * slowdown
            for slowdown, first, last in zip(self.slowdowns, self.first, self.last, strict=True)
        ]
        return np.unique(np.concatenate(each))

    def not_below(self, time: float) -> Self:
        """Drop the times below ``time``."""
        below = multiples_by(self.slowdowns, np.nextafter(time, -np.inf))
        return self._replace(first=np.maximum(self.first, below + 1))

    def above(self, time: float) -> Self:
        """Drop the times up to ``time``."""
        return self._replace(first=np.maximum(self.first, multiples_by(self.slowdowns, time) + 1))

    def below(self, time: float) -> Self:
        """Drop the times from ``time`` on."""
        fewer = multiples_by(self.slowdowns, np.nextafter(time, -np.inf))
        return self._replace(last=np.minimum(self.last, fewer))


class Least(NamedTuple, Generic[Answer]):
    """The least time that has an answer, and the answer."""

    time: float
    answer: Answer


def multiples_by(slowdowns: FloatArray, time: float) -> FloatArray:
    """Count the multiples of each slow-down up to a time; the counts are floats with integer values, at least 0."""
    time = max(time, 0.0)
    many = np.floor(time / slowdowns)
    many += (many + 1) * slowdowns <= time
    many -= many * slowdowns > time
    return many


def least_multiple(multiples: Multiples, ask: Callable[[float], Answer | None]) -> Least[Answer] | None:
    """Return the least time for which ``ask`` has an answer, with the answer; None if no time has one."""
    best: Least[Answer] | None = None
    probe = multiples.least if multiples.number.any() else None
    while probe is not None:
        answer = ask(probe)
        if answer is not None:
            best, multiples = Least(probe, answer), multiples.below(probe)
        else:
            multiples = multiples.above(probe)
        probe = _next(multiples)
    return best


def _next(multiples: Multiples) -> float | None:
    """Return the time to try next; None if no time is left."""
    left = float(multiples.number.sum())
    if left > _FEW:
        return multiples.median
    listed = multiples.listed if left else np.zeros(0)
    return float(listed[len(listed) // 2]) if len(listed) else None
