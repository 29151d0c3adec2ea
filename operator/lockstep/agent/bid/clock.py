"""What time it is, on a node whose clock somebody may set."""

import time
from collections.abc import Callable

# The API server says whole seconds, and its answer takes a while.
_TOLERANCE_SECONDS = 5.0


def boot_seconds() -> float:
    """Seconds since the node was started; it also counts while it sleeps, and nobody can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Clock:
    """The API server's time, carried on by a clock that nobody sets; until it has said so, the node's own.

    A bid expires, and its hours begin, by the clock of those who read it.
    """

    def __init__(self, *, steady: Callable[[], float] = boot_seconds, own: Callable[[], float] = time.time) -> None:
        self._steady = steady
        self._own = own
        self._ahead = own() - steady()

    def now(self) -> float:
        """Seconds since some moment; they never jump."""
        return self._steady()

    def wall(self) -> float:
        """Seconds since the epoch."""
        return self._steady() + self._ahead

    def own(self) -> float:
        """Seconds since the epoch by the node's own clock, however wrong: the node's files have their times by it."""
        return self._own()

    def hear(self, wall: float) -> None:
        """The API server says that it is that late."""
        if abs(wall - self.wall()) > _TOLERANCE_SECONDS:
            self._ahead = wall - self._steady()
