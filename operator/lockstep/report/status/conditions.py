"""The conditions of a gang's status, and whether its spec is accepted. Pure functions.

The first status has every condition of :func:`with_every_condition`, some with the value ``Unknown``.
``lastTransitionTime`` moves only when ``status`` changes: :func:`with_condition` ensures that.
"""

from dataclasses import replace

from lockstep.belief.gangs.age import with_age_standing_still
from lockstep.facts.columns import SLOTS
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal, RefusedGang
from lockstep.facts.gang.rejection import Rejected
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.text.admission import changes

TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"
MESSAGE_LIMIT = 32_768


def mark_refused(gang: GangFact, refusal: Refusal, *, now: float, rejected: Rejected | None = None) -> GangStatus:
    """The status of a gang that is refused, and not planned until the cause of the refusal is gone.

    ``rejected`` is kept in the status for a restart of the operator, if kubelets reject the members. The plan and the
    reservation are kept if the members run on.
    """
    not_accepted = (FALSE, refusal.reason, refusal.message)
    if isinstance(gang, RefusedGang) and gang.runs_on:
        return with_condition(gang.status, gang, Condition.ACCEPTED, not_accepted, now)
    status = without_nodes_requested(without_plan(with_every_condition(gang, now)))
    status = replace(with_age_standing_still(status, gang, now), rejected=rejected, next_size=None)
    if status.reserved_at is not None:
        status = replace(status, reserved_at=None, started_at=None)
    status = with_condition(status, gang, Condition.ACCEPTED, not_accepted, now)
    not_planned = (FALSE, Reason.NOT_PLANNED, "The spec is not accepted.")
    status = with_condition(status, gang, Condition.PLANNED, not_planned, now)
    placed = (FALSE, refusal.reason, "The spec is not accepted, so no member is created.")
    return with_condition(status, gang, Condition.PLACED, placed, now)


def with_condition(
    status: GangStatus, gang: GangFact, kind: Condition, says: tuple[str, str, str], now: float
) -> GangStatus:
    """The status with one condition replaced. ``says`` has the status, reason and message of the condition."""
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


def with_not_placed(status: GangStatus, gang: GangFact, reason: str, message: str, now: float) -> GangStatus:
    """The status with ``Placed`` False. A placed Gang keeps True while other pods of the Gang wait."""
    is_beside = isinstance(gang, AcceptedGang) and gang.spec.has_bound_pods
    if not is_beside or not gang.status.is_true(Condition.PLACED):
        return with_condition(status, gang, Condition.PLACED, (FALSE, reason, message), now)
    if status.reserved_at is None:
        before = gang.status
        status = replace(status, size=before.size, members=before.members)
        status = replace(status, start=before.start, expected_finish=before.expected_finish)
        status = replace(status, failed_joins=before.failed_joins)
    says = (TRUE, Reason.BOUND, "Some of its pods are on nodes, and others wait for nodes.")
    return with_condition(status, gang, Condition.PLACED, says, now)


def with_placed_again(status: GangStatus, gang: GangFact, now: float) -> GangStatus:
    """The status of a gang that is placed. If the gang was preempted before, ``Preempted`` becomes False."""
    if not status.is_true(Condition.PREEMPTED):
        return status
    return with_condition(status, gang, Condition.PREEMPTED, (FALSE, Reason.BOUND, "The gang is placed again."), now)


def with_every_condition(gang: GangFact, now: float) -> GangStatus:
    """The present status, with first values for conditions that were never written."""
    status = gang.status
    nothing_yet = {
        Condition.ACCEPTED: (UNKNOWN, Reason.NOT_PLANNED, "The spec has not been read yet."),
        Condition.PLANNED: (UNKNOWN, Reason.NOT_PLANNED, "The gang has not been planned yet."),
        Condition.PLACED: (FALSE, Reason.NOT_RESERVED, "No member has been created yet."),
        Condition.COMPLETE: (FALSE, Reason.NOT_FINISHED, "The gang has not finished."),
    }
    for kind, says in nothing_yet.items():
        if status.condition(kind) is None:
            status = with_condition(status, gang, kind, says, now)
    return status


def mark_accepted(gang: GangFact, now: float) -> GangStatus:
    """The status of a gang whose spec can be obeyed, as written or as admission changes it.

    The message names preferences that are ignored, and warns of members that request no resources.
    """
    reason, message = Reason.SPEC_UNDERSTOOD, "Lockstep can do what the spec says."
    if isinstance(gang, AcceptedGang) and gang.spec.is_changed_by_admission:
        message = f"Admission changes the members, and Lockstep plans them as changed: {changes(gang.spec)}."
        reason = Reason.CHANGED_BY_ADMISSION
    not_weighed = [path for role in gang.spec.roles for path in role.not_weighed] if gang.spec else []
    if not_weighed:
        message += f" Lockstep ignores these preferences: {', '.join(not_weighed)}."
    says = (TRUE, reason, message + _warning_of_free_members(gang))
    status = replace(with_every_condition(gang, now), rejected=None)
    return with_condition(status, gang, Condition.ACCEPTED, says, now)


def _warning_of_free_members(gang: GangFact) -> str:
    """A warning about roles whose members request no resources; '' if there are none.

    Any number of these members fits on a node, up to the node's limit of pods. The planner assumes that each of them
    runs as fast as it would alone.
    """
    roles = gang.spec.roles if isinstance(gang, AcceptedGang) else ()
    # A Gang without pods has a role that requests nothing.
    free = [
        role.path for role in roles if role.request and not {resource for resource, _ in role.request} - {"pods", SLOTS}
    ]
    if not free:
        return ""
    return (
        f" Warning: the members of {', '.join(free)} request no resources. Lockstep plans as if any number "
        "of them had room on one node, at full speed. Set resources.requests.cpu."
    )


def without_nodes_requested(status: GangStatus) -> GangStatus:
    """The status without the condition that nodes are requested."""
    return _without(status, Condition.NODES_REQUESTED)


def without_overrun(status: GangStatus) -> GangStatus:
    """The status without the condition of an overrun, because the run is over."""
    return _without(status, Condition.OVERRUNNING)


def without_plan(status: GangStatus) -> GangStatus:
    """The status without a plan, and without the fields that belong to the attempt of that plan."""
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
