"""The event that starts a cycle, with the time for which it has been set."""

import asyncio
from collections.abc import Callable


class WakeEvent(asyncio.Event):
    """Set by every change that the cycle has to handle."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._since = monotonic()

    def set(self) -> None:
        """Request a cycle. The time counts from the first request that no cycle has handled."""
        if not self.is_set():
            self._since = self._monotonic()
        super().set()

    def renew(self) -> None:
        """Set the event and count its time from now, because no cycle could run before."""
        self.clear()
        self.set()

    @property
    def seconds(self) -> float:
        """The seconds for which changes have waited for a cycle; 0 if there are none."""
        return self._monotonic() - self._since if self.is_set() else 0.0
