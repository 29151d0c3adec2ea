"""How exactly planners know run times."""

from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from lockstep.simulation.workload.estimates import estimates
from lockstep.simulation.workload.rigid import RigidJob

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# The standard deviation of the logarithm of real divided by stated time: a difference of about 20 %.
_NOISE = 0.2


class StatedRunTimes(StrEnum):
    """What planners know of the run times of jobs; it does not change the real run times."""

    EXACT = "exact"
    """The run time itself."""
    ESTIMATES = "estimates"
    """The time that users ask for: from the log, or from a model of users. No job runs longer than this time."""
    NOISE = "noise"
    """A guess; real run times spread around it by 20 %, log-normally."""


def stated_seconds(jobs: Sequence[RigidJob], run_times: StatedRunTimes, random: np.random.Generator) -> FloatArray:
    """Return the run times that users state. Runs of a template share one guess or one estimate of the model."""
    seconds = np.array([job.seconds for job in jobs])
    first, template_of = _templates(jobs)
    match run_times:
        case StatedRunTimes.EXACT:
            return seconds
        case StatedRunTimes.NOISE:
            guessed: FloatArray = (seconds[first] / random.lognormal(0.0, _NOISE, size=len(first)))[template_of]
            return guessed
        case StatedRunTimes.ESTIMATES:
            return _asked_for(jobs, seconds, first, template_of, random)
        case _:
            assert_never(run_times)


def _asked_for(
    jobs: Sequence[RigidJob],
    seconds: FloatArray,
    first: IntArray,
    template_of: IntArray,
    random: np.random.Generator,
) -> FloatArray:
    requested = np.array([job.requested or np.nan for job in jobs])
    longest = np.zeros(len(first))
    np.maximum.at(longest, template_of, seconds)
    return np.where(np.isnan(requested), estimates(longest, random)[template_of], np.fmax(requested, seconds))


def _templates(jobs: Sequence[RigidJob]) -> tuple[IntArray, IntArray]:
    """Return the first job of every template, and the template of each job.

    A job without a known template is the only run of a template of its own.
    """
    numbers: dict[tuple[bool, int], int] = {}
    template_of = [
        numbers.setdefault((False, job) if one.template is None else (True, one.template), len(numbers))
        for job, one in enumerate(jobs)
    ]
    _, first = np.unique(template_of, return_index=True)
    return first, np.array(template_of)
