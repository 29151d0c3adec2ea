"""The next status of a gang with an attempt: placed, running, changing its size, or torn down. Pure functions."""

import math
from dataclasses import replace

from coschedule import UnitTime
from lockstep.api.names import GANG_KIND, POD_GANG_KIND
from lockstep.api.preemption import shrinks_for
from lockstep.api.quantities import rfc3339
from lockstep.belief.run_times.work_done import work_done
from lockstep.facts.elastic import MOST_UNIT_TIMES, NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pace import PaceStatus
from lockstep.facts.reason_meanings import MEANINGS
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.conditions import (
    FALSE,
    TRUE,
    mark_accepted,
    with_condition,
    with_every_condition,
    with_not_placed,
    with_placed_again,
    without_nodes_requested,
    without_plan,
)
from lockstep.report.text.sentences import (
    all_members,
    as_sentence,
    duration,
    n_members,
)


def mark_undoing(gang: GangFact, failure: Failure, *, waits: str, now: float) -> GangStatus:
    """The status of a gang whose attempt is being torn down.

    The condition ``Placed`` says why and since when, and what the teardown ``waits`` for. The condition ``Planned``
    keeps the reason, which the operator reads after a restart. The reservation stays until the pods are gone. If the
    gang changes its size, the same status has its next size. If the members can save their work before they end, the
    status also has the work that an elastic gang has done.
    """
    why = f"Attempt {gang.status.attempt} is being torn down: {failure.message}."
    status = replace(mark_accepted(gang, now), next_size=failure.next_size)
    if MEANINGS[failure.reason].saves_work and not gang.status.is_being_undone:
        status = replace(status, work_done=work_done(gang, now))
    status = with_condition(status, gang, Condition.PLANNED, (FALSE, failure.reason, why), now)
    if failure.next_size is not None:
        status = with_shrink(status, gang, failure.message, now)
    if MEANINGS[failure.reason].gives_way:
        preempted = (TRUE, failure.reason, as_sentence(failure.message))
        status = with_condition(status, gang, Condition.PREEMPTED, preempted, now)
    begun = status.condition(Condition.PLANNED)
    since = rfc3339(now if begun is None else begun.last_transition)
    begins = f"Attempt {gang.status.attempt} is being torn down" + (f"; {waits}." if waits else ".")
    message = f"{begins} The teardown began at {since}, because of {failure.reason}: {failure.message}."
    return with_condition(status, gang, Condition.PLACED, (FALSE, Reason.UNDOING, message), now)


def with_shrink(status: GangStatus, gang: GangFact, why: str, now: float) -> GangStatus:
    """The status of a gang that shrinks.

    If it shrinks for a more urgent gang, the condition Preempted names that gang.
    """
    if shrinks_for(why) is None:
        return status
    preempted = (FALSE, Reason.SHRUNK_FOR_GANG, as_sentence(why))
    return with_condition(status, gang, Condition.PREEMPTED, preempted, now)


def mark_released(
    gang: GangFact, failure: Failure, *, retry_seconds: float, now: float, behind: str = ""
) -> GangStatus:
    """The status after an attempt was torn down: its reservation is released.

    ``behind`` names pods that exist but count as gone.
    """
    status = replace(without_plan(mark_accepted(gang, now)), reserved_at=None, started_at=None)
    message = f"Attempt {gang.status.attempt} was torn down: {failure.message}." + (
        f" Still {behind}." if behind else ""
    )
    rest = max(retry_seconds, (gang.restarts_at(now) or now) - now)
    when = f"in {duration(rest)}" if rest else "at once"
    planned = (FALSE, Reason.RESERVATION_RELEASED, f"The gang is planned again {when}.")
    if status.next_size is not None:
        planned = (FALSE, Reason.CHANGING_SIZE, f"The gang continues with {n_members(status.next_size.size)}.")
    if gang.is_deleting:
        planned = _being_deleted(gang)
    status = with_condition(status, gang, Condition.PLANNED, planned, now)
    return with_not_placed(status, gang, failure.reason, message, now)


