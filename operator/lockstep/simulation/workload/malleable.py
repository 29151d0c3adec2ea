"""What rigid jobs become where sizes can be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lockstep.simulation.jobs import Job
from lockstep.simulation.speedup import amdahl, downey
from lockstep.simulation.workload.rigid import RigidJob

_LARGEST_SIGMA = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Malleability:
    """Which sizes a job may have that asks for r members: from r / ``factor`` to r · ``factor``; ``only_up`` from r.

    Its speed-up is Amdahl's with ``serial_share``; or, where that is None, Downey's, with an average parallelism
    between r / 2 and 2 r (its logarithm is uniform) and a sigma from 0 to 2.
    """

    factor: float = 4.0
    only_up: bool = False
    serial_share: float | None = None


def malleable(jobs: Sequence[RigidJob], how: Malleability, nodes: int, random: np.random.Generator) -> list[Job]:
    """Give each job its sizes and run times; none has more members than there are nodes."""
    return [_malleable(number, job, how, nodes, random) for number, job in enumerate(jobs, 1)]


def _malleable(number: int, job: RigidJob, how: Malleability, nodes: int, random: np.random.Generator) -> Job:
    least = job.size if how.only_up else max(1, int(np.ceil(job.size / how.factor)))
    most = min(nodes, int(job.size * how.factor))
    parallelism, sigma = max(1.0, job.size * 2 ** random.uniform(-1, 1)), random.uniform(0, _LARGEST_SIGMA)
    speedup = downey(most, parallelism, sigma) if how.serial_share is None else amdahl(most, how.serial_share)
    times = job.seconds * speedup[job.size - 1] / speedup
    return Job(number=number, submitted=job.submitted, size=job.size, least=least, most=most, times=times)
