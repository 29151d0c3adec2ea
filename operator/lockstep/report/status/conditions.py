"""Computes a gang's next status from its present one and what has happened: pure functions, one for each change.

The first status has a value for every condition of :func:`with_every_condition`, if only ``Unknown``.
``lastTransitionTime`` moves only when ``status`` changes: :func:`with_condition` ensures that.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from coschedule import GangKey, Placement, UnitTime, Unplaceable
from lockstep.api.parts import as_formatted
from lockstep.api.preemption import shrinks_for
from lockstep.api.quantities import rfc3339
from lockstep.belief.gangs.age import with_age_going_on, with_age_standing_still
from lockstep.belief.run_times.remaining_work import factor_at
from lockstep.belief.run_times.work_done import work_done
from lockstep.facts.cluster.node_request import Stance, stance_on
from lockstep.facts.columns import SLOTS
from lockstep.facts.elastic import MOST_UNIT_TIMES, LastChange, NextSize
from lockstep.facts.gang.gang import AcceptedGang, ConditionFact, GangFact, GangStatus, Refusal
from lockstep.facts.gang.rejection import Rejected
from lockstep.facts.past_runs import Learned, formatted_factor
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pace import PaceStatus
from lockstep.facts.reason_meanings import meaning_of
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.text.admission import changes
from lockstep.report.text.learned import work_used
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.report.text.sentences import (
    all_members,
    as_sentence,
    chosen,
    duration,
    n_members,
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

TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"
MESSAGE_LIMIT = 32_768
_BEING_DELETED = (FALSE, Reason.GANG_DELETED, "The GangJob is being deleted, and not planned any more.")


def mark_refused(gang: GangFact, refusal: Refusal, *, now: float, rejected: Rejected | None = None) -> GangStatus:
    """The gang is refused, and not planned until the cause of the refusal is gone.

    ``rejected`` is kept for the next process, if kubelets reject the members.
    """
    status = without_nodes_requested(without_plan(with_every_condition(gang, now)))
    status = replace(with_age_standing_still(status, gang, now), rejected=rejected, next_size=None)
    status = with_condition(status, gang, Condition.ACCEPTED, (FALSE, refusal.reason, refusal.message), now)
    not_planned = (FALSE, Reason.NOT_PLANNED, "The spec is not accepted.")
    status = with_condition(status, gang, Condition.PLANNED, not_planned, now)
    placed = (FALSE, refusal.reason, "The spec is not accepted, so no member is created.")
    return with_condition(status, gang, Condition.PLACED, placed, now)


def mark_unplaceable(gang: GangFact, decision: Unplaceable, *, now: float) -> GangStatus:
    """The gang fits nowhere, now or later. Its age stands still while it would not fit even on empty nodes."""
    status = replace(without_plan(mark_accepted(gang, now)), next_size=None)
    if decision.fits_empty is not None:
        turn = with_age_going_on if decision.fits_empty else with_age_standing_still
        status = turn(status, gang, now)
    if stance_on(decision.reason) is Stance.WITHDRAW:
        status = without_nodes_requested(status)
    says = (FALSE, decision.reason, as_sentence(format_refusal(decision.refusal)))
    status = with_condition(status, gang, Condition.PLANNED, says, now)
    return with_condition(status, gang, Condition.PLACED, says, now)


def mark_planned_for_later(
    gang: GangFact,
    placement: Placement,
    *,
    now: float,
    victims: Sequence[GangKey] = (),
    learned: Learned | None = None,
) -> GangStatus:
    """The gang will start when its nodes become free; nothing is reserved at the API yet.

    ``victims`` are the gangs that are being evicted for it. ``learned`` has the learned run times of the plan, if any.
    """
    status = _with_plan(gang, placement, learned, now)
    reason = Reason.PREEMPTING if victims else Reason.STARTS_LATER
    why = f"; {waits_for_victims(victims)}" if victims else ""
    planned = (TRUE, reason, as_sentence(chosen(placement, now=now) + _by_past_runs(learned) + why))
    status = with_condition(status, gang, Condition.PLANNED, planned, now)
    placed = (FALSE, reason, "The members are created when their nodes become free.")
    return with_condition(status, gang, Condition.PLACED, placed, now)


def mark_reserved(gang: GangFact, start: AttemptStart) -> GangStatus:
    """The write-ahead entry: the members and their nodes, written before any of their pods exists.

    If the gang was changing its size, the change is done.
    """
    held, placement, now = start.reservation, start.placement, start.reservation.start
    status = replace(
        _with_plan(gang, placement, start.learned, now),
        attempt=held.attempt,
        start=now,
        expected_finish=held.expected_finish,
        members=held.members,
        ranks="",
        member_changes=0,
        failed_joins=0,
        reserved_at=now,
        restart_at=None,
        succeeded_ranks="",
        resized_at=gang.status.resized_at if gang.status.next_size is None else now,
        last_change=_last_change(gang),
        first_size=_first_size(gang, placement),
    )
    why = f"; {took_place_of(start.victims)}" if start.victims else ""
    planned = (TRUE, Reason.RESERVED, as_sentence(chosen(placement, now=now) + _by_past_runs(start.learned) + why))
    status = with_condition(status, gang, Condition.PLANNED, planned, now)
    placed = (
        FALSE,
        Reason.BINDING,
        f"{n_members(placement.size)} of attempt {held.attempt} are being created and bound.",
    )
    status = with_condition(status, gang, Condition.PLACED, placed, now)
    return with_narrowing(status, gang, start.narrowed, now)


def with_narrowing(status: GangStatus, gang: GangFact, narrowed: Narrowed | None, now: float) -> GangStatus:
    """The status of a planned gang; its message also names the quota that keeps the gang from more members, if any."""
    return status if narrowed is None else _with_sentence(status, gang, narrowed_by(narrowed), now)


def with_givers(status: GangStatus, gang: GangFact, givers: Sequence[GangKey], now: float) -> GangStatus:
    """The status of a planned gang; its message also names the gangs that give up seats for it, if any."""
    return _with_sentence(status, gang, waits_for_seats(givers), now) if givers else status


def _with_sentence(status: GangStatus, gang: GangFact, sentence: str, now: float) -> GangStatus:
    planned = status.condition(Condition.PLANNED)
    if planned is None:
        return status
    says = (planned.status, planned.reason, f"{planned.message} {sentence}")
    return with_condition(status, gang, Condition.PLANNED, says, now)


def mark_undoing(gang: GangFact, failure: Failure, *, waits: str, now: float) -> GangStatus:
    """An attempt is being undone. The condition ``Placed`` says why, since when, and what the undoing ``waits`` for.

    The condition ``Planned`` keeps the reason for a process that takes over. The reservation stays until the pods are
    gone. If the gang changes its size, its next size is written in the same status. So is the work that an elastic gang
    has done, if its members save it.
    """
    why = f"Attempt {gang.status.attempt} is being undone: {failure.message}."
    status = replace(mark_accepted(gang, now), next_size=failure.next_size)
    if meaning_of(failure.reason).saves_work and not gang.status.is_being_undone:
        status = replace(status, work_done=work_done(gang, now))
    status = with_condition(status, gang, Condition.PLANNED, (FALSE, failure.reason, why), now)
    if failure.next_size is not None:
        status = with_shrink(status, gang, failure.message, now)
    if failure.reason is Reason.PREEMPTED:
        preempted = (TRUE, Reason.PREEMPTED, as_sentence(failure.message))
        status = with_condition(status, gang, Condition.PREEMPTED, preempted, now)
    begun = status.condition(Condition.PLANNED)
    since = rfc3339(now if begun is None else begun.last_transition)
    begins = f"Attempt {gang.status.attempt} is being taken back" + (f"; {waits}." if waits else ".")
    message = f"{begins} It was begun at {since}, because of {failure.reason}: {failure.message}."
    return with_condition(status, gang, Condition.PLACED, (FALSE, Reason.UNDOING, message), now)


def with_shrink(status: GangStatus, gang: GangFact, why: str, now: float) -> GangStatus:
    """The status of a gang that shrinks; the condition Preempted names the more urgent gang, if it is for one."""
    if shrinks_for(why) is None:
        return status
    preempted = (FALSE, Reason.SHRUNK_FOR_GANG, as_sentence(why))
    return with_condition(status, gang, Condition.PREEMPTED, preempted, now)


def mark_released(
    gang: GangFact, failure: Failure, *, retry_seconds: float, now: float, behind: str = ""
) -> GangStatus:
    """An attempt was undone, and its reservation is released. ``behind`` names pods that exist but count as gone."""
    status = replace(without_plan(mark_accepted(gang, now)), reserved_at=None, started_at=None)
    message = f"Attempt {gang.status.attempt} was undone: {failure.message}." + (f" Still {behind}." if behind else "")
    rest = max(retry_seconds, 0.0 if status.restart_at is None else status.restart_at - now)
    when = f"in {duration(rest)}" if rest else "at once"
    planned = (FALSE, Reason.RESERVATION_RELEASED, f"The gang is planned again {when}.")
    if status.next_size is not None:
        planned = (FALSE, Reason.CHANGING_SIZE, f"The gang goes on with {n_members(status.next_size.size)}.")
    if gang.is_deleting:
        planned = _BEING_DELETED
    status = with_condition(status, gang, Condition.PLANNED, planned, now)
    return with_condition(status, gang, Condition.PLACED, (FALSE, failure.reason, message), now)


def mark_being_deleted(gang: GangFact, *, now: float) -> GangStatus:
    """A finalizer keeps a GangJob that is being deleted and holds nothing."""
    status = replace(without_nodes_requested(without_plan(with_every_condition(gang, now))), next_size=None)
    status = with_condition(status, gang, Condition.PLANNED, _BEING_DELETED, now)
    says = (FALSE, Reason.GANG_DELETED, "No member is left of it.")
    return with_condition(status, gang, Condition.PLACED, says, now)


def mark_ended_before_change(gang: GangFact, succeeded_ranks: str, *, now: float) -> GangStatus:
    """The gang had succeeded before its members were asked to end, so the size does not change."""
    status = replace(gang.status, next_size=None, succeeded_ranks=succeeded_ranks)
    says = (TRUE, Reason.BOUND, "The gang had succeeded before its size changed.")
    return with_condition(status, gang, Condition.PLACED, says, now)


def mark_change_dropped(gang: GangFact, why: str, *, now: float) -> GangStatus:
    """The gang can't go on at its next size, and is planned again with all its sizes; ``why`` is a clause."""
    status = replace(gang.status, next_size=None, resized_at=now)
    planned = (FALSE, Reason.RESERVATION_RELEASED, f"The change of size was dropped: {why}. The gang is planned again.")
    return with_condition(status, gang, Condition.PLANNED, planned, now)


