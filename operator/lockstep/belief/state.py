"""The cache: the newest fact of everything. Its parts are in ``parts.py``.

Nothing here awaits, reads a clock or calls the API server: watches call ``apply_…`` and ``remove_…``, the cycle reads.
Facts may arrive in any order and more than once; only the newest counts. What is assumed beyond the facts is in
``holding/assumptions.py``.
"""

import logging
from collections.abc import Iterable, Iterator

from coschedule import GangKey
from lockstep.api.versions import is_older
from lockstep.belief.gangs.paceable import pace_refusal
from lockstep.belief.gangs.phases import Phase, phase_of
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.belief.order.ring_refusal import ring_refusal
from lockstep.belief.parts import CacheParts
from lockstep.belief.volumes.claim_problems import claim_refusal
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal, Verdict, oversize
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.logs.fields import debug_about

log = logging.getLogger(__name__)


class State(CacheParts):
    """Everything known about the cluster."""

    # Leadership

    def stand_by(self) -> None:
        """Follow another leader: only reservations in statuses count, and changes are not kept."""
        self.assumptions.leads = False
        self.changes.stand_by()

    def lead(self) -> None:
        """Lead from now on. As after a restart, all gangs are reconciled."""
        self.assumptions.leads = True
        self.changes.follow()
        self.changes.reconcile(*self.gangs, *self.counts.roster.names(), *self.pod_gangs.names())
        self.bids.request_conditions()
        self.changes.record_change_for_plan()

    # Time

    def advance_to(self, now: float) -> None:
        """Drop facts that have expired at ``now``, and apply changes that are due by then."""
        self.bids.expire(now)
        self.bids.update_shared(now)
        self.owners.update(now)
        self.failed_nodes.expire(now)
        self.rejections.advance_to(now)
        self.pod_gangs.advance_to(now)
        self.shares.advance(now)
        self.records.advance_to(now)

    # Facts about pods

    def apply_pod(self, fact: PodFact) -> None:
        """Add or update a pod."""
        self.pods.apply(fact)

    def remove_pod(self, key: PodKey, uid: str) -> None:
        """Remove a pod, unless another one has its name."""
        known = self.pods.get(key)
        self.pods.remove(key, uid)
        if isinstance(known, GroupedPod):
            # The check is forgotten at once: pods of the next owner may come before the next cycle.
            self.pod_gangs.forget_check(known.group.gang)

    # Facts about gangs

    def apply_gang(self, fact: GangFact) -> None:
        """Add or update a gang. A version that is older than the cached one changes nothing."""
        before = self.gangs.get(fact.key)
        if before is not None and before.uid == fact.uid and is_older(fact.resource_version, before.resource_version):
            return
        if before is not None and before.uid != fact.uid:
            self.remove_gang(before.key, before.uid)
            before = None
        if before is None:
            debug_about(log, fact.key, "the gang is new, with UID %s", fact.uid)
        if not is_pod_gang(fact.key):
            was_queued = self.queued.written(fact.key) is not None
            fact = self.queued.as_queued(fact)
            if was_queued or self.queued.has(fact):
                self.templates.rewrite(fact)
            fact = self.templates.as_admitted(fact)
        self._enter(fact)
        self.sweeps.gang_applied(fact)
        self.giving_way.read_status(fact)
        self.forecasts.learn(fact)
        self.change_times.gang_applied(before, fact)
        self.assumptions.read_status(before, fact)
        self.records.gang_applied(before, fact)
        self.shares.gang_applied(fact)
        self.changes.reconcile(fact.key)
        self.changes.record_change(needs_plan=before is None or _may_change_plan(before, fact))

    def remove_gang(self, key: GangKey, uid: str) -> None:
        """Remove a gang. Its pods may still exist: see :meth:`orphans`."""
        known = self.gangs.get(key)
        if known is None or known.uid != uid:
            return
        del self.gangs[key]
        self.records.gang_removed(known)
        self.change_times.gang_removed(known)
        self.sweeps.gang_removed(known)
        self.claiming.leave(key)
        self.predecessors.leave(key)
        debug_about(log, key, "the gang was deleted")
        self.giving_way.forget(key)
        self.assumptions.remove_gang(known)
        self.templates.forget(uid)
        self.queued.forget(key)
        self.failed_nodes.forget(uid)
        self.rejections.forget(uid)
        self.remembered.forget(uid)
        self.forecasts.forget(uid)
        self.changes.reconcile(key)
        self.changes.record_change_for_plan()

    def apply_verdict(self, gang: GangFact, verdict: Verdict) -> bool:
        """Record admission's verdict on the gang's members. Returns whether that changes its planning."""
        known = self.gangs.get(gang.key)
        if known is None or not self.gangs.is_there(gang):
            return False
        self.templates.learn(known, verdict)
        admitted = self.templates.as_admitted(known)
        if admitted == known:
            return False
        self._enter(admitted)
        self.changes.reconcile(gang.key)
        self.changes.record_change_for_plan()
        return True

    def _enter(self, gang: GangFact) -> None:
        self.gangs[gang.key] = gang
        self.claiming.enter(gang)
        self.predecessors.enter(gang)
        self.counts.holders.gang_changed(gang.key)

    # Questions

    def as_written(self, gang: GangKey) -> GangFact | None:
        """The gang of that name, without Kueue's decisions about it; None if there is no such gang."""
        return self.queued.written(gang) or self.gangs.get(gang)

    def refusal_of(self, gang: GangFact) -> Refusal | None:
        """Why the gang can't be planned, by its own spec or by objects that the spec names; None if it can."""
        if not isinstance(gang, AcceptedGang):
            return gang.refusal
        if gang.spec.excess:
            return oversize(gang.spec.excess)
        if gang.spec.awaits_pods:
            return self.priorities.refusal(gang) or ring_refusal(self.predecessors, gang.key)
        return (
            self.pool.refusal(gang)
            or self.priorities.refusal(gang)
            or pace_refusal(gang)
            or claim_refusal(self.claims, gang)
            or self.rejections.refusal(gang)
            or ring_refusal(self.predecessors, gang.key)
        )

    def phase_of(self, gang: GangFact, *, is_resting: bool = False) -> Phase:
        """The phase of the gang. ``is_resting``: the gang failed and may not be tried again yet."""
        is_reserved = gang.key in self.reservations or reserved_in_status(gang) is not None
        return phase_of(gang, is_reserved=is_reserved, refusal=self.refusal_of(gang), is_resting=is_resting)

    def members(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The existing pods of all the gang's attempts."""
        return self.counts.roster.members(gang.key, gang.uid)

    def pods_of(self, reservation: Reservation) -> Iterator[PodFact]:
        """The existing pods of the reservation's members, from the lowest rank on."""
        members = self.counts.roster.members(reservation.gang, reservation.gang_uid)
        return (members[key] for key in reservation.pod_keys() if key in members)

    def departed(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The pods of the current attempt that are gone, as they were last seen.

        They are forgotten with the reservation, so there are never more departed pods than members.
        """
        return self.counts.roster.departed(gang.uid)

    def orphans(self, names: Iterable[GangKey]) -> list[PodFact]:
        """The pods of members whose gang has one of these names, but is not in the cache."""
        return [pod for name in names for pod in self.counts.roster.others(name, self.gangs.uid(name))]


def _may_change_plan(before: GangFact, fact: GangFact) -> bool:
    return not fact.asks_the_same_as(before) or _may_change_size(before, fact)


def _may_change_size(before: GangFact, fact: GangFact) -> bool:
    """Whether the new fact may lead to another size of an elastic gang.

    It may if all members run now and did not before, or if the measured speeds at the gang's sizes have changed.
    """
    is_elastic = isinstance(fact, AcceptedGang) and fact.spec.elastic is not None
    has_started = before.status.started_at is None and fact.status.started_at is not None
    return is_elastic and (has_started or fact.status.measured_sizes != before.status.measured_sizes)
