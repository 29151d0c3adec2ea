"""Turns rigid jobs into jobs whose sizes can be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lockstep.simulation.model.jobs import Job
from lockstep.simulation.model.speedup import amdahl, downey
from lockstep.simulation.workload.rigid import RigidJob

_LARGEST_SIGMA = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Malleability:
    """A job that asks for r members may have r / ``factor`` to r · ``factor`` members, at least r if ``only_up``.

    With a ``serial_share``, the speed-up of a job follows Amdahl's law. Otherwise it follows Downey's model. The
    average parallelism is then between r / 2 and 2 r, with a uniform logarithm, and sigma is from 0 to 2.
    """

    factor: float = 4.0
    only_up: bool = False
    serial_share: float | None = None


class _Parallelism(NamedTuple):
    """The parameters of Downey's model for a job."""

    average: float
    sigma: float


def malleable(jobs: Sequence[RigidJob], how: Malleability, nodes: int, random: np.random.Generator) -> list[Job]:
    """Return each job with its sizes and run times; no job has more members than there are nodes.

    Runs of a template have the same parameters of the speed-up.
    """
    drawn: dict[int, _Parallelism] = {}
    made = []
    for number, job in enumerate(jobs, 1):
        parallelism = drawn.get(-1 if job.template is None else job.template) or _drawn(job, random)
        if job.template is not None:
            drawn[job.template] = parallelism
        made.append(_malleable(number, job, how, nodes, parallelism))
    return made


def _drawn(job: RigidJob, random: np.random.Generator) -> _Parallelism:
    average = max(1.0, job.size * 2 ** random.uniform(-1, 1))
    return _Parallelism(average, random.uniform(0, _LARGEST_SIGMA))


def _malleable(number: int, job: RigidJob, how: Malleability, nodes: int, parallelism: _Parallelism) -> Job:
    least = job.size if how.only_up else max(1, int(np.ceil(job.size / how.factor)))
    most = min(nodes, int(job.size * how.factor))
    speedup = downey(most, *parallelism) if how.serial_share is None else amdahl(most, how.serial_share)
    return Job(
        number=number,
        submitted=job.submitted,
        size=job.size,
        least=least,
        most=most,
        times=job.seconds * speedup[job.size - 1] / speedup,
        template=job.template,
    )
