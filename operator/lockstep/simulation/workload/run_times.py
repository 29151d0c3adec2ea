"""How exactly run times are known."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from lockstep.simulation.workload.estimates import estimates
from lockstep.simulation.workload.rigid import RigidJob

FloatArray = NDArray[np.float64]

# Of the logarithm of what a run takes over what was said: about 20 %.
_NOISE = 0.2


class RunTimes(StrEnum):
    """What planners are told of the run times of jobs; how long these really run is the same."""

    EXACT = "exact"
    """The run time itself."""
    ESTIMATES = "estimates"
    """What users ask for: what the log says, or a model of them. No job runs longer."""
    NOISE = "noise"
    """A guess which real run times are 20 % around, log-normally."""


def said_seconds(jobs: Sequence[RigidJob], run_times: RunTimes, random: np.random.Generator) -> FloatArray:
    """Return how long the owners of jobs say that these run."""
    seconds = np.array([job.seconds for job in jobs])
    if run_times is RunTimes.EXACT:
        return seconds
    if run_times is RunTimes.NOISE:
        return seconds / random.lognormal(0.0, _NOISE, size=len(seconds))
    requested = np.array([job.requested or np.nan for job in jobs])
    return np.where(np.isnan(requested), estimates(seconds, random), np.fmax(requested, seconds))
