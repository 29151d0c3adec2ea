"""The gangs that wait in the queue."""

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, assert_never

import numpy as np

from coschedule.model.kinds import KindFactor
from coschedule.model.numbers import IntArray
from coschedule.model.run_times import SerialWork, Work
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.price import Price
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.terms import Term

RESOLUTION_SECONDS = 1.0
"""Times are reported in whole seconds: a smaller difference between a start and its promise is not visible."""


class GangKey(NamedTuple):
    """The identity of a gang."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class Load(StrEnum):
    """How a gang's work is divided among the members of a role.

    A role and its members *have a load* if they have a part of the work: the load is not ``NONE``.
    """

    EQUAL = "Equal"
    """All members have the same share [A 3]."""
    PROPORTIONAL = "Proportional"
    """The share of a member is in proportion to its speed [A 4]."""
    PIECES = "Pieces"
    """The work is whole pieces; each member has at least one [S 4]."""
    NONE = "None"
    """Members have no part of the work: their number and speed do not change the run time."""

    @property
    def is_work(self) -> bool:
        """Whether members have a part of the work."""
        match self:
            case Load.EQUAL | Load.PROPORTIONAL | Load.PIECES:
                return True
            case Load.NONE:
                return False
            case _:
                assert_never(self)

    @property
    def is_unequal(self) -> bool:
        """Whether members have different parts of the work."""
        match self:
            case Load.PROPORTIONAL | Load.PIECES:
                return True
            case Load.EQUAL | Load.NONE:
                return False
            case _:
                assert_never(self)

    @property
    def is_pieces(self) -> bool:
        """Whether the work is divided into whole pieces."""
        match self:
            case Load.PIECES:
                return True
            case Load.EQUAL | Load.PROPORTIONAL | Load.NONE:
                return False
            case _:
                assert_never(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Members that are alike: each requests ``request[r]`` of resource ``r`` of the snapshot.

    ``pieces`` is the number of pieces of the serial work. It is set if, and only if, the load is ``Load.PIECES``, and
    it is at least the least size. If several roles of a gang have pieces, a piece of this role takes ``piece_weight``
    times as long as a piece of weight 1. Pieces with ``dealt_later`` are planned like other pieces, but members get no
    number of pieces beforehand. Raises ValueError for invalid numbers.
    """

    name: str = ""
    sizes: Sizes
    request: tuple[int, ...]
    constraints: Constraints
    load: Load = Load.EQUAL
    pieces: int | None = None
    piece_weight: int = 1
    dealt_later: bool = False

    @property
    def largest(self) -> int:
        """The largest number of members that can each have a part of the work."""
        return self.sizes.maximum if self.pieces is None else min(self.sizes.maximum, self.pieces)

    @property
    def units(self) -> float:
        """The time of one member for all pieces; a piece of weight 1 takes one unit. It is 1 without pieces."""
        return 1.0 if self.pieces is None else float(self.pieces * self.piece_weight)

    def __post_init__(self) -> None:
        if any(amount < 0 for amount in self.request):
            raise ValueError("a request cannot be negative")
        if self.load.is_pieces != (self.pieces is not None):
            raise ValueError("pieces must be given if the load is of pieces, and only then")
        if self.pieces is not None and self.pieces < self.sizes.least:
            raise ValueError(f"{self.sizes.least} members need as many pieces, not {self.pieces}")
        if self.piece_weight < 1:
            raise ValueError("piece_weight must be at least 1")


