"""The last five minutes: means that follow the load, as long as the paper's five-minute loads."""

from collections import deque
from typing import NamedTuple

from lockstep.agent.measuring.duty_cycle import is_full
from lockstep.agent.measuring.measured import Usage
from lockstep.agent.measuring.usage import mean_usage

FIVE_MINUTES = 300.0
FULL_FOR = 0.1
"""A node that was full for a larger part of the time may have hidden local work."""


class Lasted(NamedTuple):
    """A usage, how many seconds it lasted, and whether the owner was there."""

    seconds: float
    usage: Usage
    owner: bool


class FiveMinutes:
    """Usages that ended less than five minutes ago."""

    def __init__(self) -> None:
        self._all: deque[Lasted] = deque()

    def add(self, newest: Lasted) -> None:
        """Take in the newest."""
        self._all.append(newest)

    def move_to(self, now: float) -> None:
        """Give up what is over for five minutes; ``now`` is monotonic."""
        while self._all and now - self._all[0].usage.at >= FIVE_MINUTES:
            self._all.popleft()

    def usage(self) -> Usage | None:
        """Return the mean usage, None of nothing."""
        return mean_usage([(lasted.seconds, lasted.usage) for lasted in self._all])

    def seconds(self) -> float:
        """Return for how long all of them lasted."""
        return sum(lasted.seconds for lasted in self._all)

    def owner_share(self) -> float:
        """Return the part of the time with the owner, 0 to 1."""
        return self._share([lasted.owner for lasted in self._all])

    def was_full(self) -> bool:
        """Whether the node was full for more than a moment."""
        return self._share([is_full(lasted.usage) for lasted in self._all]) > FULL_FOR

    def _share(self, holds: list[bool]) -> float:
        held = sum(lasted.seconds for lasted, holding in zip(self._all, holds, strict=True) if holding)
        return held / (self.seconds() or 1.0)