def mark_being_deleted(gang: GangFact, *, now: float) -> GangStatus:
    """The status of a GangJob that is being deleted and holds nothing: a finalizer keeps it."""
    status = replace(without_nodes_requested(without_plan(with_every_condition(gang, now))), next_size=None)
    status = with_condition(status, gang, Condition.PLANNED, _being_deleted(gang), now)
    says = (FALSE, Reason.GANG_DELETED, "No member of the gang is left.")
    return with_condition(status, gang, Condition.PLACED, says, now)


def mark_ended_before_change(gang: GangFact, succeeded_ranks: str, *, now: float) -> GangStatus:
    """The status of a gang that had succeeded before its members were asked to end. Its size does not change."""
    status = replace(gang.status, next_size=None, succeeded_ranks=succeeded_ranks)
    says = (TRUE, Reason.BOUND, "The gang had succeeded before its size changed.")
    return with_condition(status, gang, Condition.PLACED, says, now)


def mark_change_dropped(gang: GangFact, why: str, *, now: float) -> GangStatus:
    """The status of a gang that can't continue at its next size. It is planned again with all its sizes.

    ``why`` is a clause.
    """
    status = replace(gang.status, next_size=None, resized_at=now)
    planned = (FALSE, Reason.RESERVATION_RELEASED, f"The change of size was dropped: {why}. The gang is planned again.")
    return with_condition(status, gang, Condition.PLANNED, planned, now)


def mark_notice(gang: GangFact, following: NextSize | None) -> GangStatus:
    """The status of a gang whose members have notice of its next size, and continue to work.

    None withdraws the notice.
    """
    return replace(gang.status, next_size=following)


def mark_placed(gang: GangFact, *, now: float) -> GangStatus:
    """The status of a gang after a watch has shown every member on its node."""
    size = sum(entry.count for entry in gang.status.members)
    since = gang.status.active_since
    says = (TRUE, Reason.BOUND, all_members(size, one="is bound", more="are bound"))
    status = replace(gang.status, active_since=now if since is None else since)
    return with_placed_again(with_condition(status, gang, Condition.PLACED, says, now), gang, now)


def mark_started(gang: GangFact, *, now: float) -> GangStatus:
    """The status of a gang after every member runs or has run.

    If the attempt began by a change of size, the status also has the time that the change took.
    """
    status = replace(gang.status, started_at=now)
    last = status.last_change
    if last is None or status.resized_at is None or status.resized_at != status.start:
        return status
    return replace(status, last_change=last._replace(seconds=math.ceil(max(now - last.began_at, 0.0))))


def mark_succeeded_ranks(gang: GangFact, succeeded_ranks: str) -> GangStatus:
    """The status in which these ranks have succeeded, whatever happens to their pods."""
    return replace(gang.status, succeeded_ranks=succeeded_ranks)


def mark_paced(gang: GangFact, pace: PaceStatus | None) -> GangStatus:
    """The status with the pace of the members. ``pace`` is None if the spec no longer asks for a pace."""
    return replace(gang.status, pace=pace)


def with_progress(status: GangStatus, part: str) -> GangStatus:
    """The status with the reported part of the work; unchanged if ``part`` is ''."""
    return replace(status, progress=part) if part else status


def with_unit_time(status: GangStatus, measured: UnitTime | None) -> GangStatus:
    """The status with the unit time that was last measured, if any.

    If there are too many unit times, the oldest is dropped.
    """
    if measured is None or measured in status.unit_times[-1:]:
        return status
    others = [one for one in status.unit_times if one.size != measured.size]
    return replace(status, unit_times=(*others, measured)[-MOST_UNIT_TIMES:])


def _being_deleted(gang: GangFact) -> tuple[str, Reason, str]:
    kind = POD_GANG_KIND if is_pod_gang(gang.key) else GANG_KIND
    return FALSE, Reason.GANG_DELETED, f"The {kind} is being deleted, so Lockstep no longer plans it."
