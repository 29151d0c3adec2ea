"""Members may run for one more minute after all pieces are settled and the dealer has ended with rank 0.

A member that then asks for pieces finds no dealer, and its program may ask for days. So the gang does not wait for it.
The minute is for members that have their answer from the dealer, and still have to end.
"""

import asyncio
from collections.abc import Callable

from coschedule import GangKey

_LAST_SECONDS = 60.0


class LateMembers:
    """Measures the last minute of each gang, and calls ``due`` with the gang when the minute is over.

    After a restart of the operator the minute begins anew, so it is not stored.
    """

    def __init__(self, due: Callable[[GangKey], None]) -> None:
        self._due = due
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}

    def are_late(self, gang: GangKey) -> bool:
        """Whether the gang's minute is over. The minute begins with the first call for the gang."""
        loop = asyncio.get_running_loop()
        timer = self._timers.get(gang)
        if timer is None:
            timer = self._timers[gang] = loop.call_later(_LAST_SECONDS, self._due, gang)
        return timer.when() <= loop.time()

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that has ended, or whose attempt has ended."""
        timer = self._timers.pop(gang, None)
        if timer is not None:
            timer.cancel()

    def stop(self) -> None:
        """Drop all gangs."""
        for gang in list(self._timers):
            self.forget(gang)
