"""Decides when rings of gangs that wait for each other are searched for."""

from collections.abc import Callable, Generator

from lockstep.belief.state import State

# The search takes a few microseconds for each gang that waits for others. So it takes a few hundredths of the time.
_PAUSE_SECONDS_PER_GANG = 2e-4


class RingSearch:
    """Searches for rings where one may have been closed or opened, with a pause that grows with the number of gangs."""

    def __init__(self, state: State, monotonic: Callable[[], float]) -> None:
        self._predecessors = state.predecessors
        self._monotonic = monotonic
        self._next_at = 0.0

    @property
    def seconds(self) -> float:
        """Seconds until the next search is due; infinity if none is."""
        return self._next_at - self._monotonic() if self._predecessors.may_have_rings else float("inf")

    def searching(self) -> Generator[None, None, None]:
        """Search in steps if that is due."""
        if self.seconds > 0:
            return
        gangs = yield from self._predecessors.finding_rings()
        self._next_at = self._monotonic() + _PAUSE_SECONDS_PER_GANG * gangs
