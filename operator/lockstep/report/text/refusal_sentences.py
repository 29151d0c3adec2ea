"""Describes in one sentence, with numbers, why a gang has no placement. Only this module formats refusals.

Most refusals come from the engine (``coschedule.Refusal``). Refusals that the operator adds are defined here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import singledispatch
from typing import ClassVar

from coschedule import (
    Blocker,
    ConstraintsTooLong,
    DeadlineCannotBeMet,
    HeldByGangsInFront,
    HeldByLastingPods,
    NoDomainFits,
    NoNodeFits,
    NoRoomTogether,
    NotEnoughRoom,
    NoTimeForSize,
    OfRole,
    PlanningFailed,
    Reason,
    Refusal,
    Spelled,
    TooLittle,
    TooManyCombinations,
    TopologiesCross,
    WindowTooShort,
)
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS
from lockstep.facts.cluster.quota import plain_resource
from lockstep.facts.gang.keys import is_room
from lockstep.report.text.admission import format_amount
from lockstep.report.text.sentences import duration, n_gangs, n_members, n_nodes, node_ranges
from lockstep.report.text.window_sentences import exact_duration, window_sentence
from lockstep.snapshot.quotas.quota_bounds import QuotaShort

_LONGEST_FAILURE = 500
_MOST_FAILURES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BehindInQueue:
    """The refusal of a gang with at least ``in_front`` gangs in front.

    ``starts_by`` is a rough estimate; None if unknown.
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
    """The refusal of a plan with ``size`` members at the gang's volumes, but some ranks not at their own volumes."""

    reason: ClassVar[Reason] = Reason.NOT_ENOUGH_ROOM
    size: int


def in_pool(refusal: Refusal) -> Refusal:
    """The same refusal, with "nodes of the pool" if it counts nodes."""
    if isinstance(refusal, OfRole):
        return replace(refusal, refusal=in_pool(refusal.refusal))
    return RefusedInPool(refusal=refusal) if isinstance(refusal, NoNodeFits | NotEnoughRoom) else refusal


@singledispatch
def format_refusal(refusal: Refusal) -> str:
    """Format a refusal as one sentence, without a capital and a full stop.

    Raises ``TypeError`` for an unknown refusal.
    """
    raise TypeError(refusal)


@format_refusal.register
def _of_pool(refusal: RefusedInPool) -> str:
    if isinstance(refusal.refusal, NoNodeFits):
        return _no_node(refusal.refusal, nodes="nodes of the pool")
    return _too_little(refusal.refusal, nodes="nodes of the pool")


@format_refusal.register
def _no_node(refusal: NoNodeFits, nodes: str = "nodes") -> str:
    if not refusal.nodes:
        return f"it needs {n_members(refusal.needed)}, and there are 0 {nodes}"
    return f"0 of {refusal.nodes} {nodes} pass its constraints: {nodes_failing(refusal.failures)}"


@format_refusal.register
def _no_time(refusal: NoTimeForSize) -> str:
    return f"its work.profile has no time for any size from {refusal.minimum} to {refusal.maximum}"


@format_refusal.register
def _late(refusal: DeadlineCannotBeMet) -> str:
    finish = f"it can end in {exact_duration(refusal.seconds)} at the earliest, with {n_members(refusal.size)}"
    return f"{finish}: {exact_duration(refusal.late_seconds)} after its deadline"


@format_refusal.register
def _too_little(refusal: NotEnoughRoom, nodes: str = "nodes") -> str:
    passing = f"{refusal.passing} of {refusal.nodes} {nodes} pass its constraints"
    others = f" ({nodes_failing(refusal.failures)})" if refusal.failures else ""
    short = nodes_failing([(f"short of {name}", count) for name, count in refusal.short])
    details = "; of these, ".join(filter(None, (f"{passing}{others}", short)))
    blocked = f" while {_in_the_way(refusal.blocker)}" if refusal.blocker is not None else ""
    return f"{_fit(refusal.needed, refusal.fit)}{blocked}: {details}{_of_scarcest(refusal)}"


@format_refusal.register
def _lasting(refusal: HeldByLastingPods) -> str:
    what = "long-running pods hold the rest"
    return f"{_fit(refusal.needed, refusal.fit)}: {what}{_of_scarcest(refusal)}"


