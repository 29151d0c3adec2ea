"""The gangs that run and may be evicted for more urgent ones."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey


class Holding(NamedTuple):
    """What a gang takes of each resource on a node, by index."""

    node: int
    request: tuple[int, ...]


class Disrupted(NamedTuple):
    """How many pods of a gang count against a budget, by its index in ``Snapshot.budgets``."""

    budget: int
    pods: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningGang:
    """A gang that holds nodes and may be evicted.

    Its age counts from ``queued_since``. Its ``size`` members run ``since`` a time, inf where they do not all run yet.
    It ends at ``end``, inf when nobody knows, and gives back what it ``holds``, one entry a node; what it gives back at
    a known time stands in ``Snapshot.releases`` too, entry by entry. Evicted, it has ended after ``grace`` seconds.
    Raises ValueError when a number makes no sense.
    """

    key: GangKey
    priority: int
    queued_since: float
    size: int
    since: float
    end: float
    grace: float
    holds: tuple[Holding, ...]
    disrupts: tuple[Disrupted, ...] = ()

    def __post_init__(self) -> None:
        if any(math.isnan(time) for time in (self.queued_since, self.since, self.end)):
            raise ValueError("queued_since, since and end must be numbers")
        if not 0 <= self.grace < math.inf:
            raise ValueError("grace must be a number of seconds")
        if len({holding.node for holding in self.holds}) != len(self.holds):
            raise ValueError(f"gang {self.key} must hold each node once")

    def lost_work(self, now: float) -> float:
        """The member-seconds that are lost if it is evicted now."""
        return max(0.0, now - self.since) * self.size

    def gone_by(self, now: float) -> float:
        """When it has ended if it is evicted now: never later than without that."""
        return min(now + self.grace, self.end)