def mark_notice(gang: GangFact, following: NextSize | None) -> GangStatus:
    """The members have notice of their gang's next size, and go on working; None takes the notice back."""
    return replace(gang.status, next_size=following)


def mark_placed(gang: GangFact, *, now: float) -> GangStatus:
    """A watch has shown every member on its node."""
    size = sum(entry.count for entry in gang.status.members)
    since = gang.status.active_since
    says = (TRUE, Reason.BOUND, all_members(size, one="is bound", more="are bound"))
    status = replace(gang.status, active_since=now if since is None else since)
    status = with_condition(status, gang, Condition.PLACED, says, now)
    if not status.is_true(Condition.PREEMPTED):
        return status
    return with_condition(status, gang, Condition.PREEMPTED, (FALSE, Reason.BOUND, "It is placed again."), now)


def mark_started(gang: GangFact, *, now: float) -> GangStatus:
    """Every member runs, or has run. If the attempt began by a change of size, that has taken until now."""
    status = replace(gang.status, started_at=now)
    last = status.last_change
    if last is None or status.resized_at is None or status.resized_at != status.start:
        return status
    return replace(status, last_change=last._replace(seconds=math.ceil(max(now - last.began_at, 0.0))))


def mark_succeeded_ranks(gang: GangFact, succeeded_ranks: str) -> GangStatus:
    """These ranks have succeeded, whatever happens to their pods."""
    return replace(gang.status, succeeded_ranks=succeeded_ranks)


