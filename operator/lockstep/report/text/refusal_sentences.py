"""Describes in one sentence, with numbers, why a gang has no placement. Only this module formats refusals.

Most refusals come from the engine (``coschedule.Refusal``). The operator adds the refusals of ``operator_refusals``,
and ``QuotaShort``.
"""

from functools import singledispatch

from coschedule import (
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
    Refusal,
    Spelled,
    TooManyCombinations,
    TopologiesCross,
    WindowTooShort,
)
from lockstep.api.quantities import rfc3339
from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS
from lockstep.facts.cluster.quota import plain_resource
from lockstep.facts.gang.keys import is_room
from lockstep.report.text.admission import format_amount
from lockstep.report.text.operator_refusals import (
    BehindInQueue,
    HoldingNodes,
    RefusedInPool,
    RestingFromHold,
    VolumesElsewhere,
)
from lockstep.report.text.room_clauses import (
    in_front_of_it,
    in_the_way,
    nodes_failing,
    of_scarcest,
    of_too_little,
    why_never_free,
)
from lockstep.report.text.sentences import duration, n_gangs, n_members, node_ranges
from lockstep.report.text.window_sentences import exact_duration, window_sentence
from lockstep.snapshot.quotas.quota_bounds import QuotaShort

_LONGEST_FAILURE = 500


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
    blocked = f" while {in_the_way(refusal.blocker)}" if refusal.blocker is not None else ""
    return f"{_fit(refusal.needed, refusal.fit)}{blocked}: {details}{of_scarcest(refusal)}"


@format_refusal.register
def _lasting(refusal: HeldByLastingPods) -> str:
    what = "long-running pods hold the rest"
    return f"{_fit(refusal.needed, refusal.fit)}: {what}{of_scarcest(refusal)}"


@format_refusal.register
def _too_short(refusal: WindowTooShort) -> str:
    if refusal.shortest_seconds is None:
        return (
            f"it states no run time, so it needs {n_members(refusal.needed)} on nodes that stay open; "
            f"{window_sentence(refusal)}"
        )
    shortest = exact_duration(refusal.shortest_seconds)
    return f"it needs room for {n_members(refusal.needed)} together for {shortest} or more; {window_sentence(refusal)}"


@format_refusal.register
def _in_front(refusal: HeldByGangsInFront) -> str:
    fits = f"it would fit with {n_members(refusal.needed)}"
    if refusal.blocker is not None and not refusal.nominated:
        is_for_a_while = is_room(refusal.blocker.gang) and not refusal.blocker.others
        end = f" for {duration(ROOM_KEPT_SECONDS)} at most" if is_for_a_while else why_never_free(refusal.blocker)
        return f"{fits}, but {in_front_of_it(refusal.blocker)}{end}"
    who = "gangs in front, or pods with a nominated node," if refusal.nominated else "gangs in front"
    return f"{fits}, but {who} hold the room{why_never_free()}"


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
    return f"it needs {n_members(refusal.needed)}: {together}{of_too_little(refusal.too_little)}"


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
    take = "takes" if refusal.needed == 1 else "take"
    needs = f"it needs {n_members(refusal.needed)}, which {take} {wanted} of {limit.resource}"
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


def _fit(needed: int, fit: int) -> str:
    return f"it needs {n_members(needed)}, and {fit} fit"


def _at_most(members: int | None) -> str:
    return "" if members is None else f"; each has room for {members} at most"
