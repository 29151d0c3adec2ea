"""Jobs as logs and models have them, with one size each; and what they become where sizes can be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lockstep.simulation.jobs import Job
from lockstep.simulation.speedup import amdahl, downey

_LARGEST_SIGMA = 2.0


class RigidJob(NamedTuple):
    """Submitted so many seconds after the first, it runs ``seconds`` with ``size`` members."""

    submitted: float
    size: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Malleability:
    """Which sizes a job may have that asks for r members: from r / ``factor`` to r · ``factor``.

    Its speed-up is Amdahl's with ``serial_share``; or, where that is None, Downey's, with an average parallelism
    between r / 2 and 2 r (its logarithm is uniform) and a sigma from 0 to 2.
    """

    factor: float = 4.0
    serial_share: float | None = None


def with_load(jobs: Sequence[RigidJob], load: float, capacity: float) -> list[RigidJob]:
    """Stretch the time between submissions so that the jobs ask for that part of the capacity, in node-seconds."""
    work = sum(job.size * job.seconds for job in jobs)
    first, span = jobs[0].submitted, jobs[-1].submitted - jobs[0].submitted
    stretch = work / (capacity * load) / span if span else 1.0
    return [job._replace(submitted=(job.submitted - first) * stretch) for job in jobs]


def malleable(jobs: Sequence[RigidJob], how: Malleability, nodes: int, random: np.random.Generator) -> list[Job]:
    """Give each job its sizes and run times; none has more members than there are nodes."""
    return [_malleable(number, job, how, nodes, random) for number, job in enumerate(jobs, 1)]


def _malleable(number: int, job: RigidJob, how: Malleability, nodes: int, random: np.random.Generator) -> Job:
    least = max(1, int(np.ceil(job.size / how.factor)))
    most = min(nodes, int(job.size * how.factor))
    parallelism, sigma = max(1.0, job.size * 2 ** random.uniform(-1, 1)), random.uniform(0, _LARGEST_SIGMA)
    speedup = downey(most, parallelism, sigma) if how.serial_share is None else amdahl(most, how.serial_share)
    times = job.seconds * speedup[job.size - 1] / speedup
    return Job(number=number, submitted=job.submitted, size=job.size, least=least, most=most, times=times)
