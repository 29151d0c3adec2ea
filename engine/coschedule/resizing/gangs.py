"""The input and output of a choice of sizes: gangs that run, gangs that wait, seats, and the chosen sizes.

All times are absolute seconds on one axis. A *seat* is room for one member of any of these gangs: a node by its index,
once for each member that it has room for.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.model.run_times import SerialWork, Work
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.dealt_pieces import DealtPieces
from coschedule.resizing.unit_times import UnitTime, check_unit_times
from coschedule.resizing.worth import SharedWork

LEAST_RESTARTS = 30
"""A gang changes its size only if it would run for at least this number of restart times at its present size."""
LEAST_GROWTH = 1.2
"""A gang of unknown end grows only if its speed is multiplied by this number at least.

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


class FixedMembers(NamedTuple):
    """Members of a gang that runs whose number never changes: one on each of ``nodes``, which they never leave.

    If they do a part of the work (``is_work``), the gang is as slow as the slowest of these nodes, or slower.
    """

    seat: SeatKind
    nodes: tuple[int, ...]
    is_work: bool


class ChangeTerms(NamedTuple):
    """A change takes ``restart_time`` seconds, in which a gang holds its new nodes and does no work.

    No gang changes more often than once in ``min_interval`` seconds.
    """

    restart_time: float = 120.0
    min_interval: float = 600.0


