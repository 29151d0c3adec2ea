"""When runs end: a run that is too short for the resolution of time still takes an instant."""

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

_ROUNDING = 2.0**-48
"""More than the relative error of a time."""


def finishes_of(starts: float | FloatArray, seconds: FloatArray) -> FloatArray:
    """Return the finishes of runs that take so many seconds; shapes must agree as numpy broadcasts them."""
    finishes: FloatArray = np.maximum(starts + seconds, np.nextafter(starts, np.inf))
    return finishes


def finish_of(start: float, seconds: float) -> float:
    """Return the finish of one run."""
    return float(max(start + seconds, np.nextafter(start, np.inf)))


def seconds_until(deadline: float, starts: FloatArray) -> FloatArray:
    """Return for how long a run may take at most that ends by a deadline, rounded up; the deadline may be inf."""
    left: FloatArray = deadline - starts + abs(deadline) * _ROUNDING
    return left * (1 + _ROUNDING)


def first_in_time(runs: FloatArray, seconds: FloatArray) -> IntArray:
    """Return the index of the first run that takes no longer than each of some seconds; their number if none does."""
    shortest = np.minimum.accumulate(runs)
    return np.searchsorted(-shortest, -seconds)


def least_of_first(runs: FloatArray) -> FloatArray:
    """Return the least of the first none, one, two … of some runs, inf for none: one entry more than there are runs."""
    return np.append(np.inf, np.minimum.accumulate(runs))
