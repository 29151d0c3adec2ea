"""What a change of sizes is decided on: gangs that run, gangs that wait, and places for members.

All times are absolute seconds on one axis. A *seat* is room for one member of any of these gangs: a node by its index,
once for each member that it has room for.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.model.numbers import FloatArray
from coschedule.model.run_times import Work
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.sizes import Sizes


class RunSeats(NamedTuple):
    """A member on node n takes ``slowdown[n]`` times as long as on a reference node, and leaves it by ``until[n]``.

    ``idle`` are the seats without a member.
    """

    slowdown: FloatArray
    until: FloatArray
    idle: tuple[int, ...]


class ChangeTerms(NamedTuple):
    """A change takes ``restart_time`` seconds, in which a gang holds its new nodes and does no work.

    No gang changes more often than once in ``min_interval`` seconds.
    """

    restart_time: float = 120.0
    min_interval: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ElasticRun:
    """A gang that runs on ``nodes``, one entry a member, and whose size may change to another of its ``sizes``.

    A member takes the ``request`` of each resource of the snapshot. Of its ``work`` the part ``left`` is left, above 0
    and at most 1. As it is, it ends at ``end``. It last changed its size at ``changed``. Raises ValueError when a
    number makes no sense.
    """

    key: GangKey
    created: float
    sizes: Sizes
    request: tuple[int, ...]
    work: Work
    left: float
    nodes: tuple[int, ...]
    end: float
    terms: ChangeTerms
    changed: float = -math.inf

    def __post_init__(self) -> None:
        if not 0 < self.left <= 1:
            raise ValueError(f"gang {self.key} must have a part of its work left")
        if not self.sizes.has(len(self.nodes)):
            raise ValueError(f"gang {self.key} must have one of its sizes")
        if not 0 <= self.terms.restart_time < math.inf or not self.terms.min_interval >= 0:
            raise ValueError(f"the restart time and the interval of gang {self.key} must be numbers of seconds")

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.nodes)

    @property
    def may_change_at(self) -> float:
        """When its last change is long enough ago."""
        return self.changed + self.terms.min_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingGang:
    """A gang that waits. Where it is not ``elastic``, it keeps the size with which it starts until it ends.

    It then starts with the size that is the best for it at its ``member_price`` (``coschedule.queue.problem.price``).
    """

    key: GangKey
    created: float
    sizes: Sizes
    work: Work
    elastic: bool
    member_price: float = 0.0


class SizeChange(NamedTuple):
    """A gang of ``was`` members goes on with one on each of ``nodes``.

    It ends at ``end``; at its size before it would end at ``end_before``.
    """

    gang: GangKey
    was: int
    nodes: tuple[int, ...]
    end: float
    end_before: float


class SizedStart(NamedTuple):
    """A gang starts now with a member on each of ``nodes``, and ends at ``end`` if its size stays as it is."""

    gang: GangKey
    nodes: tuple[int, ...]
    end: float


class SizePlan(NamedTuple):
    """Who changes its size and who starts; every other gang stays as it is.

    ``gain`` is how much larger the objective becomes (``worth``): above 0 where anything changes.
    """

    changes: tuple[SizeChange, ...] = ()
    starts: tuple[SizedStart, ...] = ()
    gain: float = 0.0
