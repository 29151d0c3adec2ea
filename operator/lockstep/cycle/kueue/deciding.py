"""What our AdmissionChecks say about a Workload that waits: a pure function of its Gang and of the time."""

from collections.abc import Collection

from lockstep.api.kueue.check_entries import CheckEntry, gives_back_at, without_start
from lockstep.api.times import rfc3339
from lockstep.belief.podgangs.workloads import are_last, may_pass
from lockstep.facts.gang.gang import GangFact, RefusedGang
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec
from lockstep.facts.gang.workload import CheckState, GangWorkload, Workload
from lockstep.facts.reason_meanings import LACKING_PODS
from lockstep.facts.reasons import Condition
from lockstep.report.text.sentences import duration

# In seconds. If no other Workload waits, Kueue gives returned quota again at once. Without this time it would be given
# and returned all the time.
_KEEPS_SECONDS = 300.0
_NO_PLAN = "there is no plan for its pods yet."


def entry_due(gang: GangFact, made: PodGang, workload: Workload, *, patience: float, now: float) -> CheckEntry | None:
    """The entry for a Workload whose pods have no places; None while nothing new is known.

    If no start is known, the quota is returned after ``patience`` seconds. If the start is later than that, or if a
    refusal may end, the quota is returned after the shorter of ``patience`` and five minutes.
    """
    if gang.status.reserved_at is not None:
        return None
    if isinstance(gang, RefusedGang):
        return _refused(gang, made, workload.quota_since, patience, now)
    return _waiting(gang, workload.quota_since, patience, now)


def queued_entry(
    gang: GangFact, workload: GangWorkload, ours: Collection[str], *, patience: float, now: float
) -> CheckEntry | None:
    """The entry for the Workload of a GangJob, by the same rules.

    None if the Workload waits for other checks, or has no check of Lockstep. None also if the GangJob has nodes, or no
    quota that it may use. Once all checks are ready, there is an entry only if an attempt has failed or nodes are lost.
    """
    since = idle_since(gang, workload)
    if since is None or not may_pass(workload.checks, ours):
        return None
    if are_last(workload.checks, ours):
        return _waiting(gang, since, patience, now)
    return _without_nodes(gang, since, patience, now)


def idle_since(gang: GangFact, workload: GangWorkload) -> float | None:
    """The time since which a GangJob has had quota and no nodes.

    None if it has nodes, or no quota that it may use. Attempts that fail do not count as nodes.
    """
    has_quota = workload.quota_since is not None and not workload.conditions.is_evicted
    if not has_quota or gang.policies.is_suspended or gang.status.reserved_at is not None:
        return None
    placed = gang.status.condition(Condition.PLACED)
    return max(workload.quota_since or 0.0, 0.0 if placed is None else placed.last_transition)


def _waiting(gang: GangFact, quota_since: float | None, patience: float, now: float) -> CheckEntry | None:
    """The entry with what the last plan says, or with why there can be no plan; None if a plan is expected soon."""
    accepted, planned = gang.status.condition(Condition.ACCEPTED), gang.status.condition(Condition.PLANNED)
    if accepted is not None and accepted.status == "False":
        # An object that its pods name is missing, such as a claim.
        return without_start(accepted.message, quota_since, patience, now)
    if planned is None or planned.reason in LACKING_PODS:
        # The Gang is about to be planned, unless other pods with its label are in the way.
        return (
            None if now < gives_back_at(quota_since, patience) else without_start(_NO_PLAN, quota_since, patience, now)
        )
    if gang.status.plan is None:
        return without_start(planned.message, quota_since, patience, now)
    if gang.status.plan.likely_start > now + patience:
        late = _too_late(gang.status.plan.likely_start, patience)
        return _not_soon(planned.message, late, quota_since, patience, now)
    return CheckEntry(CheckState.PENDING, planned.message)


def _without_nodes(gang: GangFact, since: float, patience: float, now: float) -> CheckEntry | None:
    """The entry for a GangJob that Kueue has admitted, and whose attempt has failed or whose nodes are lost.

    The next attempt may succeed, so the GangJob keeps the quota for some minutes.
    """
    placed = gang.status.condition(Condition.PLACED)
    if placed is None or gang.status.end is not None:
        return None
    if now < _keeps_until(since, patience):
        return CheckEntry(CheckState.READY, placed.message)
    why = f"Lockstep gives the quota back, since the members can't be placed: {placed.message}"
    return CheckEntry(CheckState.RETRY, why)


def next_moment(quota_since: float | None, patience: float, now: float) -> float | None:
    """The next time at which another entry may be due for a Workload although its gang is unchanged."""
    moments = (_keeps_until(quota_since, patience), gives_back_at(quota_since, patience))
    return min((one for one in moments if one > now), default=None)


def _refused(
    gang: RefusedGang, made: PodGang, quota_since: float | None, patience: float, now: float
) -> CheckEntry | None:
    """The entry for a refused Gang.

    If the Gang's own spec is valid, the Gang is refused because of its pods. No cluster can place these pods, so the
    Workload is rejected. Other refusals may end, since quotas and webhooks change.
    """
    accepted = gang.status.condition(Condition.ACCEPTED)
    if accepted is None or gang.status.is_true(Condition.ACCEPTED):
        return None
    if isinstance(made.asks, PodGangSpec):
        return CheckEntry(CheckState.REJECTED, accepted.message)
    back = f"Lockstep gives the quota back: {accepted.message}"
    return _not_soon(accepted.message, back, quota_since, patience, now)


def _not_soon(why: str, back: str, quota_since: float | None, patience: float, now: float) -> CheckEntry:
    """The entry for a Workload that will not start soon: first it waits for some minutes, then it returns the quota."""
    if now < _keeps_until(quota_since, patience):
        return CheckEntry(CheckState.PENDING, why)
    return CheckEntry(CheckState.RETRY, back)


def _keeps_until(quota_since: float | None, patience: float) -> float:
    return gives_back_at(quota_since, min(patience, _KEEPS_SECONDS))


def _too_late(start: float, patience: float) -> str:
    return (
        f"Its start is expected at {rfc3339(start)}, in more than {duration(patience)}. So Lockstep gives the quota "
        "back, and no longer promises this start."
    )
