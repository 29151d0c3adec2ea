"""The gangs that run and may be evicted for more urgent ones."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey


class Holding(NamedTuple):
    """How much of each resource a gang uses on a node, which is given by index."""

    node: int
    request: tuple[int, ...]


class Disrupted(NamedTuple):
    """The number of pods of a gang that count against a budget, an index in ``Snapshot.budgets``."""

    budget: int
    pods: int


class SmallerSize(NamedTuple):
    """A gang goes on with so many members of the role whose size varies, and then ends at ``end``, inf if unknown."""

    size: int
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallerSizes:
    """The sizes to which a gang may shrink in the place of being evicted, rising.

    ``nodes`` has the node of each member whose number may change: it keeps the first ones. Each takes ``request``.
    ``fixed`` more members always stay. If it ``keeps`` its members, those that stay go on; otherwise all end, and
    begin again after ``restart_time``. If it ``is_open_ended``, all ends are guesses.
    """

    nodes: tuple[int, ...]
    request: tuple[int, ...]
    sizes: tuple[SmallerSize, ...]
    restart_time: float
    fixed: int = 0
    keeps: bool = False
    is_open_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningGang:
    """A gang that runs and may be evicted, or shrink to a size in ``smaller`` instead.

    Its age counts from ``queued_since``. ``since``: when all ``size`` members ran, inf where some do not run yet.
    ``end``: when it ends, inf where unknown. ``holds``: its resources, one entry a node. If the end is known, each
    entry is also in ``Snapshot.releases``. ``grace``: the seconds from its eviction to its end. Raises ValueError for
    invalid numbers.
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
    smaller: SmallerSizes | None = None

    def __post_init__(self) -> None:
        if any(math.isnan(time) for time in (self.queued_since, self.since, self.end)):
            raise ValueError("queued_since, since and end must be numbers")
        if not 0 <= self.grace < math.inf:
            raise ValueError("grace must be a number of seconds")
        if len({holding.node for holding in self.holds}) != len(self.holds):
            raise ValueError(f"gang {self.key} must hold each node once")

    @property
    def going(self) -> int:
        """How many members go if it gives way."""
        return self.size

    @property
    def whole(self) -> "RunningGang":
        """The gang with all that it holds."""
        return self

    def lost_work(self, now: float) -> float:
        """The member-seconds of work that an eviction now would lose."""
        return max(0.0, now - self.since) * self.size

    def gone_by(self, now: float) -> float:
        """When it will have ended if it is evicted now: never later than ``end``."""
        return min(now + self.grace, self.end)
