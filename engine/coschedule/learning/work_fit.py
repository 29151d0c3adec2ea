"""The law T(P) = serial/P + fixed + perMember·P + perLogMember·log2 P that finished runs have followed.

Each subset of the four terms is solved by least squares on relative errors. Subsets with a negative coefficient are
dropped. So the remaining subsets include the one with the best non-negative solution of all four terms. But the chosen
subset is the one that best forecasts each run from the other runs (leave-one-out). If several subsets are almost as
good, the one with the fewest terms is chosen.
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
# A subset with fewer terms is chosen if its error is at most this factor times the least error, plus this amount.
_AS_GOOD_FACTOR = 1.05
_AS_GOOD = 1e-4
# The serial time of work must be above 0. It is at least this part of the sum of all coefficients.
_LEAST_SERIAL_PART = 1e-6


class Shortage(StrEnum):
    """Why runs do not determine a law."""

    TOO_FEW_RUNS = "TooFewRuns"
    ONE_SIZE = "OneSize"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoFit:
    """Runs that do not determine a law: ``runs`` runs count, with these ``sizes``, rising.

    ``needed_runs`` and ``needed_sizes`` are the least numbers needed.
    """

    shortage: Shortage
    runs: int
    sizes: tuple[int, ...]
    needed_runs: int = LEAST_RUNS
    needed_sizes: int = LEAST_SIZES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkFit:
    """The law that runs have followed, on idle reference nodes, and its errors.

    ``coefficients`` and ``standard_errors``, float[4], are in seconds, in the order of the fields of ``work``. A term
    that is not in the law has a coefficient and a standard error of 0. ``error`` is the mean error of a forecast of
    each run from the other runs. An error of 0.1 means that a run took 1.1 times its forecast, or that the forecast was
    1.1 times the run. The fit used ``runs`` runs of these ``sizes``; ``left_out`` more runs were outliers.
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
        serial, fixed, per_member, per_log_member = self._coefficients_of_work.tolist()
        return SerialWork(serial=serial, fixed=fixed, per_member=per_member, per_log_member=per_log_member)

    @property
    def standard_errors(self) -> FloatArray:
        """The standard error of each coefficient, float[4]."""
        errors: FloatArray = np.sqrt(np.diag(self.covariance))
        return errors

    def seconds(self, sizes: IntArray) -> FloatArray:
        """Return the run time of ``work`` with each number of members, float[n]: always above 0."""
        seconds: FloatArray = _terms(sizes) @ self._coefficients_of_work
        return seconds

    def standard_errors_at(self, sizes: IntArray) -> FloatArray:
        """Return the standard error of each run time ``seconds(sizes)``, float[n]."""
        rows = _terms(sizes)
        # By rounding, a variance near 0 may become negative.
        variances = np.einsum("ni,ij,nj->n", rows, self.covariance, rows).clip(min=0.0)
        errors: FloatArray = np.sqrt(variances)
        return errors

    @property
    def _coefficients_of_work(self) -> FloatArray:
        """The coefficients of ``work``, float[4]: as in the law, but a serial time near 0 is raised to a small one."""
        least = _LEAST_SERIAL_PART * self.coefficients.sum()
        return np.append(max(self.coefficients[0], least), self.coefficients[1:])


def fit_work(runs: FinishedRuns) -> WorkFit | NoFit:
    """Return the law that the module describes; NoFit if fewer than five runs or two sizes count."""
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
    """Return the mean error of the ``stated`` times, float[n], as forecasts of ``runs``.

    First, all stated times are multiplied by the factor that fits best. The error is comparable to the error of a fit:
    the factor is found like the coefficient of a law with one term. Outliers do not count, as in a fit. The error is
    inf if fewer than two runs count.
    """
    idle = runs.idle_seconds
    counts = (idle > 0) & (stated > 0) & np.isfinite(stated)
    counts[counts] = ~unlike_their_size(runs.sizes[counts], idle[counts])
    medians = medians_of_sizes(runs.sizes[counts], idle[counts])
    targets = idle[counts] / medians
    solution = solve((stated[counts] / medians)[:, None], targets)
    return math.inf if solution is None else _error(solution.forecasts, targets)


def _best(sizes: IntArray, seconds: FloatArray) -> tuple[list[int], Solution, float]:
    """Return the best terms, their solution and its error. As times are above 0, sets of one term are possible."""
    found = list(_possible(sizes, seconds))
    least = min(error for _, _, error in found)
    as_good = [one for one in found if one[2] <= _AS_GOOD_FACTOR * least + _AS_GOOD]
    return min(as_good, key=lambda one: (len(one[0]), one[2]))


def _possible(sizes: IntArray, seconds: FloatArray) -> Iterator[tuple[list[int], Solution, float]]:
    """Generate all sets of terms without negative coefficients, with their solutions and errors."""
    medians = medians_of_sizes(sizes, seconds)
    rows, targets = _terms(sizes) / medians[:, None], seconds / medians
    for count in range(1, _TERMS + 1):
        for terms in map(list, combinations(range(_TERMS), count)):
            solution = solve(rows[:, terms], targets)
            if solution is not None and (solution.coefficients >= 0).all():
                yield terms, solution, _error(solution.forecasts, targets)


def _error(forecasts: FloatArray, targets: FloatArray) -> float:
    """Return the mean factor between forecasts and targets, by logarithms, minus 1.

    Return inf if a forecast is NaN or not above 0.
    """
    if not (forecasts > 0).all():
        return math.inf
    with np.errstate(over="ignore"):
        return float(np.expm1(np.abs(np.log(forecasts / targets)).mean()))


def _terms(sizes: IntArray) -> FloatArray:
    """Return for each size the multiplier of each term, float[n, 4]."""
    members = sizes.astype(np.float64)
    return np.stack([1 / members, np.ones_like(members), members, np.log2(members)], axis=1)
