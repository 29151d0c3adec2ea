"""What our AdmissionChecks say of a Workload that waits: a pure function of its Gang and of the time."""

import math

from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.api.times import rfc3339
from lockstep.facts.gang.gang import GangFact, RefusedGang
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec
from lockstep.facts.gang.workload import CheckState, Workload
from lockstep.facts.reason_meanings import LACKING_PODS
from lockstep.facts.reasons import Condition

# A start may be weeks away, and what runs may end earlier.
_LONGEST_REQUEUE_SECONDS = 86_400.0


def entry_due(gang: GangFact, made: PodGang, workload: Workload, *, patience: float, now: float) -> CheckEntry | None:
    """What is to be said of a Workload whose pods have no places; None while nothing new is known.

    Its quota is given back if it starts later than ``patience`` seconds from now, or for so long no start was known.
    """
    if gang.status.reserved_at is not None:
        return None
    if isinstance(gang, RefusedGang):
        return _refused(gang, made, patience)
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.reason in LACKING_PODS:
        return None
    start = None if gang.status.plan is None else gang.status.plan.likely_start
    if start is None and now >= gives_back_at(workload, patience):
        return _no_start(planned.message, patience)
    if start is not None and start > now + patience:
        return _too_late(start, patience, now)
    return CheckEntry(CheckState.PENDING, planned.message)


def gives_back_at(workload: Workload, patience: float) -> float:
    """When a Workload gives its quota back of which no start is known."""
    return (workload.quota_since or 0.0) + patience


def _refused(gang: RefusedGang, made: PodGang, patience: float) -> CheckEntry | None:
    """No cluster can obey a spec that we have read as it is. Another refusal may pass: quotas and webhooks change."""
    accepted = gang.status.condition(Condition.ACCEPTED)
    if accepted is None or gang.status.is_true(Condition.ACCEPTED):
        return None
    if isinstance(made.asks, PodGangSpec):
        return CheckEntry(CheckState.REJECTED, accepted.message)
    return CheckEntry(CheckState.RETRY, accepted.message, requeue_after=_seconds(patience))


def _no_start(why: str, patience: float) -> CheckEntry:
    message = f"No start is known after {patience:.0f} s, so the quota is given back: {why}"
    return CheckEntry(CheckState.RETRY, message, requeue_after=_seconds(patience))


def _too_late(start: float, patience: float, now: float) -> CheckEntry:
    message = (
        f"Its start is expected at {rfc3339(start)}, in more than {patience:.0f} s. So the quota is given back, and "
        "this start is promised no longer."
    )
    return CheckEntry(CheckState.RETRY, message, requeue_after=_seconds(start - now - patience))


def _seconds(seconds: float) -> int:
    return math.ceil(min(max(seconds, 1.0), _LONGEST_REQUEUE_SECONDS))
