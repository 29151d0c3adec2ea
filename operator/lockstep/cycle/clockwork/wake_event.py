"""The event that wakes the cycle, and since when it has been set."""

import asyncio
from collections.abc import Callable


class Woken(asyncio.Event):
    """Set by whoever has news for the cycle."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._since = monotonic()

    def set(self) -> None:
        """There is news."""
        if not self.is_set():
            self._since = self._monotonic()
        super().set()

    def renew(self) -> None:
        """Whatever has come so far is news from now on: before, there was no cycle for it to wait for."""
        self.clear()
        self.set()

    @property
    def seconds(self) -> float:
        """For how long there has been news that no cycle has looked at."""
        return self._monotonic() - self._since if self.is_set() else 0.0
