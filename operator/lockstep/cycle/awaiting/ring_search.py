"""Decides when to search for rings of gangs that wait for each other."""

from collections.abc import Callable, Generator

from lockstep.belief.state import State

# In seconds. The search takes a few microseconds for each waiting gang, so with this pause it takes a few percent of
# the time.
_PAUSE_SECONDS_PER_GANG = 2e-4


class RingSearch:
    """Searches for rings after a ring may have been closed or opened. The pause grows with the number of gangs."""

    def __init__(self, state: State, monotonic: Callable[[], float]) -> None:
        self._predecessors = state.predecessors
        self._monotonic = monotonic
        self._next_at = 0.0

    @property
    def seconds(self) -> float:
        """The seconds until the next search is due; infinity if none is due."""
        return self._next_at - self._monotonic() if self._predecessors.may_have_rings else float("inf")

    def searching(self) -> Generator[None, None, None]:
        """Search for rings in steps, if a search is due."""
        if self.seconds > 0:
            return
        gangs = yield from self._predecessors.finding_rings()
        self._next_at = self._monotonic() + _PAUSE_SECONDS_PER_GANG * gangs
