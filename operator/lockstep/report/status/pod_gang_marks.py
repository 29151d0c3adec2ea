"""The next status of a Gang. Other controllers or users create its pods. Pure functions."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from coschedule import Members
from lockstep.api.quantities import rfc3339
from lockstep.belief.podgangs.yielding import TakenAttempt
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.conditions import (
    FALSE,
    TRUE,
    mark_accepted,
    with_condition,
    with_placed_again,
    without_plan,
)
from lockstep.report.text.sentences import as_sentence, n_pods


def mark_pods_placed(gang: GangFact, nodes: Iterable[str], *, now: float) -> GangStatus:
    """The status after watches have shown all planned pods on their nodes. The status has no reservation any more.

    ``nodes`` has the node of each pod of the Gang that is on a node, including pods of earlier attempts.
    """
    size = sum(entry.count for entry in gang.status.members)
    status = _without_wait(on_nodes(replace(gang.status, reserved_at=None, started_at=now), nodes))
    says = (TRUE, Reason.BOUND, f"{n_pods(size)} of the Gang {'was' if size == 1 else 'were'} bound together.")
    return with_placed_again(with_condition(status, gang, Condition.PLACED, says, now), gang, now)


def on_nodes(status: GangStatus, nodes: Iterable[str]) -> GangStatus:
    """The status with all pods on nodes as its members."""
    members = tuple(Members(node, count) for node, count in sorted(Counter(nodes).items()))
    # All pods may have ended by now, and the API server refuses a size of 0.
    return replace(status, members=members, size=sum(entry.count for entry in members) or None)


def with_taken(status: GangStatus, gang: GangFact, taken: TakenAttempt | None, *, now: float) -> GangStatus:
    """The status of a Gang whose pods leave for another gang.

    It is unchanged if ``taken`` is None, or if a later attempt has begun.
    """
    if taken is None or not taken.is_last_of(gang):
        return status
    return with_condition(status, gang, Condition.PREEMPTED, (TRUE, taken.reason, as_sentence(taken.why)), now)


def mark_found_bound(gang: GangFact, why: str, nodes: Iterable[str], *, now: float) -> GangStatus:
    """The status of a Gang whose pods were on ``nodes`` before the Gang existed: enough of them run."""
    status = _without_wait(on_nodes(replace(without_plan(mark_accepted(gang, now)), started_at=now), nodes))
    says = (TRUE, Reason.BOUND, f"{n_pods(status.size or 0)} of the Gang are on nodes.")
    status = with_condition(status, gang, Condition.PLANNED, (FALSE, Reason.AWAITS_PODS, why), now)
    return with_condition(status, gang, Condition.PLACED, says, now)


def mark_awaiting_pods(
    gang: GangFact, why: str, *, are_bound: bool, now: float, reason: Reason = Reason.AWAITS_PODS
) -> GangStatus:
    """The status of a Gang for which too few pods wait, so nothing is planned.

    ``are_bound`` says whether other pods run.
    """
    status = mark_accepted(gang, now)
    if are_bound and status.is_true(Condition.PLACED):
        return with_condition(status, gang, Condition.PLANNED, (FALSE, Reason.AWAITS_PODS, why), now)
    status = _without_wait(replace(without_plan(status), started_at=None))
    for kind in (Condition.PLANNED, Condition.PLACED):
        status = with_condition(status, gang, kind, (FALSE, reason, why), now)
    return status


def mark_resting(gang: GangFact, failure: Failure, *, times: int, until: float, now: float) -> GangStatus:
    """The status of a Gang whose pods have started over ``times`` times in a row. It is planned again at ``until``."""
    how_often = "once" if times == 1 else f"{times} times in a row"
    why = f"The pods of the Gang have started over {how_often}: {failure.message}."
    status = _without_wait(replace(without_plan(mark_accepted(gang, now)), started_at=None))
    again = (FALSE, Reason.RESERVATION_RELEASED, f"The gang is planned again at {rfc3339(until)}.")
    status = with_condition(status, gang, Condition.PLANNED, again, now)
    return with_condition(status, gang, Condition.PLACED, (FALSE, failure.reason, why), now)


def _without_wait(status: GangStatus) -> GangStatus:
    """The status without the fields about the wait of its pods: the next pods of the Gang have their own wait."""
    return replace(status, first_planned_start=None, plan=None, queued_since=None, waited_seconds=None)
