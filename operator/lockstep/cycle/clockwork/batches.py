"""News of a gang that comes one by one, drawn together: it is dealt with once in so many seconds."""

import asyncio
from collections.abc import Callable

from coschedule import GangKey


class Batches:
    """Says when what has come since the first unanswered news of a gang is due. ``due`` is told then, for each gang."""

    def __init__(self, seconds: float, *, due: Callable[[GangKey], None]) -> None:
        self._seconds = seconds
        self._due = due
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}

    def is_due(self, gang: GangKey) -> bool:
        """There is news of that gang; returns whether to deal with it now, together with all that came before."""
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
        """Nothing of that gang is to be dealt with any more."""
        timer = self._timers.pop(gang, None)
        if timer is not None:
            timer.cancel()

    def stop(self) -> None:
        """Nobody is to be told any more."""
        for gang in list(self._timers):
            self.forget(gang)
