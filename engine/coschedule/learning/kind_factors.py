"""By how much kinds of nodes make runs longer or shorter, beside what is expected of all."""

import math
from dataclasses import dataclass

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.kinds import NO_KIND
from coschedule.model.numbers import BoolArray, FloatArray, IntArray

LEAST_RUNS = 3
"""A kind counts from so many runs on."""
MOST_TIMES = 100.0
"""No kind is taken to be slower or faster than by so much: something else was the matter."""

_LEAST_KINDS = 2
_LEAST_GAIN = 0.75


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KindFit:
    """What runs tell of kinds; all arrays have one entry for each kind that counts, by number.

    ``times``, float[k], is how many times as long as usual its ``runs``, int[k], took; that of the usual one is about
    1. ``error`` is by how much a run was missed that was foretold from the others of its kind, in the mean, and
    ``error_alike`` from all others: 0.1 where it took 1.1 times as long as foretold, or as much less.
    """

    kinds: IntArray
    times: FloatArray
    runs: IntArray
    error: float
    error_alike: float

    @property
    def is_better(self) -> bool:
        """Whether kinds foretell a run better than without them: by a quarter, so that chance decides little."""
        return self.error < _LEAST_GAIN * self.error_alike


def fit_kinds(ratios: FloatArray, kinds: IntArray) -> KindFit | None:
    """Compare runs by the kind of their nodes; None where fewer than two kinds have three runs.

    ``ratios``, float[n] above 0, is how many times as long each run took as was expected of it on any kind, and
    ``kinds``, int[n], the number of the kind that all its nodes were of, ``NO_KIND`` where there is none. Each has one
    entry a run, InvalidValueError otherwise.
    """
    if kinds.shape != ratios.shape or not ((ratios > 0) & np.isfinite(ratios)).all():
        raise InvalidValueError("ratios", "must be above 0 and finite, one for each run as for kinds")
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
    """Foretell each run by the median of the others of its group; the mean factor by which they are missed, less 1."""
    off = [abs(one - np.median(np.delete(logs[group], at))) for group in groups for at, one in enumerate(logs[group])]
    return float(np.expm1(np.mean(off)))
