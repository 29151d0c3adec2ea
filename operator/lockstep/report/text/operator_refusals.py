"""The refusals that the operator adds to those of the engine (``coschedule.Refusal``)."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from coschedule import NoNodeFits, NotEnoughRoom, OfRole, Reason, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class BehindInQueue:
    """The refusal of a gang with at least ``in_front`` gangs in front.

    ``starts_by`` is a rough estimate of its start, a time of day; None if unknown.
    """

    reason: ClassVar[Reason] = Reason.BEHIND_IN_QUEUE
    in_front: int
    starts_by: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingNodes:
    """The refusal of a gang that holds ``nodes`` since the time of day ``since``, and until ``until`` at most."""

    refusal: Refusal
    nodes: tuple[str, ...]
    since: float
    until: float

    @property
    def reason(self) -> StrEnum:
        """Why the gang has no placement."""
        return self.refusal.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingFromHold:
    """The refusal of a gang whose node hold ended at ``until``. It may hold nodes again at ``again``.

    Both are times of day.
    """

    refusal: Refusal
    until: float
    again: float

    @property
    def reason(self) -> StrEnum:
        """Why the gang has no placement."""
        return self.refusal.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedInPool:
    """A refusal that counts only nodes of the pool."""

    refusal: NoNodeFits | NotEnoughRoom

    @property
    def reason(self) -> Reason:
        """Why the gang has no placement."""
        return self.refusal.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumesElsewhere:
    """The refusal of a gang of ``size`` members: no plan gives each member a node that reaches the member's volumes."""

    reason: ClassVar[Reason] = Reason.NOT_ENOUGH_ROOM
    size: int


def in_pool(refusal: Refusal) -> Refusal:
    """The same refusal, with "nodes of the pool" if it counts nodes."""
    if isinstance(refusal, OfRole):
        return replace(refusal, refusal=in_pool(refusal.refusal))
    return RefusedInPool(refusal=refusal) if isinstance(refusal, NoNodeFits | NotEnoughRoom) else refusal
