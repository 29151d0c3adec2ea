"""Factors by which kinds of nodes make runs longer or shorter than expected."""

import math
from dataclasses import dataclass

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.kinds import NO_KIND
from coschedule.model.numbers import BoolArray, FloatArray, IntArray

LEAST_RUNS = 3
"""A kind counts if at least this number of runs used it."""
MOST_TIMES = 100.0
"""Factors are limited to this number and its inverse: larger differences must have another cause."""

_LEAST_KINDS = 2
_LEAST_GAIN = 0.75


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KindFit:
    """The factor of each kind, and the errors of forecasts; all arrays have one entry for each kind that counts.

    ``kinds``, int[k], are the numbers of the kinds, rising. ``runs``, int[k], is the number of runs of each kind.
    ``times``, float[k], has the factor of each kind, relative to the median run of all these kinds. ``error`` is the
    mean error of a forecast of each run from the other runs of its kind. ``error_alike`` is the mean error of a
    forecast from all other runs of these kinds. An error of 0.1 means that a run took 1.1 times its forecast, or that
    the forecast was 1.1 times the run.
    """

    kinds: IntArray
    times: FloatArray
    runs: IntArray
    error: float
    error_alike: float

    @property
    def is_better(self) -> bool:
        """Whether kinds reduce the error by more than a quarter, which is unlikely to be chance."""
        return self.error < _LEAST_GAIN * self.error_alike


def fit_kinds(ratios: FloatArray, kinds: IntArray) -> KindFit | None:
    """Compare runs by the kind of their nodes; return None if fewer than two kinds have three runs or more.

    ``ratios``, float[n] above 0, is the time of each run divided by the time that was expected without kinds.
    ``kinds``, int[n], is the number of the kind of all nodes of the run, or ``NO_KIND`` if its nodes have different
    kinds. Both arrays have one entry a run, InvalidValueError otherwise.
    """
    if kinds.shape != ratios.shape or not ((ratios > 0) & np.isfinite(ratios)).all():
        raise InvalidValueError("ratios", "must be above 0 and finite, with as many entries as kinds")
    logs, known = np.log(ratios), np.unique(kinds[kinds != NO_KIND])
    counts = np.array([(kinds == kind).sum() for kind in known], dtype=np.int64)
    known, counts = known[counts >= LEAST_RUNS], counts[counts >= LEAST_RUNS]
    if len(known) < _LEAST_KINDS:
        return None
    of_kinds = [kinds == kind for kind in known]
    usual = float(np.median(logs[np.any(of_kinds, axis=0)]))
    most = math.log(MOST_TIMES)
    times = np.exp([np.clip(np.median(logs[one]) - usual, -most, most) for one in of_kinds])
    alike, by_kind = _misses(logs, [np.any(of_kinds, axis=0)]), _misses(logs, of_kinds)
    return KindFit(kinds=known, times=times, runs=counts, error=by_kind, error_alike=alike)


def _misses(logs: FloatArray, groups: list[BoolArray]) -> float:
    """Return the mean error of forecasts of each run by the median of the other runs in its group.

    A group is bool[n]. An error of 0.1 is a factor of 1.1.
    """
    off = [abs(one - np.median(np.delete(logs[group], at))) for group in groups for at, one in enumerate(logs[group])]
    return float(np.expm1(np.mean(off)))