def mark_paced(gang: GangFact, pace: PaceStatus | None) -> GangStatus:
    """The pace of the members; None where the spec no longer asks for it."""
    return replace(gang.status, pace=pace)


def with_progress(status: GangStatus, part: str) -> GangStatus:
    """The status with the reported part of the work, if any."""
    return replace(status, progress=part) if part else status


def with_unit_time(status: GangStatus, measured: UnitTime | None) -> GangStatus:
    """The status with the unit time of the size that was last measured, if any; of too many the oldest is dropped."""
    if measured is None or measured in status.unit_times[-1:]:
        return status
    others = [one for one in status.unit_times if one.size != measured.size]
    return replace(status, unit_times=(*others, measured)[-MOST_UNIT_TIMES:])


def with_condition(
    status: GangStatus, gang: GangFact, kind: Condition, says: tuple[str, str, str], now: float
) -> GangStatus:
    """The status with one condition replaced. ``says``: status, reason, message."""
    value, reason, message = says
    before = status.condition(kind)
    flipped = before is None or before.status != value
    condition = ConditionFact(
        type=kind,
        status=value,
        reason=reason,
        message=message[:MESSAGE_LIMIT],
        observed_generation=gang.generation,
        last_transition=now if before is None or flipped else before.last_transition,
    )
    others = {one.type: one for one in status.conditions}
    others[kind] = condition
    return replace(status, conditions=tuple(others[one] for one in Condition if one in others))


