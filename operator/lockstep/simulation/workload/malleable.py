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
    """The sizes of a job that asks for r members: from r / ``factor``, or r if ``only_up``, to r · ``factor``.

    Its speed-up is Amdahl's with ``serial_share``. Where that is None, it is Downey's, with an average parallelism
    between r / 2 and 2 r (its logarithm is uniform) and a sigma from 0 to 2.
    """

    factor: float = 4.0
    only_up: bool = False
    serial_share: float | None = None


class _Parallelism(NamedTuple):
    """The parameters of Downey's model for a job."""

    average: float
    sigma: float


def malleable(jobs: Sequence[RigidJob], how: Malleability, nodes: int, random: np.random.Generator) -> list[Job]:
    """Give each job its sizes and run times; none has more members than there are nodes.

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
