"""How fast a gang of unknown work is at other sizes, by the unit times that were measured at some [C 5.7.2, page 71].

Between two measured sizes, the unit time follows a power of the number of members. Beyond them it follows that of the
nearest two. With one measured size alone, ``USUAL_POWER`` is assumed. No power is above 1 or below -1: no size counts
as more than proportionally faster or slower, whatever a program reports.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

USUAL_POWER = 0.7
"""With twice the members, a gang counts as 2 to so much times as fast while only its present size is measured."""


class UnitTime(NamedTuple):
    """With ``size`` members whose number may change, a gang needs ``seconds`` for a unit of its work."""

    size: int
    seconds: float


def check_unit_times(unit_times: Sequence[UnitTime]) -> None:
    """Raise ValueError unless there is one for each size, above 0 and finite."""
    if len({one.size for one in unit_times}) < len(unit_times):
        raise ValueError("there must be one unit time for each size")
    if not all(one.size >= 1 and 0 < one.seconds < math.inf for one in unit_times):
        raise ValueError("unit times must be above 0 and finite, of at least one member")


def relative_speeds(unit_times: Sequence[UnitTime], sizes: IntArray, *, present: int, others: int = 0) -> FloatArray:
    """Return how many times as fast as at its ``present`` size a gang is at each size.

    ``others`` more members do a part of the work at any size. Without a unit time of the present size, none counts.
    """
    places = np.log(sizes + others)
    known = sorted(unit_times)
    if len(known) < 2 or not any(one.size == present for one in known):
        heights: FloatArray = USUAL_POWER * (places - math.log(present + others))
    else:
        measured = np.log([one.size + others for one in known])
        own = [one.size for one in known].index(present)
        heights = _line(measured, -np.log([one.seconds for one in known]), places, own=own)
    speeds: FloatArray = np.exp(heights)
    return speeds


def _line(measured: FloatArray, speeds: FloatArray, places: FloatArray, *, own: int) -> FloatArray:
    """Return the heights at these places of a line through the speeds, without steep parts; at ``own`` it is 0."""
    powers = (np.diff(speeds) / np.diff(measured)).clip(-1.0, 1.0)
    heights = np.concatenate(([0.0], np.cumsum(powers * np.diff(measured))))
    below, above = np.minimum(places - measured[0], 0.0), np.maximum(places - measured[-1], 0.0)
    line: FloatArray = np.interp(places, measured, heights - heights[own]) + powers[0] * below + powers[-1] * above
    return line
