"""The law T(P) = serial/P + fixed + perMember·P + perLogMember·log2 P that finished runs have followed.

Which of the four terms the runs can carry is decided by leaving out each run in turn and foretelling it from the
others. Of the terms, each set is solved by least squares on relative errors; sets with a negative coefficient are
impossible, so that what is left has the non-negative solution among them, and is searched whole.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from coschedule.learning.least_squares import Solution, solve
from coschedule.learning.observations import FinishedRuns, medians_of_sizes, unlike_their_size
from coschedule.model.numbers import FloatArray, IntArray
from coschedule.model.run_times import SerialWork

LEAST_RUNS = 5
LEAST_SIZES = 2

_TERMS = 4
# Fewer terms win where they foretell about as well as more.
_AS_GOOD_FACTOR = 1.05
_AS_GOOD = 1e-4
# Work has a serial time above 0, also where no part of it was seen to divide.
_LEAST_SERIAL_PART = 1e-6


class Shortage(StrEnum):
    """Why runs tell no law."""

    TOO_FEW_RUNS = "TooFewRuns"
    ONE_SIZE = "OneSize"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoFit:
    """Runs that tell no law: ``runs`` of them count, and had these ``sizes``, rising; so many are needed of each."""

    shortage: Shortage
    runs: int
    sizes: tuple[int, ...]
    needed_runs: int = LEAST_RUNS
    needed_sizes: int = LEAST_SIZES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkFit:
    """The law that runs have followed, on idle reference nodes, and how sure that is.

    ``coefficients`` and ``standard_errors``, float[4], are in seconds, in the order of the fields of ``work``; a term
    that the runs can't carry has 0 in both. ``error`` is by how much a run was missed that was foretold from the
    others, in the mean: 0.1 where it took 1.1 times as long as foretold, or as much less. ``runs`` of these ``sizes``
    count; ``left_out`` were unlike the others of their size.
    """

    coefficients: FloatArray
    covariance: FloatArray
    error: float
    runs: int
    left_out: int
    sizes: tuple[int, ...]

    @property
    def work(self) -> SerialWork:
        """The law as the work of a gang."""
        serial, fixed, per_member, per_log_member = self._of_work.tolist()
        return SerialWork(serial=serial, fixed=fixed, per_member=per_member, per_log_member=per_log_member)

    @property
    def standard_errors(self) -> FloatArray:
        """By how much each coefficient may be off, float[4], as one standard deviation."""
        errors: FloatArray = np.sqrt(np.diag(self.covariance))
        return errors

    def seconds(self, sizes: IntArray) -> FloatArray:
        """The time with each number of members, float[n], as that of ``work``: above 0, also with one member."""
        seconds: FloatArray = _terms(sizes) @ self._of_work
        return seconds

    def standard_errors_at(self, sizes: IntArray) -> FloatArray:
        """By how much each of ``seconds`` may be off, float[n], as one standard deviation."""
        rows = _terms(sizes)
        # A variance of nearly nothing may come out as less than nothing.
        variances = np.einsum("ni,ij,nj->n", rows, self.covariance, rows).clip(min=0.0)
        errors: FloatArray = np.sqrt(variances)
        return errors

    @property
    def _of_work(self) -> FloatArray:
        """The coefficients, float[4], with a serial time above 0."""
        least = _LEAST_SERIAL_PART * self.coefficients.sum()
        return np.append(max(self.coefficients[0], least), self.coefficients[1:])


def fit_work(runs: FinishedRuns) -> WorkFit | NoFit:
    """The law with which each run is foretold best by the others; five runs of two sizes are needed."""
    idle = runs.idle_seconds
    sizes, seconds = runs.sizes[idle > 0], idle[idle > 0]
    unlike = unlike_their_size(sizes, seconds)
    sizes, seconds = sizes[~unlike], seconds[~unlike]
    distinct = tuple(np.unique(sizes).tolist())
    if len(sizes) < LEAST_RUNS or len(distinct) < LEAST_SIZES:
        few = len(sizes) < LEAST_RUNS
        shortage = Shortage.TOO_FEW_RUNS if few else Shortage.ONE_SIZE
        return NoFit(shortage=shortage, runs=len(sizes), sizes=distinct)
    terms, solution, error = _best(sizes, seconds)
    coefficients, covariance = np.zeros(_TERMS), np.zeros((_TERMS, _TERMS))
    coefficients[terms], covariance[np.ix_(terms, terms)] = solution.coefficients, solution.covariance
    return WorkFit(
        coefficients=coefficients,
        covariance=covariance,
        error=error,
        runs=len(sizes),
        left_out=int(unlike.sum()),
        sizes=distinct,
    )


def error_of_multiple(runs: FinishedRuns, stated: FloatArray) -> float:
    """The error, as that of a fit, of the times ``stated``, float[n], where the others say by how much to multiply.

    They are solved for as the one term of a law, so that stated times of the law's own shape have its own error.

    Both are told of the same runs: those that are unlike the others of their size count in neither. It is inf where
    fewer than two runs count.
    """
    idle = runs.idle_seconds
    counts = (idle > 0) & (stated > 0) & np.isfinite(stated)
    counts[counts] = ~unlike_their_size(runs.sizes[counts], idle[counts])
    medians = medians_of_sizes(runs.sizes[counts], idle[counts])
    targets = idle[counts] / medians
    solution = solve((stated[counts] / medians)[:, None], targets)
    return math.inf if solution is None else _error(solution.foretold, targets)


def _best(sizes: IntArray, seconds: FloatArray) -> tuple[list[int], Solution, float]:
    """The terms, their solution and its error. One term alone has one always, since run times are above 0."""
    found = list(_possible(sizes, seconds))
    least = min(error for _, _, error in found)
    as_good = [one for one in found if one[2] <= _AS_GOOD_FACTOR * least + _AS_GOOD]
    return min(as_good, key=lambda one: (len(one[0]), one[2]))


def _possible(sizes: IntArray, seconds: FloatArray) -> Iterator[tuple[list[int], Solution, float]]:
    """Every set of terms that no coefficient of is negative, with its error."""
    medians = medians_of_sizes(sizes, seconds)
    rows, targets = _terms(sizes) / medians[:, None], seconds / medians
    for count in range(1, _TERMS + 1):
        for terms in map(list, combinations(range(_TERMS), count)):
            solution = solve(rows[:, terms], targets)
            if solution is not None and (solution.coefficients >= 0).all():
                yield terms, solution, _error(solution.foretold, targets)


def _error(foretold: FloatArray, targets: FloatArray) -> float:
    """From the differences of logarithms to the mean factor, less 1; inf where a run can't be foretold."""
    if not (foretold > 0).all():
        return math.inf
    with np.errstate(over="ignore"):
        return float(np.expm1(np.abs(np.log(foretold / targets)).mean()))


def _terms(sizes: IntArray) -> FloatArray:
    """Of each size, what each term is multiplied with, float[n, 4]."""
    members = sizes.astype(np.float64)
    return np.stack([1 / members, np.ones_like(members), members, np.log2(members)], axis=1)
