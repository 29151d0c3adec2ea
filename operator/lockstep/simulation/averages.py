"""Means over the seeds, with 95 % confidence intervals."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# Student's distribution for 1, 2, … degrees of freedom: 95 % of it lie within this many standard errors.
_STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_NORMAL = 1.960


class Average(NamedTuple):
    """A mean and half the width of its 95 % confidence interval; nan where there are too few values."""

    mean: float
    error: float

    def formatted(self, digits: int, *, unit: str = "") -> str:
        """Return text such as ``12.3 ±0.4 s``, or a dash without a mean."""
        if math.isnan(self.mean):
            return "-"
        return f"{self.mean:.{digits}f}" + ("" if math.isnan(self.error) else f" ±{self.error:.{digits}f}") + unit


def average(values: Sequence[float]) -> Average:
    """Average over seeds; a seed without a value, nan, is left out."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return Average(math.nan, math.nan)
    mean, freedom = float(np.mean(known)), len(known) - 1
    if not freedom:
        return Average(mean, math.nan)
    wide = _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else _NORMAL
    return Average(mean, wide * float(np.std(known, ddof=1)) / math.sqrt(len(known)))


def ratio(values: Sequence[float], first: Sequence[float]) -> Average:
    """Average ``values`` divided by the values of the ``first`` policy, seed by seed.

    A seed is left out if it has no value, or if the value of the first policy is 0.
    """
    pairs = zip(values, first, strict=True)
    return average([value / other if other else math.nan for value, other in pairs])
