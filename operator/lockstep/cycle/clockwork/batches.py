"""Collects a gang's changes for a short time, so that they are handled together."""

import asyncio
from collections.abc import Callable

from coschedule import GangKey


class Batches:
    """Calls ``due`` with each changed gang, ``seconds`` after the first of its changes that are not handled yet."""

    def __init__(self, seconds: float, *, due: Callable[[GangKey], None]) -> None:
        self._seconds = seconds
        self._due = due
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}

    def is_due(self, gang: GangKey) -> bool:
        """Record a change of the gang; returns whether to handle all its changes now."""
        loop = asyncio.get_running_loop()
        timer = self._timers.get(gang)
        if timer is None:
            self._timers[gang] = loop.call_later(self._seconds, self._due, gang)
            return False
        if timer.when() > loop.time():
            return False
        del self._timers[gang]
        return True

    def forget(self, gang: GangKey) -> None:
        """Drop the changes of the gang."""
        timer = self._timers.pop(gang, None)
        if timer is not None:
            timer.cancel()

    def stop(self) -> None:
        """Drop all changes."""
        for gang in list(self._timers):
            self.forget(gang)