@format_refusal.register
def _too_short(refusal: WindowTooShort) -> str:
    if refusal.shortest_seconds is None:
        return (
            f"it states no run time, so it needs nodes that stay open for {n_members(refusal.needed)}; "
            f"{window_sentence(refusal)}"
        )
    shortest = exact_duration(refusal.shortest_seconds)
    return f"it needs room for {n_members(refusal.needed)} together for {shortest} or more; {window_sentence(refusal)}"


@format_refusal.register
def _in_front(refusal: HeldByGangsInFront) -> str:
    fits = f"it would fit with {n_members(refusal.needed)}"
    if refusal.blocker is not None and not refusal.nominated:
        is_for_a_while = is_room(refusal.blocker.gang) and not refusal.blocker.others
        end = f" for {duration(ROOM_KEPT_SECONDS)} at most" if is_for_a_while else _unless_free(refusal.blocker)
        return f"{fits}, but {_in_front_of_it(refusal.blocker)}{end}"
    who = "gangs in front, or pods with a nominated node," if refusal.nominated else "gangs in front"
    return f"{fits}, but {who} hold the room{_unless_free()}"


@format_refusal.register
def _no_domain(refusal: NoDomainFits) -> str:
    keys = " and ".join(refusal.keys)
    if not refusal.domains:
        missing = "this label" if len(refusal.keys) == 1 else "these labels"
        return f"it needs {n_members(refusal.needed)} on nodes with one value of {keys}, and no node has {missing}"
    return (
        f"it needs {n_members(refusal.needed)} on nodes with one value of {keys}: "
        f"none of the {refusal.domains} values has room for all{_at_most(refusal.most)}"
    )


@format_refusal.register
def _no_room_together(refusal: NoRoomTogether) -> str:
    if refusal.roles == 1:
        return f"it needs {n_members(refusal.needed)}, and too few of them fit as far apart as its constraints require"
    together = f"each of its {refusal.roles} roles would fit alone, but not all together"
    return f"it needs {n_members(refusal.needed)}: {together}{_of_too_little(refusal.too_little)}"


@format_refusal.register
def _crossing(refusal: TopologiesCross) -> str:
    first, second = refusal.keys
    return (
        f"its constraints name the labels {first} and {second}, and neither label nests in the other; "
        "use labels that nest, such as rack and zone"
    )


@format_refusal.register
def _too_many(refusal: TooManyCombinations) -> str:
    if refusal.combinations is None:
        return f"none of the first {refusal.most} combinations of its roles and nodes fits, and Lockstep tries no more"
    return (
        f"its roles have {refusal.combinations} combinations of members, and the planner distinguishes "
        f"{refusal.most} at most: use fewer or smaller roles"
    )


@format_refusal.register
def _too_long(refusal: ConstraintsTooLong) -> str:
    return (
        f"its selectors, node affinities and tolerations have {refusal.length} parts, and the planner reads "
        f"{refusal.most} of one gang at most: use fewer"
    )


@format_refusal.register
def _of_role(refusal: OfRole) -> str:
    return f"role {refusal.role}: {format_refusal(refusal.refusal)}"


@format_refusal.register
def _failed(refusal: PlanningFailed) -> str:
    sentence = f"the planner failed on it, by an error in Lockstep: {refusal.error}: {refusal.message}"
    return sentence[:_LONGEST_FAILURE]


@format_refusal.register
def _as_written(refusal: Spelled) -> str:
    return refusal.sentence


@format_refusal.register
def _elsewhere(refusal: VolumesElsewhere) -> str:
    return f"its {n_members(refusal.size)} must be where their volumes are, and the plan has some of them elsewhere"


@format_refusal.register
def _behind(refusal: BehindInQueue) -> str:
    are = "is" if refusal.in_front == 1 else "are"
    sentence = (
        f"{n_gangs(refusal.in_front)} or more {are} in front of it; it gets an exact plan when fewer are in front"
    )
    if refusal.starts_by is None:
        return sentence
    return f"{sentence}; its rough start estimate is {rfc3339(refusal.starts_by)}"


