"""A gang's next status when it is restarted, suspended, resumed, or over. Pure functions."""

from collections.abc import Sequence
from dataclasses import replace

from lockstep.api.quantities import rfc3339
from lockstep.belief.gangs.age import with_age_standing_still
from lockstep.facts.gang.after import Recorded
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.attempt_marks import mark_undoing
from lockstep.report.status.conditions import (
    FALSE,
    TRUE,
    UNKNOWN,
    mark_accepted,
    with_condition,
    without_nodes_requested,
    without_overrun,
    without_plan,
)
from lockstep.report.text.sentences import all_members, as_sentence, duration, speedup


def mark_restarting(
    gang: GangFact, why: str, *, counts: bool, pause_seconds: float, waits: str = "", now: float
) -> GangStatus:
    """The status of a gang that restarts because a member failed.

    Its attempt is being torn down, and the next attempt waits ``pause_seconds``. If the failure ``counts``, the number
    of restarts grows by one. ``waits`` is what the teardown waits for, as in :func:`mark_undoing`.
    """
    status = mark_undoing(gang, Failure(reason=Reason.RESTARTING, message=why), waits=waits, now=now)
    return replace(status, restarts=status.restarts + counts, restart_at=now + pause_seconds)


def mark_suspended(gang: GangFact, *, now: float) -> GangStatus:
    """The status of a suspended gang: it holds nothing, and is not planned until it is resumed.

    It has no promise, and its age stands still.
    """
    status = replace(
        with_age_standing_still(without_nodes_requested(without_plan(mark_accepted(gang, now))), gang, now),
        restart_at=None,
        active_since=None,
        first_planned_start=None,
        next_size=None,
    )
    why = gang.policies.awaits_quota
    reason = Reason.AWAITS_QUOTA if why else Reason.GANG_SUSPENDED
    for kind, value, message in (
        (Condition.SUSPENDED, TRUE, why or "The gang is suspended: it holds no nodes."),
        (Condition.PLANNED, FALSE, why or "The gang is suspended, and not planned."),
        (Condition.PLACED, FALSE, "The gang is suspended, so it has no members."),
    ):
        status = with_condition(status, gang, kind, (value, reason, message), now)
    return status


def mark_resumed(gang: GangFact, *, now: float) -> GangStatus:
    """The status of a gang that is planned from now on. Its age continues when a plan finds that it could run."""
    status = mark_accepted(gang, now)
    for kind, value, reason, message in (
        (Condition.SUSPENDED, FALSE, Reason.GANG_RESUMED, "The gang is no longer suspended."),
        (Condition.PLANNED, UNKNOWN, Reason.NOT_PLANNED, "The gang has not been planned since it was resumed."),
        (Condition.PLACED, FALSE, Reason.NOT_RESERVED, "No member has been created since the gang was resumed."),
    ):
        status = with_condition(status, gang, kind, (value, reason, message), now)
    return status


def mark_succeeded(
    gang: GangFact, *, waived: int = 0, now: float, reached: float | None = None, past_runs: str = ""
) -> GangStatus:
    """The status of a gang whose required members have all succeeded.

    ``reached`` is the speed-up that the gang reached; None if unknown. ``past_runs`` are the runs of its template,
    including this one. ``waived`` members of a gang with a dealer had not succeeded, but all pieces were settled.
    """
    says = _who_has_succeeded(gang, waived)
    reached_text = None if reached is None else speedup(reached)
    status = replace(_as_started(gang, now), speedup_reached=reached_text, past_runs=past_runs)
    return _mark_ended(status, gang, Reason.SUCCEEDED, says, now)


def _who_has_succeeded(gang: GangFact, waived: int) -> str:
    size, role = sum(entry.count for entry in gang.status.members), gang.policies.success_role
    if waived:
        done = "All pieces are done or have failed, and rank 0 has succeeded."
        return f"{done} Lockstep does not wait for {waived} of {size} members."
    everybody = all_members(size, one="has succeeded", more="have succeeded")
    return everybody if role is None else f"All members of role {role} have succeeded."


def mark_failed(gang: GangFact, reason: Reason, why: str, *, now: float) -> GangStatus:
    """The status of a gang that has failed: a member or too many pieces failed, and the gang is not restarted."""
    return _mark_ended(_as_started(gang, now), gang, reason, as_sentence(why), now)


def mark_deadline_exceeded(gang: GangFact, *, now: float) -> GangStatus:
    """The status of a gang that has failed because it was active for as long as its spec allows, placed or not."""
    since, allowed = gang.status.active_since, gang.policies.active_deadline_seconds
    assert since is not None, "a gang that was never active exceeds no deadline"
    assert allowed is not None, "a gang without a deadline exceeds none"
    message = f"The gang has been active since {rfc3339(since)}, and activeDeadlineSeconds allows {duration(allowed)}."
    if gang.status.is_true(Condition.PLACED):
        return _mark_ended(gang.status, gang, Reason.DEADLINE_EXCEEDED, message, now)
    status = without_plan(replace(gang.status, restart_at=None))
    says = (FALSE, Reason.DEADLINE_EXCEEDED, message)
    status = with_condition(status, gang, Condition.PLANNED, says, now)
    return _mark_ended(status, gang, Reason.DEADLINE_EXCEEDED, message, now, placed=FALSE)


def mark_never_satisfied(gang: GangFact, after: Sequence[Recorded], why: str, *, now: float) -> GangStatus:
    """The status of a gang that has failed because it waited in vain for others. It never started.

    ``why`` names these others.
    """
    reason = Reason.DEPENDENCY_NEVER_SATISFIED
    status = without_plan(replace(gang.status, restart_at=None, after=tuple(after)))
    status = with_condition(status, gang, Condition.PLANNED, (FALSE, reason, why), now)
    return _mark_ended(status, gang, reason, why, now, placed=FALSE)


def _as_started(gang: GangFact, now: float) -> GangStatus:
    """The gang's status with a start time: ``now`` if there is none, since a gang that has ended has started."""
    return replace(gang.status, started_at=now) if gang.status.started_at is None else gang.status


def _mark_ended(
    status: GangStatus, gang: GangFact, reason: Reason, message: str, now: float, *, placed: str = TRUE
) -> GangStatus:
    status = without_overrun(without_nodes_requested(status))
    status = replace(status, reserved_at=None, finished_at=now, pace=None, next_size=None)
    # Placed stays True if every member was placed.
    status = with_condition(status, gang, Condition.PLACED, (placed, reason, message), now)
    if reason is Reason.SUCCEEDED:
        return with_condition(status, gang, Condition.COMPLETE, (TRUE, reason, message), now)
    status = with_condition(status, gang, Condition.COMPLETE, (FALSE, reason, message), now)
    return with_condition(status, gang, Condition.FAILED, (TRUE, reason, message), now)
