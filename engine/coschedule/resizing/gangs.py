"""The input and output of a choice of sizes: gangs that run, gangs that wait, seats, and the chosen sizes.

All times are absolute seconds on one axis. A *seat* is room for one member of any of these gangs: a node by its index,
once for each member that it has room for.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from coschedule.model.numbers import FloatArray
from coschedule.model.run_times import Work
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.sizes import Sizes

LEAST_RESTARTS = 30
"""A gang changes its size only if it would run for so many restart times at its present size."""
LEAST_GROWTH = 1.2
"""A gang of unknown end grows only if its speed becomes so many times as great.

A change stops all members for the restart time. If that is two minutes, a gang that grows by a fifth has made up for it
after ten more minutes, which is also the least time between two changes.
"""


class RunSeats(NamedTuple):
    """A member on node n takes ``slowdown[n]`` times as long as on a reference node, and leaves it by ``until[n]``.

    ``idle`` are the seats without a member.
    """

    slowdown: FloatArray
    until: FloatArray
    idle: tuple[int, ...]


class SeatKind(NamedTuple):
    """What a member of a gang requires of its node, and takes of each resource of the snapshot."""

    constraints: Constraints
    request: tuple[int, ...]

    def fits(self, gang: PendingGang) -> bool:
        """Return whether a member of the gang finds room where a member with this seat was."""
        return all(asked <= taken for asked, taken in zip(gang.roles[0].request, self.request, strict=True))


class ChangeTerms(NamedTuple):
    """A change takes ``restart_time`` seconds, in which a gang holds its new nodes and does no work.

    No gang changes more often than once in ``min_interval`` seconds.
    """

    restart_time: float = 120.0
    min_interval: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedRun:
    """A gang that runs on ``nodes``, one entry a member, and whose size may change to another of its ``sizes``.

    A member takes ``request[r]`` of resource ``r`` of the snapshot. The gang ends at ``end`` if its size stays the
    same. It last changed its size at ``changed``, -inf for never. If a size is ``asked`` of it, it changes to that size
    only, as soon as there is room. Its members run only on nodes that pass its ``constraints``. Raises ValueError for
    invalid numbers.
    """

    key: GangKey
    sizes: Sizes
    request: tuple[int, ...]
    nodes: tuple[int, ...]
    end: float
    terms: ChangeTerms
    changed: float = -math.inf
    asked: int | None = None
    constraints: Constraints = field(default_factory=Constraints)

    def __post_init__(self) -> None:
        if not self.sizes.has(len(self.nodes)):
            raise ValueError(f"gang {self.key} must have one of its sizes")
        if not 0 <= self.terms.restart_time < math.inf or not self.terms.min_interval >= 0:
            raise ValueError(f"the restart time and the interval of gang {self.key} must be numbers of seconds")

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.nodes)

    @property
    def seat(self) -> SeatKind:
        """What a member of it requires of its node."""
        return SeatKind(self.constraints, self.request)

    @property
    def is_due(self) -> bool:
        """Whether it is to have another size."""
        return self.asked is not None and self.asked != self.size and self.sizes.has(self.asked)

    @property
    def may_change_at(self) -> float:
        """The first time at which it may change its size again: ``min_interval`` seconds after its last change."""
        return self.changed + self.terms.min_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ElasticRun(SizedRun):
    """A gang that runs and whose work is known: ``left`` is the part of ``work`` that is not done, above 0, at most 1.

    Raises ValueError for invalid numbers.
    """

    created: float
    work: Work
    left: float

    def __post_init__(self) -> None:
        SizedRun.__post_init__(self)
        if not 0 < self.left <= 1:
            raise ValueError(f"gang {self.key} must have a part of its work left")

    @property
    def least_rest(self) -> float:
        """For how many seconds it must be expected to run to change its size, unless another gang must start."""
        return LEAST_RESTARTS * self.terms.restart_time


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEndedRun(SizedRun):
    """A gang that runs and whose end is unknown, so that no two of its sizes can be compared by time.

    ``end`` is inf, or the next guess for a gang that runs for longer than expected. ``least`` is the size that it got
    when it started: it shrinks to no smaller one, unless that is asked of it. It gives no room to gangs of a lower
    ``priority``. Members that it gives up are gone after ``grace`` seconds. Raises ValueError for invalid numbers.
    """

    priority: int
    least: int
    grace: float = 0.0

    @property
    def least_growth(self) -> float:
        """How many times as fast it becomes if it grows, at least."""
        return LEAST_GROWTH

    @property
    def end_after_change(self) -> float:
        """When it ends if its size changes now: as much later as the change takes, since its speed is unknown."""
        return self.end + self.terms.restart_time


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingGang:
    """A gang that waits. If it is ``elastic``, its size may change after its start.

    Otherwise it keeps the size with which it starts. That is the best size at its ``member_price``
    (``coschedule.queue.problem.price``), or any size where the gang must start.
    """

    key: GangKey
    created: float
    sizes: Sizes
    work: Work
    elastic: bool
    member_price: float = 0.0


class SizeChange(NamedTuple):
    """A gang that had ``was`` members continues with one member on each of ``nodes``.

    It ends at ``end``. Without the change it would end at ``end_before``. If ``is_open_ended``, both are guesses, or
    inf. It then gives room to the gang ``made_for``, None where it grows into idle nodes or its size was asked for.
    """

    gang: GangKey
    was: int
    nodes: tuple[int, ...]
    end: float
    end_before: float
    is_open_ended: bool = False
    made_for: GangKey | None = None


class SizedStart(NamedTuple):
    """A gang starts now with a member on each of ``nodes``, and ends at ``end`` if its size stays as it is."""

    gang: GangKey
    nodes: tuple[int, ...]
    end: float


class SizePlan(NamedTuple):
    """The gangs that change their size, and those that start; all other gangs stay as they are.

    ``gain`` is the increase of the objective (``worth``). It may be negative only where a gang must start.
    """

    changes: tuple[SizeChange, ...] = ()
    starts: tuple[SizedStart, ...] = ()
    gain: float = 0.0
