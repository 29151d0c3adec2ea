"""The GangJobs in queues of Kueue, the Workloads that the operator made for them, and ResourceFlavors."""

from collections.abc import Callable, Collection

from coschedule import GangKey
from lockstep.belief.queues.quota_terms import as_queued
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.workload import Flavor, GangWorkload


class QueuedGangs:
    """What Kueue decides about GangJobs. Unless ``are_obeyed``, their labels of Kueue mean nothing.

    ``ours`` are the names of the AdmissionChecks of Lockstep. ``changed`` is called with each GangJob, as its object
    has it, whose Workload has changed, and ``reconcile`` with its name.
    """

    def __init__(
        self,
        are_obeyed: Callable[[], bool],
        *,
        ours: Collection[str],
        changed: Callable[[GangFact], None],
        reconcile: Callable[[GangKey], None],
    ) -> None:
        self._are_obeyed = are_obeyed
        self._ours = ours
        self._changed = changed
        self._reconcile = reconcile
        self._workloads: dict[GangKey, GangWorkload] = {}
        self._flavors: dict[str, Flavor] = {}
        self._written: dict[GangKey, GangFact] = {}

    def as_queued(self, gang: GangFact) -> GangFact:
        """The gang as Kueue lets it run; as it is, if it is in no queue."""
        if not self.has(gang):
            self._written.pop(gang.key, None)
            return gang
        self._written[gang.key] = gang
        return as_queued(gang, self.workload(gang.key), self._flavors, self._ours)

    def has(self, gang: GangFact) -> bool:
        """Whether the gang is in a queue."""
        return bool(gang.policies.queue) and not is_pod_gang(gang.key) and self._are_obeyed()

    def workload(self, gang: GangKey) -> GangWorkload | None:
        """The Workload of a GangJob, or of an earlier one of its name."""
        return self._workloads.get(gang)

    def written(self, gang: GangKey) -> GangFact | None:
        """A gang in a queue, as its object has it."""
        return self._written.get(gang)

    def apply(self, workload: GangWorkload) -> None:
        """Add or update a Workload."""
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
        self._flavors[flavor.name] = flavor
        self.follow_all()

    def remove_flavor(self, name: str) -> None:
        """Forget a ResourceFlavor."""
        self._flavors.pop(name, None)
        self.follow_all()

    def forget(self, gang: GangKey) -> None:
        """Forget a GangJob that is gone."""
        self._written.pop(gang, None)

    def follow_all(self) -> None:
        """Follow all gangs in queues: what Kueue decides about many may have changed."""
        for gang in list(self._written):
            self._follow(gang)

    def _follow(self, gang: GangKey) -> None:
        written = self._written.get(gang)
        if written is not None:
            self._changed(written)
        self._reconcile(gang)
