"""The time at which the next plan is due although nothing changes."""

import math
from collections.abc import Callable


class PlanTime:
    """The earliest time for which a plan was requested. It is monotonic: setting the clock does not move it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._at = math.inf

    @property
    def seconds(self) -> float:
        """The seconds until a plan is due; 0 or less if one is due."""
        return self._at - self._monotonic()

    def plan_by(self, time: float, now: float) -> None:
        """Request a plan at this time of day at the latest."""
        self._at = min(self._at, self._monotonic() + time - now)

    def begin_plan(self) -> None:
        """Drop all requests, since a plan is being made. Only later requests lead to another plan."""
        self._at = math.inf
