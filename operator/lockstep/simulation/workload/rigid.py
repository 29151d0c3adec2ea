"""Jobs as logs and models have them, with one size each."""

from collections.abc import Sequence
from typing import NamedTuple


class RigidJob(NamedTuple):
    """Submitted so many seconds after the first, it runs ``seconds`` with ``size`` members.

    Its owner asked for ``requested`` seconds; users have numbers, and so have the templates of which jobs are runs.
    None where that is not known.
    """

    submitted: float
    size: int
    seconds: float
    requested: float | None = None
    user: int | None = None
    template: int | None = None


def with_load(jobs: Sequence[RigidJob], load: float, capacity: float) -> list[RigidJob]:
    """Stretch the time between submissions so that the jobs ask for that part of the capacity, in node-seconds."""
    work = sum(job.size * job.seconds for job in jobs)
    first, span = jobs[0].submitted, jobs[-1].submitted - jobs[0].submitted
    stretch = work / (capacity * load) / span if span else 1.0
    return [job._replace(submitted=(job.submitted - first) * stretch) for job in jobs]
