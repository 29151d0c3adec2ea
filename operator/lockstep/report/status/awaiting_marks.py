"""The next status of a gang that waits for others to start or end. Pure functions."""

from collections.abc import Sequence
from dataclasses import replace

from lockstep.belief.gangs.age import with_age_standing_still
from lockstep.facts.gang.after import Recorded
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.conditions import (
    FALSE,
    UNKNOWN,
    mark_accepted,
    with_condition,
    with_not_placed,
    without_nodes_requested,
    without_plan,
)

_NO_MEMBERS = "The gang gets no members until other gangs have started or ended."
_OVER = "The gang no longer waits for other gangs, and has not been planned yet."


def with_record(gang: GangFact, after: Sequence[Recorded]) -> GangStatus:
    """The status with the records of predecessors."""
    return replace(gang.status, after=tuple(after))


def mark_awaiting_others(gang: GangFact, after: Sequence[Recorded], why: str, *, now: float) -> GangStatus:
    """The status of a gang that waits until other gangs have started or ended. ``why`` names them.

    Its age stands still, and it gets no promise.
    """
    plan = _still_likely(gang, after, now)
    status = replace(without_nodes_requested(without_plan(mark_accepted(gang, now))), plan=plan)
    status = replace(
        with_age_standing_still(status, gang, now), after=tuple(after), first_planned_start=None, next_size=None
    )
    status = with_condition(status, gang, Condition.PLANNED, (FALSE, Reason.AWAITS_OTHERS, why), now)
    return with_not_placed(status, gang, Reason.AWAITS_OTHERS, _NO_MEMBERS, now)


def mark_planned_ahead(gang: GangFact, estimate: StartEstimate) -> GangStatus:
    """The status of a gang that still waits for others, with the estimate of its start."""
    return replace(gang.status, plan=estimate)


def _still_likely(gang: GangFact, after: Sequence[Recorded], now: float) -> StartEstimate | None:
    """The start estimate in the status; None if it has passed, or if the gang now waits for other predecessors."""
    planned, plan = gang.status.condition(Condition.PLANNED), gang.status.plan
    is_of_wait = planned is not None and planned.reason == Reason.AWAITS_OTHERS and gang.status.after == tuple(after)
    return plan if is_of_wait and plan is not None and plan.likely_start > now else None


def mark_awaiting_no_other(gang: GangFact, after: Sequence[Recorded], *, now: float) -> GangStatus:
    """The status of a gang whose predecessors have all started or ended as required. It is planned from now on."""
    status = replace(gang.status, after=tuple(after), plan=None)
    says = (UNKNOWN, Reason.NOT_PLANNED, _OVER)
    return with_condition(status, gang, Condition.PLANNED, says, now)


def mark_awaiting_in_vain(gang: GangFact, after: Sequence[Recorded], why: str, *, now: float) -> GangStatus:
    """The status of a Gang that waits in vain. Its pods belong to others, so the Gang stays."""
    status = mark_awaiting_others(gang, after, why, now=now)
    says = (FALSE, Reason.DEPENDENCY_NEVER_SATISFIED, why)
    return with_condition(status, gang, Condition.PLANNED, says, now)
