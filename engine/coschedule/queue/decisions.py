"""What a plan says: where and when each gang goes, or why it goes nowhere."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coschedule.queue.gangs import GangKey


class Reason(StrEnum):
    """Why a gang has no placement, on the facts of this snapshot."""

    NO_NODE_FITS = "NoNodeFits"
    """No node passes the gang's constraints."""
    NO_TIME_FOR_SIZE = "NoTimeForSize"
    """The measured profile has no time for any size of the gang's range."""
    NOT_ENOUGH_ROOM = "NotEnoughRoom"
    """Fewer than the minimum fit, even when every gang with a known end has ended."""
    WINDOW_TOO_SHORT = "WindowTooShort"
    """There is room, but nodes are taken back by their owners before the gang could end."""
    HELD_BY_GANGS_IN_FRONT = "HeldByGangsInFront"
    """There is room, but gangs in front hold it: for ever, until it is taken back, or for themselves."""
    DEADLINE_CANNOT_BE_MET = "DeadlineCannotBeMet"
    """Every possible placement ends after the deadline."""
    HELD_BY_LASTING_PODS = "HeldByLastingPods"
    """Fewer than the minimum fit even when everything has ended that is meant to end; without the rest it would fit."""
    HOLDS_NODES = "HoldsNodes"
    """It fits when others have ended, nobody knows when; until then it keeps nodes from those behind it."""
    BEHIND_IN_QUEUE = "BehindInQueue"
    """Too many gangs are in front to plan it now. The engine plans whatever it is given; who asks it may not."""
    PLANNING_FAILED = "PlanningFailed"
    """Planning it raised an exception, which is a mistake of the planner's; the other gangs were planned without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """The best placement that was not chosen and differs in a telling way; fields as in ``Placement``."""

    size: int
    start: float
    finish: float
    speedup: float | None


class Members(NamedTuple):
    """``size`` members on that node, and what each of them has.

    ``share`` is its fraction of the work when the load is proportional, ``pieces`` how many it has when the load is
    pieces; None otherwise.
    """

    node: str
    size: int
    share: float | None = None
    pieces: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A gang of ``size`` members on ``members``, ranks numbered along that list, in node order.

    A node is listed once for each different number of pieces that its members have, larger numbers first.

    Times are absolute seconds; ``start == now`` means it starts now, ``finish`` is inf when its run time is unknown.
    ``speedup`` is T(1) / (finish - now), None when either is unknown.

    ``alternative``: of a gang that starts now, the best later start with more members, else the best other size; of a
    gang that starts later, the best start now. Best means the least finish. None when there is none.

    What limits it: node ``slowest`` has the largest slow-down of its nodes; node ``latest`` has room for its members
    only from the start on, None when the gang starts now or waits for no node. Of several nodes, the fastest, then the
    first by name.
    """

    gang: GangKey
    size: int
    start: float
    finish: float
    speedup: float | None
    members: tuple[Members, ...]
    slowest: str
    latest: str | None
    alternative: Alternative | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The nodes a gang holds, in node order: nothing behind it is put there that does not end by ``start``."""

    nodes: tuple[str, ...]
    start: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaceable:
    """A gang that fits nowhere, now or later; ``detail`` is one sentence with numbers for its owner.

    ``hold``: what it holds until it fits, with ``Reason.HOLDS_NODES`` and only with that.
    """

    gang: GangKey
    reason: Reason
    detail: str
    hold: Hold | None = None


Decision = Placement | Unplaceable


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One decision a gang, in planning order, for the snapshot of this generation."""

    generation: int
    decisions: tuple[Decision, ...]
