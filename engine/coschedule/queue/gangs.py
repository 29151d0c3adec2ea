"""The gangs that wait in the queue."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coschedule.model.run_times import SerialWork, Work
from coschedule.queue.constraints.terms import Constraints


class GangKey(NamedTuple):
    """The identity of a gang."""

    namespace: str
    name: str


class Load(StrEnum):
    """How a gang's work is divided among its members."""

    EQUAL = "Equal"
    """Every member has the same share [A 3]."""
    PROPORTIONAL = "Proportional"
    """A member's share is in proportion to its speed [A 4]."""
    PIECES = "Pieces"
    """The work is whole pieces; every member has one at least [S 4]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingGang:
    """A gang that waits for nodes.

    It takes any size from ``minimum`` to ``maximum`` for which ``work`` knows a time; ``work`` is None when its run
    time is unknown. ``request`` is what one member takes of each resource of the snapshot. ``deadline`` is an absolute
    time, which cannot bind a gang whose run time is unknown. ``pieces``, into which the serial work is divided, goes
    with ``Load.PIECES`` and is not below ``minimum``. It does not start before ``not_before``, an absolute time.

    Where it fits only when others have ended, nobody knows when, it may hold nodes if ``may_hold``; ``held`` are the
    nodes it holds already, by index.

    With ``may_preempt``, gangs of lower priority may be evicted for it. Some that are being evicted for it will have
    ended at ``awaits``: nobody else is, where it is planned to start by then. Raises ValueError when a number makes no
    sense.
    """

    key: GangKey
    priority: int
    created: float
    minimum: int
    maximum: int
    work: Work | None
    request: tuple[int, ...]
    constraints: Constraints
    deadline: float | None = None
    load: Load = Load.EQUAL
    pieces: int | None = None
    not_before: float = -math.inf
    may_hold: bool = True
    held: tuple[int, ...] = ()
    may_preempt: bool = False
    awaits: float = -math.inf

    def __post_init__(self) -> None:
        if math.isnan(self.created) or (self.deadline is not None and math.isnan(self.deadline)):
            raise ValueError("created and deadline must be numbers")
        if not self.not_before < math.inf:
            raise ValueError("not_before must be a time, or -inf")
        if not 1 <= self.minimum <= self.maximum:
            raise ValueError(f"sizes must satisfy 1 <= minimum <= maximum, not {self.minimum} and {self.maximum}")
        if any(amount < 0 for amount in self.request):
            raise ValueError("a request cannot be negative")
        if (self.load is Load.PIECES) != (self.pieces is not None):
            raise ValueError("pieces go with a load of pieces, and only with that")
        if self.pieces is not None:
            self._check_pieces(self.pieces)

    def _check_pieces(self, pieces: int) -> None:
        if pieces < self.minimum:
            raise ValueError(f"{self.minimum} members need as many pieces, not {pieces}")
        if self.work is not None and not isinstance(self.work, SerialWork):
            raise ValueError("measured times do not say how long a piece takes")
