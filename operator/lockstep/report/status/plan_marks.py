"""The next status of a planned gang: it fits nowhere, starts later, or its members are reserved. Pure functions."""

import math
from collections.abc import Sequence
from dataclasses import replace

from coschedule import GangKey, Placement, Unplaceable
from lockstep.api.parts import as_formatted
from lockstep.belief.gangs.age import with_age_going_on, with_age_standing_still
from lockstep.belief.run_times.remaining_work import factor_at
from lockstep.facts.cluster.node_request import Stance, stance_on
from lockstep.facts.elastic import LastChange
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import is_pod_gang, seen_from
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import Learned, formatted_factor
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.conditions import (
    FALSE,
    TRUE,
    mark_accepted,
    with_condition,
    with_not_placed,
    without_nodes_requested,
    without_plan,
)
from lockstep.report.status.pod_gang_sizes import with_growth
from lockstep.report.text.learned import work_used
from lockstep.report.text.placement_sentences import chosen
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.report.text.refusals_seen import refusal_seen_from
from lockstep.report.text.sentences import (
    as_sentence,
    n_members,
    n_pieces,
    narrowed_by,
    price,
    run_times_learned,
    speedup,
    took_place_of,
    waits_for_seats,
    waits_for_victims,
)
from lockstep.snapshot.attempt_start import AttemptStart
from lockstep.snapshot.quotas.quota_bounds import Narrowed


def mark_unplaceable(gang: GangFact, decision: Unplaceable, *, now: float) -> GangStatus:
    """The status of a gang that fits nowhere, now or later.

    Its age stands still while it would not fit even on empty nodes.
    """
    status = replace(without_plan(mark_accepted(gang, now)), next_size=None)
    if decision.fits_empty is not None:
        turn = with_age_going_on if decision.fits_empty else with_age_standing_still
        status = turn(status, gang, now)
    if stance_on(decision.reason) is Stance.WITHDRAW:
        status = without_nodes_requested(status)
    says = (
        FALSE,
        decision.reason,
        as_sentence(format_refusal(refusal_seen_from(gang.key.namespace, decision.refusal))),
    )
    status = with_condition(status, gang, Condition.PLANNED, says, now)
    return with_not_placed(status, gang, decision.reason, says[2], now)


def mark_planned_for_later(
    gang: GangFact,
    placement: Placement,
    *,
    now: float,
    victims: Sequence[GangKey] = (),
    learned: Learned | None = None,
) -> GangStatus:
    """The status of a gang that will start when its nodes become free. It has no reservation yet.

    ``victims`` are the gangs that are being evicted for it. ``learned`` has the learned run times of the plan, if any.
    """
    status = _with_plan(gang, placement, learned, now)
    reason = Reason.PREEMPTING if victims else Reason.STARTS_LATER
    why = f" {waits_for_victims(_seen_by(gang, victims))}" if victims else ""
    planned = (TRUE, reason, _planned(gang, placement, learned, now) + why)
    status = with_condition(status, gang, Condition.PLANNED, planned, now)
    made = "bound" if is_pod_gang(gang.key) else "created"
    return with_not_placed(status, gang, reason, f"The members are {made} when their nodes become free.", now)


def mark_reserved(gang: GangFact, start: AttemptStart) -> GangStatus:
    """The status that reserves nodes: the members and their nodes, written before any pod is created or bound.

    If the gang was changing its size, the change is done.
    """
    held, placement, now = start.reservation, start.placement, start.reservation.start
    status = _with_attempt(_with_plan(gang, placement, start.learned, now), gang, start)
    why = f" {took_place_of(_seen_by(gang, start.victims))}" if start.victims else ""
    planned = (TRUE, Reason.RESERVED, _planned(gang, placement, start.learned, now) + why)
    status = with_condition(status, gang, Condition.PLANNED, planned, now)
    made = "bound" if is_pod_gang(gang.key) else "created and bound"
    message = f"{n_members(placement.size)} of attempt {held.attempt} are being {made}."
    if start.growth is not None:
        return with_growth(status, gang, start.growth, now)
    status = with_not_placed(status, gang, Reason.BINDING, message, now)
    return with_narrowing(status, gang, start.narrowed, now)