def with_every_condition(gang: GangFact, now: float) -> GangStatus:
    """The present status, with first values for conditions that were never written."""
    status = gang.status
    nothing_yet = {
        Condition.ACCEPTED: (UNKNOWN, Reason.NOT_PLANNED, "The spec has not been looked at yet."),
        Condition.PLANNED: (UNKNOWN, Reason.NOT_PLANNED, "The gang has not been planned yet."),
        Condition.PLACED: (FALSE, Reason.NOT_RESERVED, "No member has been created yet."),
        Condition.COMPLETE: (FALSE, Reason.NOT_FINISHED, "The gang has not finished."),
    }
    for kind, says in nothing_yet.items():
        if status.condition(kind) is None:
            status = with_condition(status, gang, kind, says, now)
    return status


def mark_accepted(gang: GangFact, now: float) -> GangStatus:
    """The spec can be obeyed, as written or as admission changes it; the message names preferences that are ignored."""
    reason, message = Reason.SPEC_UNDERSTOOD, "Everything the spec asks for can be obeyed."
    if isinstance(gang, AcceptedGang) and gang.spec.is_changed_by_admission:
        message = f"The members are planned as admission changes them: {changes(gang.spec)}."
        reason = Reason.CHANGED_BY_ADMISSION
    not_weighed = [path for role in gang.spec.roles for path in role.not_weighed] if gang.spec else []
    if not_weighed:
        message += f" What it only prefers is not weighed: {', '.join(not_weighed)}."
    says = (TRUE, reason, message + _warning_of_free_members(gang))
    status = replace(with_every_condition(gang, now), rejected=None)
    return with_condition(status, gang, Condition.ACCEPTED, says, now)


def _warning_of_free_members(gang: GangFact) -> str:
    """A warning about roles whose members request no resources; '' if there are none.

    On a node, as many of them fit as it may have pods, and each counts as running there as fast as one alone.
    """
    roles = gang.spec.roles if isinstance(gang, AcceptedGang) else ()
    free = [role.path for role in roles if not {resource for resource, _ in role.request} - {"pods", SLOTS}]
    if not free:
        return ""
    return (
        f" Warning: the members of {', '.join(free)} request no resources, so any number of them counts as fitting on "
        "a node, and as running there as fast as one alone: set resources.requests.cpu."
    )


def _by_past_runs(learned: Learned | None) -> str:
    return f"; {run_times_learned(learned)}" if learned is not None else ""


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
    """The change that the gang is making, with the seconds that the last one took; the last one if it makes none."""
    following, last = gang.status.next_size, gang.status.last_change
    if following is None:
        return last
    return LastChange(following.asked_to_end_at, None if last is None else last.seconds)


def _first_size(gang: GangFact, placement: Placement) -> int | None:
    """The size with which an elastic gang started; None for others, which change no size."""
    if not isinstance(gang, AcceptedGang) or gang.spec.elastic is None:
        return None
    return placement.size if gang.status.next_size is None else gang.status.first_size


def _factor(gang: GangFact, placement: Placement, learned: Learned) -> str:
    """The factor by which stated times were multiplied for these members on nodes of their kinds, as text."""
    return formatted_factor(factor_at(gang, placement.members, learned) * placement.own_times)


def without_nodes_requested(status: GangStatus) -> GangStatus:
    """The status of a gang for which no nodes are requested any more."""
    return _without(status, Condition.NODES_REQUESTED)


def without_overrun(status: GangStatus) -> GangStatus:
    """The status of a gang whose run is over."""
    return _without(status, Condition.OVERRUNNING)


def without_plan(status: GangStatus) -> GangStatus:
    """The status without a plan, and without what belongs to the attempt of that plan."""
    return replace(
        without_overrun(status),
        size=None,
        start=None,
        expected_finish=None,
        effective_speedup=None,
        member_price=None,
        run_time_factor=None,
        work_used=None,
        members=(),
        ranks="",
        member_changes=0,
        failed_joins=0,
        succeeded_ranks="",
        plan=None,
        pace=None,
    )


def _without(status: GangStatus, kind: Condition) -> GangStatus:
    return replace(status, conditions=tuple(one for one in status.conditions if one.type != kind))
