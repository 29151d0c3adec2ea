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

TOLD_SECONDS = 1.0
"""Times are told in whole seconds: nobody sees a smaller difference between a start and what was promised."""


class GangKey(NamedTuple):
    """The identity of a gang."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class Load(StrEnum):
    """How a gang's work is divided among the members of a role."""

    EQUAL = "Equal"
    """Every member has the same share [A 3]."""
    PROPORTIONAL = "Proportional"
    """A member's share is in proportion to its speed [A 4]."""
    PIECES = "Pieces"
    """The work is whole pieces; every member has one at least [S 4]."""
    NONE = "None"
    """Members have no part of the work: neither their number nor their speed counts."""

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
    """Members that are alike: ``request`` is what each takes of each resource of the snapshot.

    ``pieces``, into which the serial work is divided, goes with ``Load.PIECES`` and is not below the least size.
    Raises ValueError when a number makes no sense.
    """

    name: str = ""
    sizes: Sizes
    request: tuple[int, ...]
    constraints: Constraints
    load: Load = Load.EQUAL
    pieces: int | None = None

    @property
    def largest(self) -> int:
        """The most members that could have something to do."""
        return self.sizes.maximum if self.pieces is None else min(self.sizes.maximum, self.pieces)

    def __post_init__(self) -> None:
        if any(amount < 0 for amount in self.request):
            raise ValueError("a request cannot be negative")
        if self.load.is_pieces != (self.pieces is not None):
            raise ValueError("pieces go with a load of pieces, and only with that")
        if self.pieces is not None and self.pieces < self.sizes.least:
            raise ValueError(f"{self.sizes.least} members need as many pieces, not {self.pieces}")


class Seat(NamedTuple):
    """So many members of a role are on a node, by index."""

    node: int
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the plan before gave a gang: the ``seats`` of each of its roles, by node, from its start to its finish.

    Node ``latest`` had room for its members only from the start on, None where it waited for no node. ``members`` are
    these seats as that plan has spelled them, () where that is unknown. Raises ValueError when a number makes no sense.

    ``nodes`` and ``counts`` are the same seats, role by role, ``sizes`` the number of members of each role, and
    ``size`` of all: what is kept for long is asked for them in every plan.
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
            raise ValueError("what is kept must start at a time, and end later")
        for of_role in self.seats:
            nodes = [seat.node for seat in of_role]
            if nodes != sorted(set(nodes)) or any(seat.members < 1 for seat in of_role):
                raise ValueError("what is kept must have nodes that rise, and members on each of them")
        columns = [np.array(of_role, dtype=np.int64).reshape(-1, 2) for of_role in self.seats]
        object.__setattr__(self, "nodes", tuple(column[:, 0] for column in columns))
        object.__setattr__(self, "counts", tuple(column[:, 1] for column in columns))
        object.__setattr__(self, "sizes", tuple(sum(seat.members for seat in of_role) for of_role in self.seats))
        object.__setattr__(self, "size", sum(self.sizes))


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingGang:
    """A gang that waits for nodes: members of one role or of several, that start and end together.

    At most one role has sizes to choose from. A gang takes any of them for which ``work`` knows a time; ``work`` is
    None when its run time is unknown. The time is that of as many members as have a load. Where the load of one role is
    proportional or pieces, no other has one. ``deadline`` is an absolute time, which cannot bind a gang whose run time
    is unknown. It does not start before ``not_before``, an absolute time. Members also obey ``terms`` among themselves.

    Its age counts from ``queued_since``, an absolute time; from when it was ``created`` where that is not given. Its
    speed-up counts from when it was ``requested``; from the plan's now where that is not given.

    ``member_price`` is what a member-second costs the others, in seconds: the run with the least ``start + d * (1 +
    member_price * n)`` is chosen, where n members run d seconds. A deadline asks for the fewest members instead.

    Where it fits only when others have ended, nobody knows when, it may hold nodes if ``may_hold``; ``held`` are the
    nodes it holds already, by index.

    It was ``promised`` to start by a time, inf where nothing was: it is planned for later only where nothing else is
    possible. ``kept`` is what the plan before gave it, if that still counts.

    With ``may_preempt``, gangs of lower priority may be evicted for it. Some that are being evicted for it will have
    ended at ``awaits``: nobody else is, where it is planned to start by then.

    ``interruptible`` says whether it may be where an owner is expected back. With ``Checkpointed`` it has saved what
    it has done each ``checkpoint_interval`` seconds of its run.

    On nodes of the kinds of ``factors`` its members take so many times as long as the slow-down of the node says.
    Raises ValueError when a number makes no sense.
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
            raise ValueError("checkpoints have an interval, and nothing else has one")
        if len({factor.kind for factor in self.factors}) < len(self.factors):
            raise ValueError("a gang must have one factor for each kind")
        self._check_roles()
        self._check_loads()

    def is_late_at(self, start: float) -> bool:
        """Whether it would start after what it was promised: by a second at least, as promises are told in seconds."""
        return start >= self.promised + TOLD_SECONDS

    @property
    def counts_from(self) -> float:
        """The time from which its age counts: of gangs of one priority the oldest is planned first."""
        return self.created if self.queued_since is None else self.queued_since

    @property
    def serial(self) -> float | None:
        """T(1), None when it is not known."""
        serial = math.inf if self.work is None else self.work.float_time(1)
        return serial if serial < math.inf else None

    @property
    def price(self) -> Price:
        """The price in force: none where the run time is unknown, or a deadline asks for the fewest members."""
        return Price(0.0 if self.work is None or self.deadline is not None else self.member_price)

    def remembering(self, promised: float, kept: Kept | None) -> "PendingGang":
        """Return the gang with what it was promised, and what it was given, in the plan before.

        Every gang is told that in every plan, so that what has not changed is not checked again.
        """
        other = object.__new__(PendingGang)
        for name in PendingGang.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "promised", promised)
        object.__setattr__(other, "kept", kept)
        other._check_memory()
        return other

    def _check_memory(self) -> None:
        if math.isnan(self.promised):
            raise ValueError("promised must be a time, or inf")
        if self.kept is not None and len(self.kept.seats) != len(self.roles):
            raise ValueError("what is kept must have seats for each role")

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
            raise ValueError("work must be that of members with a load")
        if len(loads) > 1 and any(load.is_unequal for load in loads):
            raise ValueError("where one load is unequal, all others must be None")
        are_pieces = any(load.is_pieces for load in loads)
        if are_pieces and self.work is not None and not isinstance(self.work, SerialWork):
            raise ValueError("measured times do not say how long a piece takes")