def _with_attempt(status: GangStatus, gang: GangFact, start: AttemptStart) -> GangStatus:
    held, now = start.reservation, start.reservation.start
    return replace(
        status,
        attempt=held.attempt,
        start=now,
        active_since=_begun(gang, now),
        expected_finish=gang.status.expected_finish if _has_bound_pods(gang) else held.expected_finish,
        members=held.members,
        ranks="",
        member_changes=0,
        failed_joins=gang.status.failed_joins if _has_bound_pods(gang) else 0,
        reserved_at=now,
        restart_at=None,
        succeeded_ranks="",
        resized_at=gang.status.resized_at if gang.status.next_size is None else now,
        last_change=_last_change(gang),
        first_size=_first_size(gang, start.placement),
    )


def _begun(gang: GangFact, now: float) -> float | None:
    """The time since which the gang is active; None for a GangJob that was not placed yet.

    A Gang is active from the time at which nodes were reserved for its first pods.
    """
    is_first = is_pod_gang(gang.key) and not _has_bound_pods(gang)
    return now if is_first else gang.status.active_since


def _has_bound_pods(gang: GangFact) -> bool:
    """Whether pods of a Gang are on nodes. Then other pods join them, and the expected end stays the same."""
    return isinstance(gang, AcceptedGang) and gang.spec.has_bound_pods


def with_narrowing(status: GangStatus, gang: GangFact, narrowed: Narrowed | None, now: float) -> GangStatus:
    """The status of a planned gang. If a quota keeps the gang from more members, the message names the quota."""
    return status if narrowed is None else _with_sentence(status, gang, narrowed_by(narrowed), now)


def with_givers(status: GangStatus, gang: GangFact, givers: Sequence[GangKey], now: float) -> GangStatus:
    """The status of a planned gang. If gangs give up seats for it, the message names these gangs."""
    return _with_sentence(status, gang, waits_for_seats(_seen_by(gang, givers)), now) if givers else status


def _with_sentence(status: GangStatus, gang: GangFact, sentence: str, now: float) -> GangStatus:
    planned = status.condition(Condition.PLANNED)
    if planned is None:
        return status
    says = (planned.status, planned.reason, f"{planned.message} {sentence}")
    return with_condition(status, gang, Condition.PLANNED, says, now)


def _planned(gang: GangFact, placement: Placement, learned: Learned | None, now: float) -> str:
    """Sentences that say what was chosen, by which run times, and how many pieces are dealt during the run, if any."""
    dealing = gang.dealing
    later = f" A dealer deals its {n_pieces(dealing.pieces)} while it runs." if dealing is not None else ""
    return as_sentence(chosen(placement, now=now)) + _by_past_runs(learned) + later


def _seen_by(gang: GangFact, others: Sequence[GangKey]) -> list[GangKey]:
    return [seen_from(gang.key.namespace, other) for other in others]


def _by_past_runs(learned: Learned | None) -> str:
    return f" {run_times_learned(learned)}" if learned is not None else ""


def _with_plan(gang: GangFact, placement: Placement, learned: Learned | None, now: float) -> GangStatus:
    status = with_age_going_on(without_nodes_requested(mark_accepted(gang, now)), gang, now)
    start = status.first_planned_start
    return replace(
        status,
        size=placement.size,
        start=placement.start,
        expected_finish=None if math.isinf(placement.finish) else placement.finish,
        effective_speedup=None if placement.speedup is None else speedup(placement.speedup),
        member_price=price(placement.member_price) if placement.member_price else None,
        run_time_factor=None if learned is None else _factor(gang, placement, learned),
        work_used=work_used(gang, learned),
        members=as_formatted(placement.members),
        first_planned_start=placement.start if start is None else start,
        next_size=None,
    )


def _last_change(gang: GangFact) -> LastChange | None:
    """The change of size that the gang makes now. It has the duration of the previous change, since its own is unknown.

    If the gang makes no change now, the result is the last change in the status.
    """
    following, last = gang.status.next_size, gang.status.last_change
    if following is None:
        return last
    return LastChange(following.asked_to_end_at, None if last is None else last.seconds)


def _first_size(gang: GangFact, placement: Placement) -> int | None:
    """The size with which an elastic gang started; None for other gangs.

    The first size stays if pods join other pods of their Gang.
    """
    if _has_bound_pods(gang):
        return gang.status.first_size
    if not isinstance(gang, AcceptedGang) or gang.spec.elastic is None:
        return None
    return placement.size if gang.status.next_size is None else gang.status.first_size


def _factor(gang: GangFact, placement: Placement, learned: Learned) -> str:
    """The factor by which the plan multiplied stated times, as text. It includes the kinds of the members' nodes."""
    return formatted_factor(factor_at(gang, placement.members, learned) * placement.own_times)
