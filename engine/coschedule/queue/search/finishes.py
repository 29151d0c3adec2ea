"""When runs end: each run ends after its start, even if it is shorter than the resolution of times."""

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

_ROUNDING = 2.0**-48
"""An upper bound on the relative error of a time."""


def finishes_of(starts: float | FloatArray, seconds: FloatArray) -> FloatArray:
    """Return the finishes of runs that take ``seconds``; the shapes are broadcast."""
    finishes: FloatArray = np.maximum(starts + seconds, np.nextafter(starts, np.inf))
    return finishes


def finish_of(start: float, seconds: float) -> float:
    """Return the finish of one run."""
    return float(max(start + seconds, np.nextafter(start, np.inf)))


def seconds_until(deadline: float, starts: FloatArray) -> FloatArray:
    """Return how many seconds a run may take from each start to end by the deadline, rounded up; it may be inf."""
    left: FloatArray = deadline - starts + abs(deadline) * _ROUNDING
    return left * (1 + _ROUNDING)


def first_in_time(runs: FloatArray, seconds: FloatArray) -> IntArray:
    """Return the index of the first run that takes at most ``seconds[k]``; the number of runs if none does."""
    shortest = np.minimum.accumulate(runs)
    return np.searchsorted(-shortest, -seconds)


def least_of_first(runs: FloatArray) -> FloatArray:
    """Return the least of the first k runs, for each k from 0 (inf) to the number of runs."""
    return np.append(np.inf, np.minimum.accumulate(runs))
