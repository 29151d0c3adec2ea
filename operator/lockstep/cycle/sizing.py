"""How large gangs are made: what a member-second of one costs the others (``coschedule.queue.price``).

With Q gangs that wait, R that hold nodes and N nodes, a member-second of a gang keeps each of the others waiting for
its part of the nodes: it costs ``factor * (Q - 1 + R) / N`` seconds. The factor was found by simulating whole queues;
what it gives is nearly the same from 2 to 8.
"""

from dataclasses import dataclass
from enum import StrEnum


class Sizing(StrEnum):
    """What decides on the number of members."""

    BALANCED = "Balanced"
    """The gang's own finish, and what its members take from other gangs."""
    FASTEST = "Fastest"
    """The gang's own finish alone."""
    FEWEST = "Fewest"
    """The fewest members that can run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingPolicy:
    """How large gangs are made; ``factor``, at least 0, counts where it is balanced."""

    sizing: Sizing = Sizing.BALANCED
    factor: float = 4.0

    @property
    def wants_fewest(self) -> bool:
        """Whether gangs get the fewest members that can run."""
        return self.sizing is Sizing.FEWEST

    def member_price(self, *, waiting: int, running: int, nodes: int) -> float:
        """Return what a member-second costs others, in seconds, while so many gangs wait and hold ``nodes``."""
        if self.sizing is not Sizing.BALANCED or not nodes:
            return 0.0
        return self.factor * max(0, waiting - 1 + running) / nodes
