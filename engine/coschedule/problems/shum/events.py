"""The events of a cluster that is shared by auctions, and their outcomes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule.problems.shum.applications import check_levels, check_unit_times


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrive:
    """An application arrives: ``levels[l]`` workstations, rising, and ``unit_times[l]`` seconds at level l.

    A unit time becomes known only when the application reports it at that level. InvalidValueError for invalid values.
    """

    name: str
    levels: tuple[int, ...]
    unit_times: tuple[Number, ...]

    def __post_init__(self) -> None:
        check_levels(self.levels)
        if len(self.unit_times) != len(self.levels):
            raise InvalidValueError("unit_times", f"must hold {len(self.levels)} times, one for each level")
        check_unit_times(self.unit_times)


@dataclass(frozen=True, slots=True, kw_only=True)
class Depart:
    """An application ends and frees its workstations."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaders:
    """From now on, other processes keep ``workstations`` workstations busy. The number is at least 0."""

    workstations: int

    def __post_init__(self) -> None:
        if self.workstations < 0:
            raise InvalidValueError("workstations", "must be at least 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUnitTimes:
    """From now on, an application reports these unit times; the times of levels in ``also_known`` are known at once."""

    name: str
    unit_times: tuple[Number, ...]
    also_known: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_unit_times(self.unit_times)
        for index, level in enumerate(self.also_known):
            if not 0 <= level < len(self.unit_times):
                raise InvalidValueError(f"also_known[{index}]", f"must be a level, 0 to {len(self.unit_times) - 1}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldAuction:
    """An auction: applications in ``order`` go first, then others by arrival; those in ``exempt`` are left out."""

    order: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        earlier: set[str] = set()
        for index, name in enumerate(self.order):
            if name in earlier:
                raise InvalidValueError(f"order[{index}]", "must not repeat a name")
            earlier.add(name)


Event = Arrive | Depart | Loaders | SetUnitTimes | HoldAuction


class MoveKind(IntEnum):
    """The action of the auction that made a move."""

    MERGE_BACK = 0
    """The application's last split, a move to a higher level, gained nothing."""
    FIRST_AUCTION = 1
    FORWARD_BID = 2
    POTENTIAL_BID = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Donation:
    """An application that goes down so that another can go up."""

    name: str
    from_level: int
    to_level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One move of an auction; ``donation`` is None when free workstations were enough."""

    kind: MoveKind
    name: str
    from_level: int
    to_level: int
    donation: Donation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The state after an event.

    ``level`` is the level at which an application arrived, None when it was refused and after other events. ``moves``
    are the moves of an auction, in order. ``allocation`` maps running applications to their workstations, in order of
    arrival. ``available`` workstations are free. A negative number means that other processes keep so many allocated
    workstations busy.
    """

    level: int | None
    moves: tuple[Move, ...]
    allocation: Mapping[str, int]
    available: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionRules:
    """The rules of auctions of ``total`` workstations: Action 2 takes from a donor if FB > ``psi`` * BB.

    ``total`` is at least 0, and ``psi`` is above 0. With ``require_gain``, Action 2 also requires FB > 1.
    InvalidValueError for invalid values.
    """

    total: int
    psi: Number
    require_gain: bool = True

    def __post_init__(self) -> None:
        if self.total < 0:
            raise InvalidValueError("total", "must be at least 0")
        if not 0 < self.psi < math.inf:
            raise InvalidValueError("psi", "must be above 0 and finite")
