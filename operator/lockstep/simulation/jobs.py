"""A job of a simulation."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """Submitted at ``submitted``, in seconds, with ``size`` members where its size is rigid.

    A policy that chooses sizes may give it from ``least`` to ``most`` members: ``times[n - 1]`` is what n members run
    on nodes of speed 1, as its owner says. It is a run of the ``template`` of that number, if that is known.
    The size of a job that ``is_elastic`` may change while it runs.
    """

    number: int
    submitted: float
    size: int
    least: int
    most: int
    times: FloatArray
    template: int | None = None
    is_elastic: bool = False


class Arrival(NamedTuple):
    """A job that comes, and what only its end tells: it really runs ``ratio`` times as long as its owner says.

    Owners have numbers; None where nobody knows.
    """

    job: Job
    ratio: float = 1.0
    owner: int | None = None

    @property
    def rigid_time(self) -> float:
        """The seconds that it really runs with its rigid size, on nodes of speed 1."""
        return float(self.job.times[self.job.size - 1]) * self.ratio