class Seat(NamedTuple):
    """The number of members of a role on a node, which is given by index."""

    node: int
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The placement of a gang in the previous plan: the ``seats`` of each role, by node, from ``start`` to ``finish``.

    ``latest`` is a node that had room only from the start on, None if the gang waited for no node. ``members`` are the
    same seats in the form of the previous plan, () if that is unknown. Raises ValueError for invalid numbers.

    ``nodes`` and ``counts`` are the same seats as arrays: int[i] for each role. ``sizes`` has the number of members of
    each role, and ``size`` is their sum. These four fields are stored because every plan reads them.
    """

    start: float
    finish: float
    seats: tuple[tuple[Seat, ...], ...]
    latest: int | None = None
    members: tuple[Members, ...] = field(default=(), compare=False, repr=False)
    nodes: tuple[IntArray, ...] = field(init=False, compare=False, repr=False)
    counts: tuple[IntArray, ...] = field(init=False, compare=False, repr=False)
    sizes: tuple[int, ...] = field(init=False, compare=False, repr=False)
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not -math.inf < self.start < self.finish:
            raise ValueError("a kept placement must have a finite start, before its finish")
        for of_role in self.seats:
            nodes = [seat.node for seat in of_role]
            if nodes != sorted(set(nodes)) or any(seat.members < 1 for seat in of_role):
                raise ValueError("the seats of a kept placement must be in the order of their nodes, and have members")
        columns = [np.array(of_role, dtype=np.int64).reshape(-1, 2) for of_role in self.seats]
        object.__setattr__(self, "nodes", tuple(column[:, 0] for column in columns))
        object.__setattr__(self, "counts", tuple(column[:, 1] for column in columns))
        object.__setattr__(self, "sizes", tuple(sum(seat.members for seat in of_role) for of_role in self.seats))
        object.__setattr__(self, "size", sum(self.sizes))


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingGang:
    """A gang that waits for nodes: members of one or more roles, which start and end together.

    All times are absolute seconds. At most one role has sizes to choose from, and any size with a time in ``work`` may
    be chosen. ``work`` is None when the run time is unknown. Only members with a load determine the run time. Where the
    load of one role is proportional, no other role has a load. Several roles may have pieces, if no other role has a
    load. A ``deadline`` has no effect where the run time is unknown. The gang does not start before ``not_before``. Its
    members also obey ``terms`` among themselves.

    The age of the gang counts from ``queued_since``, or from ``created`` where that is None. The speed-up counts from
    ``requested``, or from the plan's now where that is None.

    ``member_price`` is the price of a member-second to other gangs, in seconds. A run of n members for d seconds has
    the value ``start + d * (1 + member_price * n)``. The run with the least value is chosen, or the run with the fewest
    members if there is a deadline.

    With ``may_hold``, the gang may hold nodes if it fits only after others have ended at an unknown time. ``held`` has
    the indices of the nodes that it holds already.

    The gang starts by ``promised`` wherever that is possible; inf without a promise. ``kept`` is its placement in the
    previous plan; None if there was none, or if it no longer counts. ``lost_place`` says that there was a placement
    that no longer counts.

    With ``may_preempt``, gangs of lower priority may be evicted for it. ``awaits`` is the time by which gangs that are
    already being evicted for it will have ended. If the gang is planned to start by then, no more gangs are evicted.

    ``interruptible`` says whether the gang may run where a node owner may come back. With ``Checkpointed``, the gang
    saves its work every ``checkpoint_interval`` seconds of its run.

    ``factors`` multiply the slow-down of nodes of some kinds for this gang. Raises ValueError for invalid numbers.
    """

    key: GangKey
    priority: int
    created: float
    roles: tuple[Role, ...]
    work: Work | None
    deadline: float | None = None
    member_price: float = 0.0
    not_before: float = -math.inf
    promised: float = math.inf
    kept: Kept | None = None
    lost_place: bool = False
    may_hold: bool = True
    held: tuple[int, ...] = ()
    may_preempt: bool = False
    awaits: float = -math.inf
    terms: tuple[Term, ...] = ()
    interruptible: Interruptible = Interruptible.NEVER
    checkpoint_interval: float = math.inf
    factors: tuple[KindFactor, ...] = ()
    requested: float | None = None
    queued_since: float | None = None

    def __post_init__(self) -> None:
        if math.isnan(self.counts_from):
            raise ValueError("queued_since must be a number")
        if math.isnan(self.created) or (self.deadline is not None and math.isnan(self.deadline)):
            raise ValueError("created and deadline must be numbers")
        if not self.not_before < math.inf:
            raise ValueError("not_before must be a time, or -inf")
        self._check_memory()
        if not 0 <= self.member_price < math.inf:
            raise ValueError("member_price must be at least 0 and finite")
        if not self.checkpoint_interval > 0:
            raise ValueError("checkpoint_interval must be positive")
        if (self.interruptible is Interruptible.CHECKPOINTED) != (self.checkpoint_interval < math.inf):
            raise ValueError("checkpoint_interval must be finite with interruptible CHECKPOINTED, and only then")
        if len({factor.kind for factor in self.factors}) < len(self.factors):
            raise ValueError("a gang must have one factor for each kind")
        self._check_roles()
        self._check_loads()

    def is_late_at(self, start: float) -> bool:
        """Whether this start is at least one second after the promised time; promises have a resolution of seconds."""
        return start >= self.promised + RESOLUTION_SECONDS

    def starts_after_victims(self, now: float) -> float:
        """Return the time by which the gang starts if other gangs are giving way to it, else inf.

        The time is also inf if the run time of the gang is unknown.
        """
        if self.work is None or self.awaits == -math.inf:
            return math.inf
        return max(self.awaits, math.nextafter(now, math.inf))

    @property
    def counts_from(self) -> float:
        """The time from which the age of the gang counts. Within one priority, the oldest gang leads the queue."""
        return self.created if self.queued_since is None else self.queued_since

    @property
    def serial(self) -> float | None:
        """T(1), the seconds that one member alone would take for the work; None when they are unknown."""
        serial = math.inf if self.work is None else self.work.float_time(1)
        return serial if serial < math.inf else None

    @property
    def price(self) -> Price:
        """The price in force: 0 where the run time is unknown or there is a deadline."""
        return Price(0.0 if self.work is None or self.deadline is not None else self.member_price)

    def remembering(self, promised: float, kept: Kept | None, *, lost_place: bool = False) -> "PendingGang":
        """Return the gang with this promise and this placement of the previous plan.

        This runs for every gang in every plan, so unchanged fields are not validated again.
        """
        other = object.__new__(PendingGang)
        for name in PendingGang.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "promised", promised)
        object.__setattr__(other, "kept", kept)
        object.__setattr__(other, "lost_place", lost_place)
        other._check_memory()
        return other

    def _check_memory(self) -> None:
        if math.isnan(self.promised):
            raise ValueError("promised must be a time, or inf")
        if self.kept is not None and len(self.kept.seats) != len(self.roles):
            raise ValueError("a kept placement must have seats for each role")

    def _check_roles(self) -> None:
        names = {role.name for role in self.roles}
        if not names or len(names) < len(self.roles):
            raise ValueError("a gang must have roles of different names")
        if any(not term.roles | term.towards <= names for term in self.terms):
            raise ValueError("terms must name roles of the gang")
        if sum(role.sizes.vary for role in self.roles) > 1:
            raise ValueError("one role at most must have sizes to choose from")

    def _check_loads(self) -> None:
        loads = [role.load for role in self.roles if role.load.is_work]
        if self.work is not None and not loads:
            raise ValueError("a gang with work must have a role whose load is not NONE")
        are_pieces = any(load.is_pieces for load in loads)
        if len(set(loads)) > 1 and are_pieces:
            raise ValueError("where one role has pieces, all others must have pieces or no load")
        if len(loads) > 1 and any(load.is_unequal and not load.is_pieces for load in loads):
            raise ValueError("where one load is proportional, all others must be None")
        if are_pieces and self.work is not None and not isinstance(self.work, SerialWork):
            raise ValueError("measured times do not say how long a piece takes")
