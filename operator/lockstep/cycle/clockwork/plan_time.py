"""When the next plan is due though nothing changes."""

import math
from collections.abc import Callable


class PlanTime:
    """The earliest of all times at which a plan was asked for: monotonic, so a step of the clock does not move it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._at = math.inf

    @property
    def seconds(self) -> float:
        """For how long no plan is due; 0 or less if one is."""
        return self._at - self._monotonic()

    def plan_by(self, time: float, now: float) -> None:
        """Plan at this time of day at the latest."""
        self._at = min(self._at, self._monotonic() + time - now)

    def begin_plan(self) -> None:
        """A plan is being made: only what is asked for from now on leads to another one."""
        self._at = math.inf
