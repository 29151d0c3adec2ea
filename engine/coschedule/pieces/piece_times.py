"""How long pieces take: row r needs j * numerator[r] / denominator[r] for j pieces.

Objective: compare such times exactly and as fast as floats. The *key* of a time is the nearest float. Rounding never
reverses an order, so different keys decide. If two keys are equal, float times are equal too, and rational times are
compared as fractions. Dividing integers up to 2**53 gives the nearest float in one step, so int64 columns suffice for
most rationals.

Method: floor(limit * speed) is a guess of the number of pieces j. If the product is close to an integer, the guess may
be wrong. Then the time of j pieces is computed by division and compared with the limit, and j is corrected. Arithmetic
is done in place where possible, as a new array costs more than the arithmetic on it.

Example: rows of speeds 2 and 1. By time 2 at most 4 and 2 pieces are done; ``most_by_key`` returns these counts. The
pieces between the counts [1, 0] and [3, 1] are rows [0, 0, 1] with counts [2, 3, 1]. They take 1, 1.5 and 1.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import FloatArray, IntArray, Number, Vector

MOST_PIECES = 10**15
"""The most pieces of a job, so that all counts are exact as floats."""

_LARGEST_WHOLE = 2**53
_LARGEST_INT64 = 2**63 - 1

_ROUNDING = 2.0**-50
"""An upper bound on the sum of two relative errors, of limit * speed and of a key, each rounded at most twice."""


def is_rational(numbers: Sequence[Number] | Vector) -> bool:
    """Return whether all numbers are ints or fractions."""
    if isinstance(numbers, np.ndarray) and numbers.dtype != object:
        return numbers.dtype.kind in "iu"
    return all(isinstance(number, int | Fraction) for number in numbers)


def uniform(speeds: Mapping[str, Number]) -> Mapping[str, Number]:
    """Return the speeds all as fractions or all as floats, so that times of different processors can be compared."""
    if is_rational(list(speeds.values())):
        return {name: Fraction(speed) for name, speed in speeds.items()}
    return {name: float(speed) for name, speed in speeds.items()}


def check_named_speeds(speeds: Mapping[str, Number]) -> None:
    """Raise InvalidValueError for speeds that are not above 0 and finite."""
    for name, speed in speeds.items():
        if not 0 < speed < math.inf:
            raise InvalidValueError(f"speeds.{name}", "must be above 0 and finite")


def check_pieces(pieces: int) -> None:
    """Raise InvalidValueError for no pieces or too many pieces."""
    if not 1 <= pieces <= MOST_PIECES:
        raise InvalidValueError("pieces", f"must be from 1 to {MOST_PIECES}")


def check_speeds(speeds: Sequence[Number] | Vector) -> None:
    """Raise InvalidValueError for speeds that are not above 0 and finite, and for an empty list."""
    if not len(speeds):
        raise InvalidValueError("speeds", "must hold at least one speed")
    if isinstance(speeds, np.ndarray) and speeds.ndim != 1:
        raise InvalidValueError("speeds", "must be an array with one entry for each processor")
    if isinstance(speeds, np.ndarray) and speeds.dtype != object:
        wrong = ~((speeds > 0) & (speeds < math.inf))
        index = int(wrong.argmax()) if wrong.any() else None
    else:
        index = next((index for index, speed in enumerate(speeds) if not 0 < speed < math.inf), None)
    if index is not None:
        raise InvalidValueError(f"speeds[{index}]", "must be above 0 and finite")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PieceTimes:
    """Columns over rows r: j pieces take j * numerator[r] / denominator[r]; one piece takes about 1 / ``speed[r]``.

    If ``exact``, ``numerator`` and ``denominator`` are int64 and all products are at most 2**53. With larger numbers,
    both are arrays of Python's ints (dtype object). If not ``exact``, both are float64.
    """

    numerator: Vector
    denominator: Vector
    speed: FloatArray
    exact: bool

    def __post_init__(self) -> None:
        if not self.numerator.shape == self.denominator.shape == self.speed.shape or self.speed.ndim != 1:
            raise InvalidValueError("piece_times", "must have one entry for each row")

    @classmethod
    def of_speeds(cls, speeds: Sequence[Number] | Vector, *, pieces: int, exact: bool) -> "PieceTimes":
        """Return rows in which j pieces take j / speeds[r]."""
        if not exact:
            columns = np.asarray(speeds, dtype=np.float64)
            return cls(numerator=np.ones_like(columns), denominator=columns, speed=columns, exact=False)
        above, below = _parts(speeds)
        return cls._of_ratios(below, above, pieces)

    @classmethod
    def of_slowdowns(cls, slowdowns: Sequence[Number] | Vector, *, pieces: int, exact: bool) -> "PieceTimes":
        """Return rows in which j pieces take j * slowdowns[r]."""
        if not exact:
            columns = np.asarray(slowdowns, dtype=np.float64)
            return cls(numerator=columns, denominator=np.ones_like(columns), speed=1 / columns, exact=False)
        above, below = _parts(slowdowns)
        return cls._of_ratios(above, below, pieces)

    @classmethod
    def _of_ratios(cls, above: Vector, below: Vector, pieces: int) -> "PieceTimes":
        speed = (below / above).astype(np.float64)
        if int(above.max()) * pieces <= _LARGEST_WHOLE and int(below.max()) <= _LARGEST_WHOLE:
            above, below = above.astype(np.int64), below.astype(np.int64)
        return cls(numerator=above, denominator=below, speed=speed, exact=True)

    def only(self, rows: IntArray) -> "PieceTimes":
        """Return the times of ``rows``, in this order."""
        return PieceTimes(
            numerator=self.numerator[rows],
            denominator=self.denominator[rows],
            speed=self.speed[rows],
            exact=self.exact,
        )

    def keys(self, rows: IntArray, counts: IntArray) -> FloatArray:
        """Return the floats nearest to the times of ``counts[i]`` pieces on ``rows[i]``."""
        products = counts.astype(self.numerator.dtype)
        products *= self.numerator[rows]
        return (products / self.denominator[rows]).astype(np.float64, copy=False)

    def time(self, row: int, count: int) -> Number:
        """Return the time of ``count`` pieces on ``row``."""
        if self.exact:
            return Fraction(count * int(self.numerator[row]), int(self.denominator[row]))
        return float(count * self.numerator[row] / self.denominator[row])

    def most_by_key(self, limit: float, most: IntArray | int) -> IntArray:
        """Return the largest counts, up to ``most``, with keys up to ``limit`` (at least 0); int64[r]."""
        guess = limit * self.speed
        np.minimum(guess, most, out=guess)
        counts = guess.astype(np.int64)
        distance = _distance_to_whole(guess)
        guess *= _ROUNDING
        uncertain = np.flatnonzero(distance <= guess)
        if uncertain.size:
            bound = most if isinstance(most, int) else most[uncertain]
            counts[uncertain] = self._corrected(uncertain, counts[uncertain], limit, bound)
        return counts

    def _corrected(self, rows: IntArray, counts: IntArray, limit: float, most: IntArray | int) -> IntArray:
        """Return the largest counts, up to ``most``, with keys up to ``limit``; ``counts`` may be wrong by rounding."""
        while True:
            late = self.keys(rows, counts) > limit
            early = (counts < most) & (self.keys(rows, counts + 1) <= limit)
            if not (late.any() or early.any()):
                return counts
            counts = counts + early - late

    def most_within(self, limit: Number, most: int) -> IntArray:
        """Return the largest counts, up to ``most``, with times up to ``limit`` (at least 0); int64[r]."""
        if not self.exact:
            return self.most_by_key(float(limit), most)
        above, below = Fraction(limit).as_integer_ratio()
        numerator, denominator = self.numerator, self.denominator
        if max(above * int(denominator.max()), below * int(numerator.max())) > _LARGEST_INT64:
            numerator, denominator = numerator.astype(object), denominator.astype(object)
        counts: IntArray = np.minimum(above * denominator // (below * numerator), most).astype(np.int64)
        return counts

    def between(self, base: IntArray, top: IntArray) -> tuple[IntArray, IntArray]:
        """List the row and the number of each piece, rows rising; row r has pieces ``base[r]`` + 1 to ``top[r]``."""
        extra = top - base
        more = np.flatnonzero(extra)
        extra = extra[more]
        rows = np.repeat(more, extra)
        before = np.cumsum(extra)
        before -= extra
        before -= base[more]
        counts = np.arange(1, len(rows) + 1)
        counts -= np.repeat(before, extra)
        return rows, counts

    def ranks(self, rows: IntArray, counts: IntArray) -> tuple[IntArray, list[Number]]:
        """Order times with equal keys: return the rank of each, and the distinct times, rising."""
        if not self.exact:
            return np.zeros(len(rows), dtype=np.int64), [self.time(int(rows[0]), int(counts[0]))]
        above, below = counts.astype(self.numerator.dtype) * self.numerator[rows], self.denominator[rows]
        divisor = np.gcd(above, below)
        ratios = list(zip((above // divisor).tolist(), (below // divisor).tolist(), strict=True))
        times = sorted({ratio: Fraction(*ratio) for ratio in ratios}.values())
        rank = {time.as_integer_ratio(): index for index, time in enumerate(times)}
        return np.array([rank[ratio] for ratio in ratios], dtype=np.int64), list(times)


def _distance_to_whole(values: FloatArray) -> FloatArray:
    distance = np.rint(values)
    distance -= values
    np.abs(distance, out=distance)
    return distance


def _parts(numbers: Sequence[Number] | Vector) -> tuple[Vector, Vector]:
    """Return the numerators and denominators of rationals, as arrays of Python's ints (dtype object)."""
    items: list[Any] = numbers.tolist() if isinstance(numbers, np.ndarray) else list(numbers)
    ratios = [item.as_integer_ratio() for item in items]
    return np.array([above for above, _ in ratios], dtype=object), np.array(
        [below for _, below in ratios], dtype=object
    )
