"""A gang that runs and may change its size, on its seats.

All times are absolute seconds on one axis. A *seat* is room for one member. The code writes a seat as the index of its
node. So a list of seats has a node once for each member that has room there.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.worth import HORIZON_SECONDS


class SeatKind(NamedTuple):
    """The constraints of a member of a gang, and its request of each resource of the snapshot."""

    constraints: Constraints
    request: tuple[int, ...]

    def fits(self, gang: PendingGang) -> bool:
        """Return whether the first role of a gang requests at most ``request``; constraints are not compared."""
        return all(asked <= taken for asked, taken in zip(gang.roles[0].request, self.request, strict=True))


class FixedMembers(NamedTuple):
    """Members that a running gang always has: one member on each of ``nodes``. They never leave these nodes.

    If they do a part of the work (``is_work``), the gang is at least as slow as the slowest of these nodes.
    """

    seat: SeatKind
    nodes: tuple[int, ...]
    is_work: bool


class ChangeTerms(NamedTuple):
    """A change takes ``restart_time`` seconds, in which a gang holds its new nodes and does no new work.

    In ``lost`` of these seconds, the gang repeats work that it lost by the change. No gang changes more often than once
    in ``min_interval`` seconds.
    """

    restart_time: float = 120.0
    min_interval: float = 600.0
    lost: float = 0.0

    @property
    def horizon(self) -> float:
        """The seconds within which a change must pay off.

        They are at least ``min_interval``, as the gang keeps its size for that time.
        """
        return max(HORIZON_SECONDS, self.min_interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedRun:
    """A gang that runs and whose size may change to another of its ``sizes``.

    ``nodes`` are the nodes of the members whose number may change, one entry a member. Such a member takes
    ``request[r]`` of resource ``r`` of the snapshot, and runs only on nodes that pass the ``constraints``. The gang may
    also have ``fixed`` members.

    The gang ends at ``end`` if its size stays the same. It last changed its size at ``changed``, -inf for never. If a
    size is ``asked`` of the gang, the gang changes to that size only, as soon as there is room. Members that the gang
    gives up are gone after ``grace`` seconds. A gang with a ``deadline`` should end by then with the fewest members. To
    make room for a more urgent gang, this gang may shrink down to ``fewest`` members, which may be fewer than the least
    of ``sizes``. None stands for the least of ``sizes``. ``interruptible`` says whether new members may be on nodes
    whose owners may come back.

    If the gang ``keeps`` its members, they go on while other members come or go. A gang that grows then keeps all of
    its nodes, and a gang that shrinks never leaves the first of ``nodes``. Otherwise a change ends all members, and
    they begin again at the new size. If members leave ``in_order``, the members on the last of ``nodes`` leave first,
    whatever their pace. Raises ValueError for invalid numbers.
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
    interruptible: Interruptible = Interruptible.NEVER

    def __post_init__(self) -> None:
        if not self.sizes.has(len(self.nodes)):
            raise ValueError(f"gang {self.key} must have one of its sizes")
        if not 0 <= self.terms.restart_time < math.inf or not self.terms.min_interval >= 0:
            raise ValueError(f"the restart time and the interval of gang {self.key} must be numbers of seconds")

    @property
    def size(self) -> int:
        """The number of members on ``nodes``, without the fixed members."""
        return len(self.nodes)

    @property
    def fixed_size(self) -> int:
        """The number of fixed members."""
        return sum(len(part.nodes) for part in self.fixed)

    @property
    def fixed_working(self) -> int:
        """The number of fixed members that do a part of the work."""
        return sum(len(part.nodes) for part in self.fixed if part.is_work)

    @property
    def all_nodes(self) -> list[int]:
        """The nodes of all members, also of fixed ones; one entry a member."""
        return [*self.nodes, *(node for part in self.fixed for node in part.nodes)]

    @property
    def may_be_interrupted(self) -> bool:
        """Whether the gang may run where an owner may come back."""
        return self.interruptible is not Interruptible.NEVER

    @property
    def seat(self) -> SeatKind:
        """The constraints and the request of a member whose number may change."""
        return SeatKind(self.constraints, self.request)

    @property
    def is_due(self) -> bool:
        """Whether the gang should change to the size that is asked of it: an allowed size, not its present one."""
        return self.asked is not None and self.asked != self.size and self.sizes.has(self.asked)

    @property
    def may_change_at(self) -> float:
        """The first time at which the gang may change its size: ``min_interval`` seconds after its last change."""
        return self.changed + self.terms.min_interval

    @property
    def meets_its_deadline(self) -> bool:
        """Whether the gang has a deadline, and ends by then if its size stays the same."""
        return self.deadline is not None and self.end <= self.deadline

    def least_pace(self, slowdown: FloatArray) -> float:
        """Return the gang's least slow-down at any size: that of its slowest fixed member that works, or 0."""
        return max((float(slowdown[list(part.nodes)].max()) for part in self.fixed if part.is_work), default=0.0)

    def pace_of(self, slowdowns: FloatArray) -> float:
        """Return the gang's slow-down with one member at each of ``slowdowns``: the largest of them."""
        return float(slowdowns.max())

    def most_pace(self, size: int, limit: float, slowdown: FloatArray) -> float:
        """Return an upper bound on the gang's slow-down at ``size``, with new members on nodes up to ``limit``.

        If the gang ``keeps`` its members, they count with their own slow-downs: all of them or, at a smaller size, the
        slowest ones. Otherwise all members count as new.
        """
        kept = np.sort(slowdown[list(self.nodes)])[-size:] if self.keeps else np.empty(0)
        members = np.concatenate((kept, np.full(size - len(kept), limit)))
        return max(self.pace_of(members), self.least_pace(slowdown))

    def seats_to_keep(self, slowdown: FloatArray, until: FloatArray) -> list[int]:
        """Return the gang's seats in the order in which it keeps them: if it shrinks, it gives up the last ones.

        If members leave ``in_order``, this is the order of ``nodes``. Otherwise the fastest seats come first, and among
        equally fast seats those that stay open longest. A gang that ``keeps`` its members never leaves the first of its
        nodes. Among equal seats, it leaves the last ones first.
        """
        if self.in_order:
            return list(self.nodes)
        stays = self.nodes[:1] if self.keeps else ()
        return [*stays, *by_pace(self.nodes[len(stays) :], slowdown, until, in_order=self.keeps)]

    def pace_on(self, nodes: Sequence[int] | IntArray, slowdown: FloatArray) -> float:
        """Return the gang's slow-down with members on ``nodes`` and with its fixed members."""
        return max(self.pace_of(slowdown[list(nodes)]), self.least_pace(slowdown))

    def closes(self, until: FloatArray) -> float:
        """Return when the first node of the fixed members closes, inf without fixed members. The gang ends by then."""
        return min((float(until[list(part.nodes)].min()) for part in self.fixed), default=math.inf)

    def change_to(self, nodes: Iterable[int], end: float) -> SizeChange:
        """Return the change after which the gang has a member on each of ``nodes``, and ends at ``end``."""
        return SizeChange(self.key, self.size, tuple(sorted(nodes)), end, self.end, fixed=self.fixed_size)


def by_pace(nodes: Collection[int], slowdown: FloatArray, until: FloatArray, *, in_order: bool = False) -> list[int]:
    """Return the seats in order: the fastest first, and among equally fast seats the one that stays open longest.

    Seats that are equal in both are sorted by their node, or stay ``in_order``.
    """
    seats = np.array(nodes, dtype=np.int64)
    last = np.arange(len(seats)) if in_order else seats
    order: list[int] = seats[np.lexsort((last, -until[seats], slowdown[seats]))].tolist()
    return order
