"""Alarms: the times of day at which gangs are reconciled although nothing has changed, at most one for each gang.

They are derived from statuses, so the first pass after a restart sets them again.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from coschedule import GangKey


class _Alarm(NamedTuple):
    at: float
    timer: asyncio.TimerHandle


class Alarms:
    """Calls ``due`` with each gang at the gang's time. ``now`` returns the time of day."""

    def __init__(self, now: Callable[[], float], *, due: Callable[[GangKey], None]) -> None:
        self._now = now
        self._due = due
        self._by_gang: dict[GangKey, _Alarm] = {}

    def set(self, gang: GangKey, at: float | None) -> None:
        """Replace the gang's time; None removes it. A time in the past is due at once.

        A pass over thousands of gangs takes seconds. So a time that was in the future at its beginning may be over.
        """
        known = self._by_gang.get(gang)
        if known is not None and known.at == at:
            return
        self.forget(gang)
        if at is not None:
            seconds = max(0.0, at - self._now())
            self._by_gang[gang] = _Alarm(at, asyncio.get_running_loop().call_later(seconds, self._ring, gang))

    def forget(self, gang: GangKey) -> None:
        """Remove the gang's time."""
        known = self._by_gang.pop(gang, None)
        if known is not None:
            known.timer.cancel()

    def stop(self) -> None:
        """Remove all times."""
        for gang in list(self._by_gang):
            self.forget(gang)

    def _ring(self, gang: GangKey) -> None:
        del self._by_gang[gang]
        self._due(gang)
