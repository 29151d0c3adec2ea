"""Applies facts about Gangs and the owners of their pods. A Gang is composed again after each change of such a fact."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace

from coschedule import GangKey
from lockstep.api.versions import is_older
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.common.due_gangs import DueGangs
from lockstep.belief.podgangs.elastic_owners import RunningPods
from lockstep.belief.podgangs.own_pods import SizedPods
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.gang.workload import AdmissionCheck, Workload
from lockstep.facts.ranks import MOST_RANKS


class PodGangFacts:
    """Facts about Gangs, their owners and Workloads.

    ``composed`` is called with each composed Gang that differs from the Gang in ``gangs``. ``removed`` is called with
    the key and UID of a Gang that is gone.
    """

    def __init__(
        self,
        pod_gangs: PodGangs,
        gangs: Mapping[GangKey, GangFact],
        changes: ChangedKeys,
        *,
        composed: Callable[[GangFact], None],
        removed: Callable[[GangKey, str], None],
    ) -> None:
        self._pod_gangs = pod_gangs
        self._gangs = gangs
        self._changes = changes
        self._composed = composed
        self._removed = removed
        self._due = DueGangs(self._follow_known_workload, changes)

    def apply(self, fact: PodGang) -> None:
        """Add or update a Gang; a version older than the cached one changes nothing."""
        before = self._pod_gangs.objects.get(fact.key)
        if before and before.uid == fact.uid and is_older(fact.resource_version, before.resource_version):
            return
        self._pod_gangs.objects[fact.key] = fact
        self.renew(fact.key)

    def remove(self, key: GangKey, uid: str) -> None:
        """Remove a Gang; its pods stay as they are."""
        known = self._pod_gangs.objects.get(key)
        if known is not None and known.uid == uid:
            del self._pod_gangs.objects[key]
            self._pod_gangs.yielding.forget(key)
            self._removed(key, uid)

    def renew(self, key: GangKey) -> None:
        """Compose a Gang again from its object and its pods."""
        known = self._pod_gangs.objects.get(key)
        self._pod_gangs.forget_check(key)
        if known is None:
            return
        fact = self._pod_gangs.composed(known)
        if fact != self._gangs.get(key):
            self._composed(fact)

    def with_status(self, key: GangKey, status: GangStatus) -> GangFact | None:
        """The Gang as it is composed with this status; None if it is gone."""
        known = self._pod_gangs.objects.get(key)
        return None if known is None else self._pod_gangs.composed(replace(known, status=status))

    def check(self, key: GangKey, pods: int = MOST_RANKS) -> None:
        """Record that a Gang agrees with the owner of its pods, so that it may be planned.

        If more than ``pods`` wait before the first one runs, the Gang is compared again.
        """
        self._pod_gangs.check(key, pods)
        self.renew(key)

    # Owners whose size may change

    def apply_owner(self, owner: SizedOwner) -> None:
        """Add or update an owner.

        Only owners that wait for a size, or may change their size while they run, are kept.
        """
        self._pod_gangs.sized.apply(owner)
        if self._pod_gangs.elastic.apply(owner):
            self._changes.record_change_for_plan()
        if self._pod_gangs.queued_owners.apply(owner):
            self._changes.reconcile(owner.gang)
        if owner.awaits_size or owner.gang in self._pod_gangs.objects:
            self.renew(owner.gang)
            self._changes.reconcile(owner.gang)

    def remove_owner(self, gang: GangKey, uid: str) -> None:
        """Remove an owner."""
        self._pod_gangs.sized.remove(gang, uid)
        self._pod_gangs.elastic.remove(gang, uid)
        if self._pod_gangs.queued_owners.remove(gang, uid):
            self._changes.reconcile(gang)
        self.renew(gang)

    # Workloads of Kueue: their pods are created once Lockstep's checks are ready

    def apply_workload(self, workload: Workload) -> None:
        """Add or update a Workload; only Workloads with quota are kept."""
        self._pod_gangs.workloads.apply(workload)
        self._follow_workload(workload.gang, workload.uid)

    def remove_workload(self, gang: GangKey, uid: str) -> None:
        """Remove a Workload."""
        self._pod_gangs.workloads.remove(gang, uid)
        self._follow_workload(gang, uid)

    def apply_check(self, check: AdmissionCheck) -> None:
        """Add or update an AdmissionCheck. Existing Workloads may wait for it."""
        is_known = check.name in self._pod_gangs.workloads.our_checks
        self._pod_gangs.workloads.apply_check(check)
        if is_known != check.is_ours:
            self._follow_workloads()

    def remove_check(self, name: str) -> None:
        """Remove an AdmissionCheck."""
        if name in self._pod_gangs.workloads.our_checks:
            self._pod_gangs.workloads.remove_check(name)
            self._follow_workloads()

    def following_due(self) -> Generator[None, None, None]:
        """Compose the Gangs of Workloads again after a change of an AdmissionCheck, one in each step."""
        return self._due.following_due()

    def _follow_workloads(self) -> None:
        self._due.add(self._pod_gangs.workloads.gangs())

    def _follow_known_workload(self, gang: GangKey) -> None:
        known = self._pod_gangs.workloads.of(gang)
        if known is not None:
            self._follow_workload(gang, known.uid)

    def _follow_workload(self, gang: GangKey, uid: str) -> None:
        self._due.discard(gang)
        owner = self._pod_gangs.workloads.owner(gang)
        if owner is None:
            self._pod_gangs.sized.remove(gang, uid)
        else:
            self._pod_gangs.sized.apply(owner)
        if owner is not None or gang in self._pod_gangs.objects:
            self.renew(gang)
            self._changes.reconcile(gang)

    def learn_coming_pods(self, owner: SizedOwner, pods: SizedPods) -> None:
        """Record the needs of an owner's future pods, unless the owner has changed since it was read."""
        self._pod_gangs.sized.learn(owner.gang, owner.uid, owner.resource_version, pods)
        self.renew(owner.gang)

    def learn_queued_gang(self, owner: SizedOwner, gang: AcceptedGang) -> None:
        """Record the gang that an owner in a queue of Kueue would become, so that the next plan chooses its size."""
        if self._pod_gangs.queued_owners.learn(owner, gang):
            self._changes.plan()

    def learn_running_pods(self, gang: GangKey, uid: str, pods: RunningPods) -> None:
        """Record the needs of an owner's running pods."""
        self._pod_gangs.elastic.learn(gang, uid, pods)
        self._changes.record_change_for_plan()
