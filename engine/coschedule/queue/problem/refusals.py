"""Why a gang has no placement: one value for each reason, with the numbers for a sentence to its user."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from coschedule.queue.problem.open_ended import Blocker


class Reason(StrEnum):
    """Why a gang has no placement, on the facts of this snapshot."""

    NO_NODE_FITS = "NoNodeFits"
    """No node passes the gang's constraints."""
    NO_TIME_FOR_SIZE = "NoTimeForSize"
    """The work has no time for any size of the gang's range."""
    NOT_ENOUGH_ROOM = "NotEnoughRoom"
    """Fewer members than the minimum fit, even when every gang with a known end has ended."""
    WINDOW_TOO_SHORT = "WindowTooShort"
    """There is room, but the windows of nodes close before the gang could end."""
    HELD_BY_GANGS_IN_FRONT = "HeldByGangsInFront"
    """There is room, but gangs in front use it.

    They have no known end, hold nodes, or end so late that the windows of nodes close before this gang could end.
    """
    DEADLINE_CANNOT_BE_MET = "DeadlineCannotBeMet"
    """Every possible placement ends after the deadline."""
    HELD_BY_LASTING_PODS = "HeldByLastingPods"
    """Too few members fit even when all pods that are meant to end have ended; enough fit without the other pods."""
    HOLDS_NODES = "HoldsNodes"
    """The gang fits once others have ended at an unknown time; until then it keeps nodes from gangs behind it."""
    BEHIND_IN_QUEUE = "BehindInQueue"
    """Too many gangs are in front to plan it now. Only callers use this reason: the engine plans every gang."""
    NO_DOMAIN_FITS = "NoDomainFits"
    """No single domain has room for all members, even when every gang with a known end has ended."""
    NO_ROOM_TOGETHER = "NoRoomTogether"
    """The members of each role alone would fit, but not all roles, even when every gang with a known end has ended."""
    TOPOLOGIES_CROSS = "TopologiesCross"
    """Terms name two labels whose domains overlap without one containing the other."""
    TOO_MANY_COMBINATIONS = "TooManyCombinations"
    """The roles of the gang have more combinations of members than the planner checks."""
    CONSTRAINTS_TOO_LONG = "ConstraintsTooLong"
    """The constraints of the gang on nodes are longer than the planner may still read for it."""
    PLANNING_FAILED = "PlanningFailed"
    """Planning the gang raised an exception: a bug of the planner. The other gangs were planned without it."""


class Refusal(Protocol):
    """Why a gang has no placement, with numbers. Callers of the engine may define further refusals and reasons."""

    @property
    def reason(self) -> StrEnum:
        """The kind of the refusal, without its numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoNodeFits:
    """None of ``nodes`` nodes passes the constraints of a gang that needs ``needed`` members.

    ``failures`` counts the nodes by the first requirement that each of them fails, in the order of the checks. Each
    entry has a phrase that completes "3 nodes …", and a count.
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
    """There is enough of ``resource`` for ``fit`` members only; each member requests ``each`` in base units."""

    resource: str
    each: int
    fit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEnoughRoom:
    """Only ``fit`` of ``needed`` members fit; ``passing`` of ``nodes`` nodes pass the constraints.

    ``failures`` counts the other nodes as in ``NoNodeFits``. ``short`` counts the passing nodes without room for a
    member, by the resource that each lacks most, the most frequent resource first. ``scarcest`` is the resource that
    alone allows the fewest members; None where each resource alone allows enough. ``blocker`` is a gang of unknown end
    on nodes that pass. It is set where enough members would fit once all pods that are meant to end have ended.
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
    """Only ``fit`` of ``needed`` members fit; all would fit without the pods that are not meant to end.

    ``scarcest`` is as in ``NotEnoughRoom``.
    """

    reason: ClassVar[Reason] = Reason.HELD_BY_LASTING_PODS
    needed: int
    fit: int
    scarcest: Scarcest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTooShort:
    """Windows for ``needed`` members are never open together for the shortest run, ``shortest_seconds``.

    ``shortest_seconds`` is None where the run time is unknown. ``passing`` nodes pass the constraints: ``never_open``
    of them are never open to gangs, and ``closing`` of them close again after at most ``longest_seconds``, which is
    None if no node closes. On ``owners_expected`` nodes the owner may come back, and the gang may not be interrupted.
    On ``tolerated`` nodes a taint evicts members after at most ``tolerated_seconds``.
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
    """``needed`` members would fit, but gangs in front use the room.

    ``nominated`` says whether there also are nominated pods of at least the gang's priority. ``blocker`` is a gang in
    front, of unknown end or with a node hold: the first of the gangs with the most nodes that pass.
    """

    reason: ClassVar[Reason] = Reason.HELD_BY_GANGS_IN_FRONT
    needed: int
    nominated: bool
    blocker: Blocker | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDomainFits:
    """None of ``domains`` domains has room for ``needed`` members; a domain is nodes with equal values of all ``keys``.

    At most ``most`` members fit in one domain. ``most`` is None if the domains have enough resources, or for several
    roles.
    """

    reason: ClassVar[Reason] = Reason.NO_DOMAIN_FITS
    needed: int
    keys: tuple[str, ...]
    domains: int
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLittle:
    """All members request ``needed`` of ``resource``, in base units; nodes that pass for some role have ``free``."""

    resource: str
    needed: int
    free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRoomTogether:
    """The ``needed`` members of all ``roles`` roles do not fit together; each role alone would.

    ``too_little`` names the resource with the largest ratio of needed to free; None where there is enough of each.
    """

    reason: ClassVar[Reason] = Reason.NO_ROOM_TOGETHER
    needed: int
    roles: int
    too_little: TooLittle | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologiesCross:
    """Each of the two labels ``keys`` has a domain that lies in several domains of the other label."""

    reason: ClassVar[Reason] = Reason.TOPOLOGIES_CROSS
    keys: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyCombinations:
    """The roles have ``combinations`` combinations of members; the planner distinguishes at most ``most``.

    ``combinations`` is None where members and nodes together have too many combinations, and no checked one fits.
    """

    reason: ClassVar[Reason] = Reason.TOO_MANY_COMBINATIONS
    combinations: int | None
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintsTooLong:
    """The constraints have ``length`` parts that no gang in front has; at most ``most`` are read for this gang.

    A part is a selector, a term, a requirement, a value or a toleration.
    """

    reason: ClassVar[Reason] = Reason.CONSTRAINTS_TOO_LONG
    length: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRole:
    """A refusal that concerns only the members of one ``role``."""

    role: str
    refusal: Refusal

    @property
    def reason(self) -> StrEnum:
        """The reason of the refusal."""
        return self.refusal.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningFailed:
    """Planning the gang raised an exception of the type ``error``, with this ``message``."""

    reason: ClassVar[Reason] = Reason.PLANNING_FAILED
    error: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled:
    """A refusal that was read from a recorded plan: the reason, and a sentence instead of the numbers."""

    reason: Reason
    sentence: str
