"""Means over the last five minutes, like the five-minute loads of [C 5.5]."""

from collections import deque
from typing import NamedTuple

from lockstep.agent.measuring.duty_cycle import is_full
from lockstep.agent.measuring.measured import Usage
from lockstep.agent.measuring.usage import mean_usage

FIVE_MINUTES = 300.0
FULL_FOR = 0.1
"""If a node was full for a larger share of the time than this, local work may have needed more than it got."""


class Lasted(NamedTuple):
    """A usage, the seconds for which it lasted, and whether the node owner was present."""

    seconds: float
    usage: Usage
    owner: bool


class FiveMinutes:
    """Usages that ended less than five minutes ago."""

    def __init__(self) -> None:
        self._all: deque[Lasted] = deque()

    def add(self, newest: Lasted) -> None:
        """Add the newest usage."""
        self._all.append(newest)

    def move_to(self, now: float) -> None:
        """Drop usages that ended five minutes ago or earlier; ``now`` is monotonic."""
        while self._all and now - self._all[0].usage.at >= FIVE_MINUTES:
            self._all.popleft()

    def usage(self) -> Usage | None:
        """Return the mean usage; None if there is none."""
        return mean_usage([(lasted.seconds, lasted.usage) for lasted in self._all])

    def seconds(self) -> float:
        """Return the total seconds of all usages."""
        return sum(lasted.seconds for lasted in self._all)

    def owner_share(self) -> float:
        """Return the share of the time with the owner, 0 to 1."""
        return self._share([lasted.owner for lasted in self._all])

    def was_full(self) -> bool:
        """Whether the node was full for more than a tenth of the time."""
        return self._share([is_full(lasted.usage) for lasted in self._all]) > FULL_FOR

    def _share(self, holds: list[bool]) -> float:
        held = sum(lasted.seconds for lasted, holding in zip(self._all, holds, strict=True) if holding)
        return held / (self.seconds() or 1.0)
