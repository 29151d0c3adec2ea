"""A job of a simulation."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class JobGroup(NamedTuple):
    """One of the groups that share the nodes in proportion to their weights."""

    number: int
    weight: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """A job that is submitted at ``submitted``, in seconds, with ``size`` members where its size is rigid.

    A policy that chooses sizes may give the job ``least`` to ``most`` members. ``times[n - 1]`` is the time in seconds
    of n members on nodes of speed 1, as the job's user states. ``template`` is the number of its template, if any. The
    size of a job that ``is_elastic`` may change while it runs. For the price of a member-second, the waiting jobs of a
    ``sweep`` count as one job. ``group`` is the group whose share of the nodes the job uses, if there are groups.
    """

    number: int
    submitted: float
    size: int
    least: int
    most: int
    times: FloatArray
    template: int | None = None
    is_elastic: bool = False
    sweep: int | None = None
    group: JobGroup | None = None


class Arrival(NamedTuple):
    """A job and its ``ratio``: the job really runs ``ratio`` times as long as its user states.

    No policy knows the ratio before the end of the job. ``user`` is the number of the user, None if unknown.
    """

    job: Job
    ratio: float = 1.0
    user: int | None = None

    @property
    def rigid_time(self) -> float:
        """The seconds that it really runs with its rigid size, on nodes of speed 1."""
        return float(self.job.times[self.job.size - 1]) * self.ratio
