"""Jobs of logs and models, with one size each."""

from collections.abc import Sequence
from typing import NamedTuple


class RigidJob(NamedTuple):
    """A job that is submitted at ``submitted``, in seconds, and runs ``seconds`` with ``size`` members.

    Its user asked for ``requested`` seconds. ``user``, ``group`` and ``template`` are numbers. None means unknown.
    """

    submitted: float
    size: int
    seconds: float
    requested: float | None = None
    user: int | None = None
    template: int | None = None
    group: int | None = None


def with_load(jobs: Sequence[RigidJob], load: float, capacity: float) -> list[RigidJob]:
    """Scale the times between submissions so that jobs ask for this share of ``capacity``, in nodes of speed 1."""
    work = sum(job.size * job.seconds for job in jobs)
    first, span = jobs[0].submitted, jobs[-1].submitted - jobs[0].submitted
    stretch = work / (capacity * load) / span if span else 1.0
    return [job._replace(submitted=(job.submitted - first) * stretch) for job in jobs]
