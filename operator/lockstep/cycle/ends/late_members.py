"""How long members may still run once all pieces are settled and the dealer has ended with rank 0: for a minute.

A member that asks for pieces afterwards finds no dealer, and its program may ask for days. So the gang does not wait
for it. The minute is for members that the dealer has answered, and that still have to end.
"""

import asyncio
from collections.abc import Callable

from coschedule import GangKey

_LAST_SECONDS = 60.0


class LateMembers:
    """Measures the last minute of each gang, and calls ``due`` with the gang when it is over.

    The next process begins it anew, so a minute of one process is enough.
    """

    def __init__(self, due: Callable[[GangKey], None]) -> None:
        self._due = due
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}

    def are_late(self, gang: GangKey) -> bool:
        """Whether the minute is over; it begins with the first call for the gang."""
        loop = asyncio.get_running_loop()
        timer = self._timers.get(gang)
        if timer is None:
            timer = self._timers[gang] = loop.call_later(_LAST_SECONDS, self._due, gang)
        return timer.when() <= loop.time()

    def forget(self, gang: GangKey) -> None:
        """Drop the gang: it or its attempt has ended."""
        timer = self._timers.pop(gang, None)
        if timer is not None:
            timer.cancel()

    def stop(self) -> None:
        """Drop all gangs."""
        for gang in list(self._timers):
            self.forget(gang)