@format_refusal.register
def _by_quota(refusal: QuotaShort) -> str:
    limit = refusal.limit
    wanted, hard, left = (
        format_amount(plain_resource(limit.resource), amount)
        for amount in (refusal.wanted, limit.hard, max(0, limit.left))
    )
    needs = f"it needs {n_members(refusal.needed)}, which take {wanted} of {limit.resource}"
    if refusal.wanted > limit.hard:
        return f"{needs}; quota {limit.quota} allows {hard}"
    return f"{needs}; quota {limit.quota} allows {hard}, of which {left} are left"


@format_refusal.register
def _holding(refusal: HoldingNodes) -> str:
    return (
        f"{format_refusal(refusal.refusal)}; it has kept {node_ranges(refusal.nodes)} free for itself since "
        f"{rfc3339(refusal.since)}, and does so until {rfc3339(refusal.until)} at most: "
        "gangs behind it get these nodes only if they end in time"
    )


@format_refusal.register
def _resting(refusal: RestingFromHold) -> str:
    return (
        f"{format_refusal(refusal.refusal)}; it kept nodes free for itself until {rfc3339(refusal.until)}, "
        f"the longest time allowed; it may do so again from {rfc3339(refusal.again)} on"
    )


def nodes_failing(failures: Sequence[tuple[str, int]]) -> str:
    """``12 without gpu=a100, 3 cordoned``: the most frequent failures, in their given order."""
    named = set(sorted(failures, key=lambda failure: -failure[1])[:_MOST_FAILURES])
    words = [f"{count} {phrase}" for phrase, count in failures if (phrase, count) in named]
    others = sum(count for _, count in failures) - sum(count for _, count in named)
    return ", ".join([*words, f"{others} for other reasons"] if others else words)


def _in_the_way(blocker: Blocker) -> str:
    """``default/nowork holds 12 nodes and has no known end, like 2 other gangs``."""
    others = f", like {_other_gangs(blocker.others)}" if blocker.others else ""
    return f"{gang_name(blocker.gang)} holds {n_nodes(blocker.nodes)} and has no known end{others}"


def _in_front_of_it(blocker: Blocker) -> str:
    """``default/nowork, which is in front, holds 12 nodes, and 2 other gangs hold more``."""
    hold = "holds" if blocker.others == 1 else "hold"
    others = f", and {_other_gangs(blocker.others)} {hold} more" if blocker.others else ""
    return f"{gang_name(blocker.gang)}, which is in front, holds {n_nodes(blocker.nodes)}{others}"


def _unless_free(blocker: Blocker | None = None) -> str:
    """A clause that says why nodes that gangs in front hold are never free for the gang."""
    if blocker is not None and not blocker.others:
        return ": that gang has no known end, holds them until they close, or keeps them free for itself"
    return ": those gangs have no known end, hold nodes until these close, or keep them free for themselves"


def _other_gangs(count: int) -> str:
    return "1 other gang" if count == 1 else f"{count} other gangs"


def _at_most(members: int | None) -> str:
    return "" if members is None else f"; the most that one of them has room for is {members}"


def _of_scarcest(refusal: NotEnoughRoom | HeldByLastingPods) -> str:
    """``; cpu: 20 × 6 needed, 12 × 6 free``; without a member's amount if it is 1 or has no unit."""
    scarcest = refusal.scarcest
    if scarcest is None:
        return ""
    is_plain = scarcest.each == 1 or _has_no_unit(scarcest.resource)
    each = "" if is_plain else f" × {format_amount(scarcest.resource, scarcest.each)}"
    return f"; {scarcest.resource}: {refusal.needed}{each} needed, {scarcest.fit}{each} free"


def _of_too_little(too_little: TooLittle | None) -> str:
    """``; cpu: 12 needed, 9 free``."""
    if too_little is None:
        return ""
    resource, amounts = too_little.resource, (too_little.needed, too_little.free)
    needed, free = amounts if _has_no_unit(resource) else (format_amount(resource, amount) for amount in amounts)
    return f"; {resource}: {needed} needed, {free} free"


def _has_no_unit(resource: str) -> bool:
    """Whether the resource is one of Lockstep's own, such as a host port. Such resources are counted in pieces."""
    return " " in resource


def _fit(needed: int, fit: int) -> str:
    return f"it needs {n_members(needed)}, and {fit} fit"
