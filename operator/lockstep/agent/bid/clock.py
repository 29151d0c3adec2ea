"""The time of day, on a node whose clock may be wrong or may be set."""

import time
from collections.abc import Callable

# The API server states whole seconds, and its answer takes a while.
_TOLERANCE_SECONDS = 5.0


def boot_seconds() -> float:
    """Seconds since the node was booted, including time in suspend. This clock can't be set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Clock:
    """The API server's time. Between two answers of the API server, a clock that can't be set measures the time.

    Before the first answer, this is the node's own time. Readers of a bid compare its expiry and its hours with their
    own clocks. So the node's clock must not matter.
    """

    def __init__(self, *, steady: Callable[[], float] = boot_seconds, own: Callable[[], float] = time.time) -> None:
        self._steady = steady
        self._own = own
        self._ahead = own() - steady()

    def now(self) -> float:
        """Seconds since an arbitrary time. They never jump."""
        return self._steady()

    def wall(self) -> float:
        """Seconds since the epoch, by the API server's clock."""
        return self._steady() + self._ahead

    def own(self) -> float:
        """Seconds since the epoch by the node's own clock, even if it is wrong.

        Times of the node's files are by this clock.
        """
        return self._own()

    def hear(self, wall: float) -> None:
        """Adopt the API server's time, in seconds since the epoch, if it differs by more than 5 s."""
        if abs(wall - self.wall()) > _TOLERANCE_SECONDS:
            self._ahead = wall - self._steady()
