"""Computes how fast a gang of unknown work is at each size, from the unit times of some sizes [C 5.7.2, page 71].

A unit time is the measured time that the gang needs for a unit of its work. Between two measured sizes, the speed
follows a power of the number of members. Beyond all measured sizes, the speed follows the power of the nearest two
sizes. With only one measured size, the power is ``USUAL_POWER``. A power is from -1 to 1, so the speed changes at most
in proportion to the members, whatever a program reports.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

USUAL_POWER = 0.7
"""If only the present size is measured, twice the members are assumed to be 2 ** USUAL_POWER times as fast."""


class UnitTime(NamedTuple):
    """With ``size`` members whose number may change, a gang needs ``seconds`` for a unit of its work."""

    size: int
    seconds: float


def check_unit_times(unit_times: Sequence[UnitTime]) -> None:
    """Raise ValueError unless sizes are different and at least 1, and unit times are above 0 and finite."""
    if len({one.size for one in unit_times}) < len(unit_times):
        raise ValueError("there must be one unit time for each size")
    if not all(one.size >= 1 and 0 < one.seconds < math.inf for one in unit_times):
        raise ValueError("unit times must be above 0 and finite, of at least one member")


def relative_speeds(unit_times: Sequence[UnitTime], sizes: IntArray, *, present: int, others: int = 0) -> FloatArray:
    """Return the speed of a gang at each of ``sizes``, divided by its speed at its ``present`` size.

    ``others`` more members do a part of the work at any size. If the present size has no unit time, no unit time is
    used.
    """
    log_sizes = np.log(sizes + others)
    known = sorted(unit_times)
    if len(known) < 2 or not any(one.size == present for one in known):
        log_speeds: FloatArray = USUAL_POWER * (log_sizes - math.log(present + others))
    else:
        measured = np.log([one.size + others for one in known])
        own = [one.size for one in known].index(present)
        log_speeds = _log_speeds(measured, -np.log([one.seconds for one in known]), log_sizes, own=own)
    speeds: FloatArray = np.exp(log_speeds)
    return speeds


def _log_speeds(measured: FloatArray, measured_speeds: FloatArray, log_sizes: FloatArray, *, own: int) -> FloatArray:
    """Return the logarithms of the speeds at ``log_sizes``, relative to the measured size number ``own``.

    ``measured`` sizes and ``measured_speeds`` are logarithms too. The results are on the line through these points; its
    slopes are limited to -1 and 1.
    """
    powers = (np.diff(measured_speeds) / np.diff(measured)).clip(-1.0, 1.0)
    relative = np.concatenate(([0.0], np.cumsum(powers * np.diff(measured))))
    below, above = np.minimum(log_sizes - measured[0], 0.0), np.maximum(log_sizes - measured[-1], 0.0)
    line: FloatArray = np.interp(log_sizes, measured, relative - relative[own]) + powers[0] * below + powers[-1] * above
    return line
