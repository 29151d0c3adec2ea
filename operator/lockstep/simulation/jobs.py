"""A job of a simulation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """Submitted at ``submitted``, in seconds, with ``size`` members where its size is rigid.

    A policy that chooses sizes may give it from ``least`` to ``most`` members: ``times[n - 1]`` is what n members run
    on nodes of speed 1.
    """

    number: int
    submitted: float
    size: int
    least: int
    most: int
    times: FloatArray

    @property
    def rigid_time(self) -> float:
        """The seconds that it runs with its rigid size."""
        return float(self.times[self.size - 1])
