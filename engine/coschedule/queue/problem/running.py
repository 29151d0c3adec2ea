"""The gangs that run and may be evicted for more urgent ones."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey


class Holding(NamedTuple):
    """The amount of each resource that a gang uses on the node with the index ``node``."""

    node: int
    request: tuple[int, ...]


class Disrupted(NamedTuple):
    """The number of pods of a gang that count against one budget; ``budget`` is an index in ``Snapshot.budgets``."""

    budget: int
    pods: int


class SmallerSize(NamedTuple):
    """The gang continues with ``size`` members of its role of varying size, and ends at ``end``, inf if unknown."""

    size: int
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallerSizes:
    """The sizes to which a gang may shrink instead of being evicted, rising.

    ``nodes`` has the node of each member of the role whose size varies; a gang that shrinks keeps the first of them.
    Each of these members takes ``request``. ``fixed`` more members always stay. With ``keeps``, the members that stay
    continue, and each member loses ``lost`` seconds of its work. Otherwise all members end, and start again after
    ``restart_time`` seconds. With ``is_open_ended``, all ends are guesses.
    """

    nodes: tuple[int, ...]
    request: tuple[int, ...]
    sizes: tuple[SmallerSize, ...]
    restart_time: float
    fixed: int = 0
    keeps: bool = False
    lost: float = 0.0
    is_open_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningGang:
    """A gang that runs and may be evicted, or shrink to a size in ``smaller`` instead.

    Its age counts from ``queued_since``. ``since`` is the time since which all ``size`` members run, inf if some do not
    run yet. ``end`` is the time at which it ends, inf if unknown. ``holds`` are its resources, with one entry for each
    node. If the end is known, each entry is also in ``Snapshot.releases``. ``grace`` is the time from its eviction to
    its end, in seconds. Raises ValueError for invalid numbers.
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
        """The number of members that leave if the gang is evicted or shrinks."""
        return self.size

    @property
    def whole(self) -> "RunningGang":
        """The gang as it runs now. For a ``ShrinkingGang``, this is the gang before it shrinks."""
        return self

    def lost_work(self, now: float) -> float:
        """The member-seconds of work that an eviction now would lose."""
        return max(0.0, now - self.since) * self.size

    def gone_by(self, now: float) -> float:
        """Return the time at which the gang has ended if it is evicted now; at the latest ``end``."""
        return min(now + self.grace, self.end)
