"""The GangJobs in queues of Kueue, the Workloads that the operator made for them, and ResourceFlavors."""

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import replace
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.common.due_gangs import DueGangs
from lockstep.belief.queues.quota_terms import awaits_flavor, awaits_quota, with_quota
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.workload import Flavor, GangWorkload, Quota


class _WithQuota(NamedTuple):
    """A spec as ``written``, and the ``spec`` that follows from these quotas and that version of all flavors."""

    written: GangSpec
    quotas: Mapping[str, Quota]
    flavors: int
    spec: GangSpec


class QueuedGangs:
    """Decisions of Kueue about GangJobs. Until Workloads are watched, labels of Kueue mean nothing.

    ``ours`` are the names of the AdmissionChecks of Lockstep. When a Workload has changed, ``changed`` is called with
    its GangJob, which does not have Kueue's decisions yet. Then ``changes`` gets the GangJob, to be reconciled.
    """

    def __init__(
        self,
        ours: Collection[str],
        *,
        changed: Callable[[GangFact], None],
        changes: ChangedKeys,
    ) -> None:
        self._ours = ours
        self._changed = changed
        self._changes = changes
        self._are_watched = False
        self._workloads: dict[GangKey, GangWorkload] = {}
        self._flavors: dict[str, Flavor] = {}
        self._version_of_flavors = 0
        self._due = DueGangs(self._follow, changes)
        self._written: dict[GangKey, GangFact] = {}
        self._with_quota: dict[GangKey, _WithQuota] = {}

    def watch(self) -> None:
        """Obey Kueue from now on, since its Workloads are watched.

        Commands do not call this: they read objects once, and use statuses of gangs instead of Workloads.
        """
        self._are_watched = True

    def as_queued(self, gang: GangFact) -> GangFact:
        """The gang as Kueue lets it run; unchanged if it is in no queue, or waits for predecessors."""
        if not self.has(gang):
            self.forget(gang.key)
            return gang
        self._written[gang.key] = gang
        # The gang requests no quota before its predecessors have started or ended.
        return gang if gang.unmet else self._obeying(gang)

    def has(self, gang: GangFact) -> bool:
        """Whether the gang is in a queue."""
        return self._are_watched and bool(gang.policies.queue) and not is_pod_gang(gang.key)

    def workload(self, gang: GangFact) -> GangWorkload | None:
        """The Workload of the gang; None if it has none.

        A Workload of an earlier gang of the same name does not count: Kubernetes deletes it.
        """
        known = self._workloads.get(gang.key)
        return known if known is not None and known.gang_uid == gang.uid else None

    def written(self, gang: GangKey) -> GangFact | None:
        """The gang of that name without Kueue's decisions; None if it is in no queue."""
        return self._written.get(gang)

    def apply(self, workload: GangWorkload) -> None:
        """Add or update a Workload."""
        if self._workloads.get(workload.gang) != workload:
            self._workloads[workload.gang] = workload
            self._follow(workload.gang)

    def remove(self, gang: GangKey, uid: str) -> None:
        """Forget a Workload."""
        known = self._workloads.get(gang)
        if known is not None and known.uid == uid:
            del self._workloads[gang]
            self._follow(gang)

    def apply_flavor(self, flavor: Flavor) -> None:
        """Add or update a ResourceFlavor."""
        if self._flavors.get(flavor.name) != flavor:
            self._flavors[flavor.name] = flavor
            self._flavors_changed()

    def remove_flavor(self, name: str) -> None:
        """Forget a ResourceFlavor."""
        if self._flavors.pop(name, None) is not None:
            self._flavors_changed()

    def forget(self, gang: GangKey) -> None:
        """Forget a GangJob that is gone, or in no queue."""
        self._written.pop(gang, None)
        self._with_quota.pop(gang, None)

    def follow_all(self) -> None:
        """Apply all gangs with Workloads again in later steps, since a flavor or a check has changed."""
        self._due.add(self._workloads)

    def following_due(self) -> Generator[None, None, None]:
        """Apply the gangs of :meth:`follow_all` again, one in each step."""
        return self._due.following_due()

    def _flavors_changed(self) -> None:
        self._version_of_flavors += 1
        self.follow_all()

    def _follow(self, gang: GangKey) -> None:
        self._due.discard(gang)
        written = self._written.get(gang)
        if written is not None:
            self._changed(written)
        self._changes.reconcile(gang)

    def _obeying(self, gang: GangFact) -> GangFact:
        workload = self.workload(gang)
        why = awaits_quota(gang.policies.queue, workload, self._ours)
        if gang.status.reserved_at is None:
            why = why or awaits_flavor(workload, self._flavors)
        queued = replace(gang, policies=replace(gang.policies, is_suspended=bool(why), awaits_quota=why))
        if why or workload is None or not isinstance(queued, AcceptedGang):
            return queued
        return queued.with_spec(self._spec_with_quota(queued, workload))

    def _spec_with_quota(self, gang: AcceptedGang, workload: GangWorkload) -> GangSpec:
        """The spec with its quota, computed once: templates may be large, and statuses change often."""
        known, version = self._with_quota.get(gang.key), self._version_of_flavors
        is_same = known is not None and known.written is gang.spec and known.flavors == version
        if known is None or not is_same or known.quotas != workload.quotas:
            spec = with_quota(gang.spec, workload.quotas, self._flavors)
            known = self._with_quota[gang.key] = _WithQuota(gang.spec, workload.quotas, version, spec)
        return known.spec