def by_pace(nodes: Collection[int], slowdown: FloatArray, until: FloatArray, *, in_order: bool = False) -> list[int]:
    """Sort seats: the fastest first, and of equally fast ones the one that stays open longest.

    Seats that are alike in both go by their node, or stay ``in_order``.
    """
    seats = np.array(nodes, dtype=np.int64)
    last = np.arange(len(seats)) if in_order else seats
    order: list[int] = seats[np.lexsort((last, -until[seats], slowdown[seats]))].tolist()
    return order


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedRun:
    """A gang that runs on ``nodes``, one entry a member, and whose size may change to another of its ``sizes``.

    A member takes ``request[r]`` of resource ``r`` of the snapshot. The gang ends at ``end`` if its size stays the
    same. It last changed its size at ``changed``, -inf for never. If a size is ``asked`` of it, it changes to that size
    only, as soon as there is room. Its members run only on nodes that pass its ``constraints``. Members that it gives
    up are gone after ``grace`` seconds. All this is about the members whose number may change. The gang may also have
    ``fixed`` members. With a ``deadline`` it wants to end by then with the fewest members; None without one. For a more
    urgent gang it shrinks to ``fewest`` members, which its ``sizes`` may leave out; None for the least of these.

    If it ``keeps`` its members, they come and go while the others run. A gang that grows then has all of its nodes
    later too, and one that shrinks never leaves the first of ``nodes``. Otherwise all members end, and begin again at
    another size. If its members leave ``in_order``, those on the last of ``nodes`` leave first, whatever their pace.
    Raises ValueError for invalid numbers.
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
    fixed: tuple[FixedMembers, ...] = ()
    deadline: float | None = None
    keeps: bool = False
    in_order: bool = False
    grace: float = 0.0
    fewest: int | None = None

    def __post_init__(self) -> None:
        if not self.sizes.has(len(self.nodes)):
            raise ValueError(f"gang {self.key} must have one of its sizes")
        if not 0 <= self.terms.restart_time < math.inf or not self.terms.min_interval >= 0:
            raise ValueError(f"the restart time and the interval of gang {self.key} must be numbers of seconds")

    @property
    def size(self) -> int:
        """How many members it has whose number may change."""
        return len(self.nodes)

    @property
    def fixed_size(self) -> int:
        """How many members it has whose number never changes."""
        return sum(len(part.nodes) for part in self.fixed)

    @property
    def fixed_working(self) -> int:
        """How many of these do a part of the work."""
        return sum(len(part.nodes) for part in self.fixed if part.is_work)

    @property
    def all_nodes(self) -> list[int]:
        """The nodes of all its members, one entry a member."""
        return [*self.nodes, *(node for part in self.fixed for node in part.nodes)]

    @property
    def seat(self) -> SeatKind:
        """What a member of it requires of its node."""
        return SeatKind(self.constraints, self.request)

    @property
    def is_due(self) -> bool:
        """Whether another size, which it may have, is asked for."""
        return self.asked is not None and self.asked != self.size and self.sizes.has(self.asked)

    @property
    def may_change_at(self) -> float:
        """The first time at which it may change its size again: ``min_interval`` seconds after its last change."""
        return self.changed + self.terms.min_interval

    @property
    def meets_its_deadline(self) -> bool:
        """Whether it has a deadline, and ends by then if its size stays the same."""
        return self.deadline is not None and self.end <= self.deadline

    def least_pace(self, slowdown: FloatArray) -> float:
        """Return the slow-down of its slowest fixed member that works: no size is faster. 0 without such a member."""
        return max((float(slowdown[list(part.nodes)].max()) for part in self.fixed if part.is_work), default=0.0)

    def pace_of(self, slowdowns: FloatArray) -> float:
        """Return its slow-down with one member at each of these: that of the slowest."""
        return float(slowdowns.max())

    def most_pace(self, size: int, limit: float, slowdown: FloatArray) -> float:
        """Return its slow-down at another size at most, with more members on nodes of a slow-down up to ``limit``.

        If it keeps its members, they count with their own slow-downs: at a smaller size those of the slowest.
        """
        kept = np.sort(slowdown[list(self.nodes)])[-size:] if self.keeps else np.empty(0)
        members = np.concatenate((kept, np.full(size - len(kept), limit)))
        return max(self.pace_of(members), self.least_pace(slowdown))

    def seats_to_keep(self, slowdown: FloatArray, until: FloatArray) -> list[int]:
        """Sort its seats: a gang that shrinks keeps the first ones.

        These are the fastest, and of equally fast ones those that stay open longest. A gang that ``keeps`` its members
        never leaves the first of its nodes, and of equal seats it leaves the last ones.
        """
        if self.in_order:
            return list(self.nodes)
        stays = self.nodes[:1] if self.keeps else ()
        return [*stays, *by_pace(self.nodes[len(stays) :], slowdown, until, in_order=self.keeps)]

    def pace_on(self, nodes: Sequence[int] | IntArray, slowdown: FloatArray) -> float:
        """Return its slow-down with members on these nodes and the fixed ones."""
        return max(self.pace_of(slowdown[list(nodes)]), self.least_pace(slowdown))

    def closes(self, until: FloatArray) -> float:
        """Return when the first node of its fixed members closes, inf without these: it ends by then at any size."""
        return min((float(until[list(part.nodes)].min()) for part in self.fixed), default=math.inf)

    def change_to(self, nodes: Iterable[int], end: float) -> SizeChange:
        """Return the change to a member on each of these nodes, with which it ends at ``end``."""
        made = SizeChange(self.key, self.size, tuple(sorted(nodes)), end, self.end, fixed=self.fixed_size)
        return made._replace(is_open_ended=isinstance(self, OpenEndedRun))


@dataclass(frozen=True, slots=True, kw_only=True)
class ElasticRun(SizedRun):
    """A gang that runs and whose work is known: ``left`` is the part of ``work`` that is not done, above 0, at most 1.

    If members get pieces while they run, ``pieces`` of them are left, one at least, and ``work`` is that of a
    ``SerialWork``. Otherwise members have equal parts, and ``pieces`` is None. Raises ValueError for invalid numbers.
    """

    created: float
    work: Work
    left: float
    pieces: int | None = None

    def __post_init__(self) -> None:
        SizedRun.__post_init__(self)
        if not 0 < self.left <= 1 or self.pieces == 0:
            raise ValueError(f"gang {self.key} must have a part of its work left")
        if self.pieces is not None and not isinstance(self.work, SerialWork):
            raise ValueError(f"gang {self.key} must know how long a piece takes")

    def pace_of(self, slowdowns: FloatArray) -> float:
        """Return its slow-down with one member at each of these: that of the slowest, or by the pieces of each."""
        if self.pieces is not None and isinstance(self.work, SerialWork):
            return DealtPieces(self.pieces, self.work).pace(slowdowns)
        return SizedRun.pace_of(self, slowdowns)

    @property
    def least_rest(self) -> float:
        """The least time in seconds that it must still run to change its size, unless another gang must start."""
        return LEAST_RESTARTS * self.terms.restart_time

    def wants(self, end: float) -> bool:
        """Whether it wants to end at ``end``, at another size: one is asked for, or only then it meets its deadline."""
        return self.is_due or (self.deadline is not None and end <= self.deadline < self.end)

    @property
    def shared(self) -> SharedWork:
        """Its work, of which its fixed members may do a part."""
        return SharedWork(self.work, self.fixed_working)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEndedRun(SizedRun):
    """A gang that runs and whose end is unknown, so that its sizes can't be compared by time.

    They are compared by ``unit_times``, one for each size at which its progress was seen, if its present size is among
    these. ``end`` is inf, or the next guess for a gang that runs for longer than expected. ``least`` is the size that
    it got when it started. It shrinks to no smaller one, unless that is asked of it or it is measured. It gives no room
    to gangs of a lower ``priority``. Raises ValueError for invalid numbers.
    """

    priority: int
    least: int
    unit_times: tuple[UnitTime, ...] = ()

    def __post_init__(self) -> None:
        SizedRun.__post_init__(self)
        check_unit_times(self.unit_times)

    @property
    def is_measured(self) -> bool:
        """Whether its speed at its present size is known, so that others can be compared with it."""
        return any(one.size == self.size for one in self.unit_times)

    @property
    def largest(self) -> int:
        """The largest size that it may change to; a gang that meets its deadline needs no more members."""
        if self.asked is None:
            return self.size if self.meets_its_deadline else self.sizes.maximum
        return self.asked if self.is_due else self.size

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

    @property
    def shared(self) -> SharedWork:
        """Its work, of which all its members do a part."""
        return SharedWork(self.work)


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
