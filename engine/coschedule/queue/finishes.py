"""When runs end: a run that is too short for the resolution of time still takes an instant."""

import numpy as np

from coschedule.model.numbers import FloatArray


def finishes_of(starts: float | FloatArray, seconds: FloatArray) -> FloatArray:
    """Return the finishes of runs that take so many seconds; shapes must agree as numpy broadcasts them."""
    finishes: FloatArray = np.maximum(starts + seconds, np.nextafter(starts, np.inf))
    return finishes


def finish_of(start: float, seconds: float) -> float:
    """Return the finish of one run."""
    return float(max(start + seconds, np.nextafter(start, np.inf)))
