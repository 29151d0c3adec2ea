"""Whether this process may write: whoever leads opens the fence for a while, again and again.

The client asks at the moment when it hands a request to the connection, and a clock answers. So what waited in a queue,
or in a process that was stopped for a while, does not go out behind a closed fence. Only a request that was on its way
from this answer to the connection when the process was stopped still goes out.
"""

import time


class Fence:
    """Open until a time of :meth:`now`; once closed by :meth:`close`, never again."""

    def __init__(self, *, open_until: float) -> None:
        self._open_until = open_until
        self._is_closed = False

    @staticmethod
    def now() -> float:
        """Seconds on a clock that no step of the time of day moves, and that goes on while the machine sleeps."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def open_until(self, until: float) -> None:
        """Let writes out until that time."""
        self._open_until = until

    def close(self) -> None:
        """Let nothing out any more, whoever opens it later."""
        self._is_closed = True

    @property
    def is_open(self) -> bool:
        """Whether a write may go out now."""
        return not self._is_closed and self.now() < self._open_until
