"""How a GangJob in a queue uses its quota: a pure function of its status and its reservation."""

from collections.abc import Iterator

from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.api.kueue.gang_workload import pod_set_of
from lockstep.api.kueue.gang_workload_status import GangEnd, QuotaUse
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.workload import CheckState
from lockstep.facts.reasons import Condition, Reason

_HAS_NODES = CheckEntry(CheckState.READY, "All of its members have nodes.")


def quota_use_of(gang: GangFact, written: GangFact, entry: CheckEntry | None, *, holds_nothing: bool) -> QuotaUse:
    """The use of the quota, for its Workload.

    ``written`` is the same gang without Kueue's decisions about it. ``entry`` is what our checks say.
    """
    status = gang.status
    end = None if status.end is None else GangEnd(status.end.reason == Reason.SUCCEEDED, status.end.message)
    is_placed = status.reserved_at is not None and status.is_true(Condition.PLACED)
    return QuotaUse(
        end=end,
        runs=is_placed and status.started_at is not None,
        holds_nothing=holds_nothing,
        most=dict(_most(gang, written)) if is_placed else {},
        entry=_HAS_NODES if status.reserved_at is not None else entry,
    )


def _most(gang: GangFact, written: GangFact) -> Iterator[tuple[str, int]]:
    """The most members that each pod set can still have. An elastic gang may grow again to the maximum of its spec."""
    if not isinstance(written, AcceptedGang):
        return
    present = {role.name: 0 for role in written.spec.roles}
    for entry in gang.status.members:
        present[entry.role] = present.get(entry.role, 0) + entry.count
    for role in written.spec.roles:
        allowed = 0 if written.spec.elastic is None else written.wanted_sizes(role).most
        yield pod_set_of(role.name), max(present[role.name], allowed)
