"""The time of day, on a node whose clock may be wrong or may be set."""

import time
from collections.abc import Callable

# The API server gives whole seconds, and its answer takes a while.
_TOLERANCE_SECONDS = 5.0


def boot_seconds() -> float:
    """Seconds since the node was booted, including time in suspend; this clock can't be set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Clock:
    """The API server's time, advanced by a clock that can't be set. Before its first answer, the node's own time.

    Readers of a bid use their own clocks for its expiry and its hours, so the node's clock must not matter.
    """

    def __init__(self, *, steady: Callable[[], float] = boot_seconds, own: Callable[[], float] = time.time) -> None:
        self._steady = steady
        self._own = own
        self._ahead = own() - steady()

    def now(self) -> float:
        """Seconds since an arbitrary time; they never jump."""
        return self._steady()

    def wall(self) -> float:
        """Seconds since the epoch."""
        return self._steady() + self._ahead

    def own(self) -> float:
        """Seconds since the epoch by the node's own clock, even if wrong: times of its files are by this clock."""
        return self._own()

    def hear(self, wall: float) -> None:
        """Take over the API server's time, in seconds since the epoch, if it differs by more than 5 s."""
        if abs(wall - self.wall()) > _TOLERANCE_SECONDS:
            self._ahead = wall - self._steady()
