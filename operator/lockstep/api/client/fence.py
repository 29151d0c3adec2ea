"""The fence: whether this process may write. The leader opens it again and again, each time for a limited time.

When the client hands a write to the connection, the client checks the fence by a clock. So a write that waited in a
queue, or in a process that was stopped, is not sent after the fence has closed. Only a write that was already on its
way can arrive later.
"""

import asyncio
import time


class Fence:
    """A fence that is open until a time of the clock :meth:`now`. After :meth:`close`, it is never open again."""

    def __init__(self, *, open_until: float) -> None:
        self._open_until = open_until
        self._is_closed = False
        self._opened = asyncio.Event()

    @staticmethod
    def now() -> float:
        """Seconds on a clock that advances while the machine sleeps, and that can't be set."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def open_until(self, until: float) -> None:
        """Allow writes until that time of the clock :meth:`now`, unless the fence is closed for good."""
        self._open_until = until
        # This wakes the writes that wait now. Later ones check the clock again.
        self._opened.set()
        self._opened.clear()

    async def opened(self) -> None:
        """Return when a write may be sent. If the fence is closed for good, never return."""
        while not self.is_open:
            await self._opened.wait()

    def close(self) -> None:
        """Close the fence for good."""
        self._is_closed = True

    @property
    def is_open(self) -> bool:
        """Whether a write may be sent now."""
        return not self._is_closed and self.now() < self._open_until
