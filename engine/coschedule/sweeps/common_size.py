"""Chooses one size for all runs of a sweep, so that the last run ends soonest.

Model: N runs of one program, and a number of places, each for one member. With P members a run takes T(P) on average.
There are R = min(places // P, N) groups of P members. A group takes the next run as soon as its run has ended.

Objective: the mean time until the last run ends. Equal run times take ceil(N / R) turns of T(P). Exponential run times
follow (7.1) of [C 7.4.2] as corrected in ``problems/shum/replication.py``: (N - R) / R + H_R turns.

Method: each size is tried. Times are compared as fractions, so equal finishes are found. Among equal finishes, the size
with fewer members in all groups together is chosen. Then the smaller size is chosen, as more of its runs go at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import inf
from typing import assert_never

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule.problems.shum.replication import mean_turnaround


class RunTimeLaw(StrEnum):
    """How the run times of a sweep vary around their mean: not at all, or with a memoryless distribution."""

    EQUAL = "Equal"
    EXPONENTIAL = "Exponential"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonSize:
    """Each run has ``size`` members. ``groups`` runs go at once. The last run is expected to end after ``finish`` s."""

    size: int
    groups: int
    finish: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCommonSize:
    """No size fits: the smallest has ``least`` members, and there are ``places``."""

    least: int
    places: int


def common_size(
    times: Mapping[int, Number],
    places: int,
    runs: int,
    law: RunTimeLaw = RunTimeLaw.EQUAL,
    *,
    most_groups: int | None = None,
) -> CommonSize | NoCommonSize:
    """Choose the size with which ``runs`` runs are all done soonest.

    ``times`` has the mean run time in s, above 0 and finite, for each allowed size of 1 or more. ``places`` is the
    number of members that fit at once. At most ``most_groups`` runs go at once; None means no limit. InvalidValueError
    if ``runs`` or ``most_groups`` is below 1, ``places`` below 0, or no size is allowed.

    O(sizes) with equal run times. With exponential run times, at most O(places * log(places)) is added.
    """
    _check(times, places, runs, most_groups)
    most = runs if most_groups is None else min(runs, most_groups)
    groups = {size: min(places // size, most) for size in times if size <= places}
    if not groups:
        return NoCommonSize(least=min(times), places=places)
    finishes = {size: _finish(Fraction(times[size]), runs, groups[size], law) for size in groups}
    best = min(groups, key=lambda size: (finishes[size], groups[size] * size, size))
    return CommonSize(size=best, groups=groups[best], finish=float(finishes[best]))


def _finish(time: Fraction, runs: int, groups: int, law: RunTimeLaw) -> Number:
    match law:
        case RunTimeLaw.EQUAL:
            return -(-runs // groups) * time
        case RunTimeLaw.EXPONENTIAL:
            return mean_turnaround(runs=runs, replicas=groups, speedup=1 / time)
        case _:
            assert_never(law)


def _check(times: Mapping[int, Number], places: int, runs: int, most_groups: int | None) -> None:
    if runs < 1:
        raise InvalidValueError("runs", "must be at least 1")
    if most_groups is not None and most_groups < 1:
        raise InvalidValueError("most_groups", "must be at least 1")
    if places < 0:
        raise InvalidValueError("places", "must be at least 0")
    if not times:
        raise InvalidValueError("times", "must have a size at least")
    for size, time in times.items():
        if size < 1:
            raise InvalidValueError("times", f"must have sizes of at least 1, not {size}")
        if not 0 < time < inf:
            raise InvalidValueError(f"times[{size}]", "must be above 0 and finite")
