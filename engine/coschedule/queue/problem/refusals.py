"""Why a gang has no placement: one value for each reason, with the numbers that a sentence for its owner needs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from coschedule.queue.problem.open_ended import Blocker


class Reason(StrEnum):
    """Why a gang has no placement, on the facts of this snapshot."""

    NO_NODE_FITS = "NoNodeFits"
    """No node passes the gang's constraints."""
    NO_TIME_FOR_SIZE = "NoTimeForSize"
    """The measured profile has no time for any size of the gang's range."""
    NOT_ENOUGH_ROOM = "NotEnoughRoom"
    """Fewer than the minimum fit, even when every gang with a known end has ended."""
    WINDOW_TOO_SHORT = "WindowTooShort"
    """There is open_slots, but nodes are taken back by their owners before the gang could end."""
    HELD_BY_GANGS_IN_FRONT = "HeldByGangsInFront"
    """There is open_slots, but gangs in front hold it: for ever, until it is taken back, or for themselves."""
    DEADLINE_CANNOT_BE_MET = "DeadlineCannotBeMet"
    """Every possible placement ends after the deadline."""
    HELD_BY_LASTING_PODS = "HeldByLastingPods"
    """Fewer than the minimum fit even when everything has ended that is meant to end; without the rest it would fit."""
    HOLDS_NODES = "HoldsNodes"
    """It fits when others have ended, nobody knows when; until then it keeps nodes from those behind it."""
    BEHIND_IN_QUEUE = "BehindInQueue"
    """Too many gangs are in front to plan it now. The engine plans whatever it is given; who asks it may not."""
    NO_DOMAIN_FITS = "NoDomainFits"
    """No single domain has room for all members, even when every gang with a known end has ended."""
    NO_ROOM_TOGETHER = "NoRoomTogether"
    """Members of every role would fit alone, but not all together, even when every gang with a known end has ended."""
    TOPOLOGIES_CROSS = "TopologiesCross"
    """Terms name two labels whose domains cut through each other."""
    TOO_MANY_COMBINATIONS = "TooManyCombinations"
    """Its roles have more combinations of members than the planner looks through."""
    CONSTRAINTS_TOO_LONG = "ConstraintsTooLong"
    """Its constraints on nodes are longer than what the planner still reads for the gang."""
    PLANNING_FAILED = "PlanningFailed"
    """Planning it raised an exception, which is a mistake of the planner's; the other gangs were planned without it."""


class Refusal(Protocol):
    """Why a gang has no placement, with numbers; who asks the engine may have refusals, and reasons, of its own."""

    @property
    def reason(self) -> StrEnum:
        """The reason that the value stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoNodeFits:
    """None of ``nodes`` nodes passes the constraints of a gang that needs ``needed`` members.

    ``failures`` counts the nodes by the first requirement that each of them fails, in the order of asking: a phrase
    that completes "3 nodes …", and how many.
    """

    reason: ClassVar[Reason] = Reason.NO_NODE_FITS
    needed: int
    nodes: int
    failures: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTimeForSize:
    """The work has no time for any size from ``minimum`` to ``maximum``."""

    reason: ClassVar[Reason] = Reason.NO_TIME_FOR_SIZE
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineCannotBeMet:
    """The earliest finish is ``seconds`` from now, with ``size`` members, and ``late_seconds`` after the deadline."""

    reason: ClassVar[Reason] = Reason.DEADLINE_CANNOT_BE_MET
    seconds: float
    size: int
    late_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scarcest:
    """Of the ``resource``, of which a member takes ``each`` in base units, there is enough for ``fit`` members only."""

    resource: str
    each: int
    fit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEnoughRoom:
    """Of ``needed`` members ``fit`` do; ``passing`` of ``nodes`` nodes pass the constraints.

    ``failures`` counts the others as in ``NoNodeFits``. ``short`` counts the passing nodes that hold no member by the
    resource that each of them lacks most, the most frequent resource first. ``scarcest`` is the resource that would
    allow fewest members if there were enough of all others; None where each would allow as many as are needed.
    ``blocker`` is there where enough would fit once everything has ended that is meant to end, and a gang that gives no
    end holds some of the nodes that pass.
    """

    reason: ClassVar[Reason] = Reason.NOT_ENOUGH_ROOM
    needed: int
    fit: int
    passing: int
    nodes: int
    short: tuple[tuple[str, int], ...]
    scarcest: Scarcest | None = None
    failures: tuple[tuple[str, int], ...] = ()
    blocker: Blocker | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldByLastingPods:
    """Of ``needed`` members ``fit`` do; the rest would, without the pods that are not meant to end.

    ``scarcest`` is as in ``NotEnoughRoom``.
    """

    reason: ClassVar[Reason] = Reason.HELD_BY_LASTING_PODS
    needed: int
    fit: int
    scarcest: Scarcest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTooShort:
    """``needed`` members find no time together: they need ``shortest_seconds``, or None where nobody knows how long.

    Of the ``passing`` nodes, which pass the constraints, ``never_open`` are never open to gangs and ``closing`` close
    again, after ``longest_seconds`` at most; None where none of them closes. Of ``owners_expected`` the owners may come
    back, and the gang may not be interrupted. On ``tolerated`` nodes a taint evicts members after a time, of
    ``tolerated_seconds`` at most.
    """

    reason: ClassVar[Reason] = Reason.WINDOW_TOO_SHORT
    needed: int
    shortest_seconds: float | None
    passing: int
    never_open: int
    closing: int
    longest_seconds: float | None
    owners_expected: int = 0
    tolerated: int = 0
    tolerated_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldByGangsInFront:
    """``needed`` members would fit, but gangs in front hold the room, or pods that are ``nominated`` for it.

    ``blocker`` has most of the nodes that pass, of the gangs in front that give no end or hold nodes until they start.
    """

    reason: ClassVar[Reason] = Reason.HELD_BY_GANGS_IN_FRONT
    needed: int
    nominated: bool
    blocker: Blocker | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDomainFits:
    """None of ``domains`` domains, which are nodes with one value of all ``keys``, has room for ``needed`` members.

    ``most`` have room in one of them; None where that is not what is in the way, or there are several roles.
    """

    reason: ClassVar[Reason] = Reason.NO_DOMAIN_FITS
    needed: int
    keys: tuple[str, ...]
    domains: int
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLittle:
    """All members together take ``needed`` of the ``resource`` in base units; ``free`` is on all nodes for them."""

    resource: str
    needed: int
    free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRoomTogether:
    """The ``needed`` members of all ``roles`` roles do not fit together, while each role alone would.

    ``too_little`` is of the resource that is the shortest by the whole of it; None where there is enough of each.
    """

    reason: ClassVar[Reason] = Reason.NO_ROOM_TOGETHER
    needed: int
    roles: int
    too_little: TooLittle | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologiesCross:
    """Some domain of one of the two labels ``keys`` is in several domains of the other, and the other way round."""

    reason: ClassVar[Reason] = Reason.TOPOLOGIES_CROSS
    keys: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyCombinations:
    """The roles have ``combinations`` combinations of members, of which at most ``most`` are told apart.

    None where it is with those of nodes that there are more than ``most``, among which there was none that fits.
    """

    reason: ClassVar[Reason] = Reason.TOO_MANY_COMBINATIONS
    combinations: int | None
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintsTooLong:
    """Constraints have ``length`` parts that no gang in front has; at most ``most`` are read for it.

    A part is a selector, a term, a requirement, a value or a toleration.
    """

    reason: ClassVar[Reason] = Reason.CONSTRAINTS_TOO_LONG
    length: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRole:
    """A refusal that is about the members of one ``role`` alone."""

    role: str
    refusal: Refusal

    @property
    def reason(self) -> StrEnum:
        """The reason of the refusal."""
        return self.refusal.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningFailed:
    """Planning the gang raised an exception of the type ``error`` with that message."""

    reason: ClassVar[Reason] = Reason.PLANNING_FAILED
    error: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled:
    """A refusal of a plan that was written down before: its reason, and the sentence instead of the numbers."""

    reason: Reason
    sentence: str
