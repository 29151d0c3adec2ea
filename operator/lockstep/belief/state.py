"""The cache: the newest fact of everything. What is assumed beyond the facts is in ``holding/assumptions.py``.

Nothing here awaits, reads a clock or calls the API server: watches call ``apply_…`` and ``remove_…``, the cycle reads.
Facts may arrive in any order and more than once; only the newest counts.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from coschedule import GangKey
from lockstep.api.names import GROUP_LABEL
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.api.versions import is_older
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.common.parse_failures import ParseFailures
from lockstep.belief.common.remembered import Remembered
from lockstep.belief.gangs.budgets import Budgets
from lockstep.belief.gangs.gang_uids import GangUids
from lockstep.belief.gangs.giving_way import GivingWay, evicted_for, shrunk_for
from lockstep.belief.gangs.paceable import pace_refusal
from lockstep.belief.gangs.phases import Phase, phase_of
from lockstep.belief.gangs.piece_reads import PieceReads
from lockstep.belief.gangs.priorities import Priorities
from lockstep.belief.gangs.quotas import Quotas
from lockstep.belief.gangs.templates import TemplateMemory
from lockstep.belief.holding.assumptions import Assumptions
from lockstep.belief.holding.holders import Holders
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.next_sizes import NextSizes
from lockstep.belief.holding.pods import CountedBy, Pods
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.belief.holding.seats import Seats
from lockstep.belief.holding.unowned_reservations import UnownedReservations
from lockstep.belief.nodes.bids import Bids
from lockstep.belief.nodes.failed_nodes import FailedNodes
from lockstep.belief.nodes.nodes import KnownNodes
from lockstep.belief.nodes.owners import NodeOwners
from lockstep.belief.nodes.rejections import Rejections
from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.belief.order.predecessors import Predecessors
from lockstep.belief.order.ring_refusal import ring_refusal
from lockstep.belief.podgangs.pod_gang_facts import PodGangFacts
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.belief.pods.namespaces import Namespaces
from lockstep.belief.pods.pod_effects import PodsNearby
from lockstep.belief.pods.roster import Roster
from lockstep.belief.queues.queued_gangs import QueuedGangs
from lockstep.belief.records.gang_records import GangRecords
from lockstep.belief.run_times.forecasts import Forecasts
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.belief.shares.held_attempts import HeldAttempts
from lockstep.belief.shares.pool_capacity import PoolCapacity
from lockstep.belief.shares.sharing import GroupSharing
from lockstep.belief.volumes.attachments import Attachments
from lockstep.belief.volumes.claim_problems import claim_refusal
from lockstep.belief.volumes.claiming_gangs import ClaimingGangs
from lockstep.belief.volumes.claims import Claims, ClaimsChange
from lockstep.facts.cluster.node import kind_of_node
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal, Verdict, oversize
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.source import Source
from lockstep.facts.past_runs import USUAL_QUANTILE
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.facts.sizing import Sizing
from lockstep.logs.fields import debug_about

log = logging.getLogger(__name__)


class State:
    """Everything known about the cluster. ``wake`` is called after each change that the cycle must read.

    Nodes outside the ``pool`` are kept too: their labels may change, and pods on them may have anti-affinity. Members
    wait for each other in a container of ``gate_image``, if set. Gangs are planned with the ``run_time_quantile`` of
    earlier runs of their template, unless it is 0.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        *,
        count_parse_failure: Callable[[str], None] = lambda _: None,
        pool: Pool = ALL_NODES,
        gate_image: str = "",
        sizing: Sizing = Sizing.BALANCED,
        run_time_quantile: float = USUAL_QUANTILE,
    ) -> None:
        self.changes = ChangedKeys(wake)
        self.pool = pool
        self.gate_image = gate_image
        # Pods of these sources belong to Gangs; set before anything is read.
        self.sources = frozenset[Source]()
        self.parse_failures = ParseFailures(count_parse_failure)
        self.generation = 0
        self.ledger = Ledger()
        self.nodes = KnownNodes(self._plan_anew, applied=self._node_applied, removed=self._node_removed)
        self.bids = Bids(self.nodes, self.changes, self.nodes.record_change)
        self.owners = NodeOwners(self.bids, returned=self._owners_returned, changed=self.nodes.record_change)
        self.gangs: dict[GangKey, GangFact] = {}
        self.claiming = ClaimingGangs()
        self.holders = Holders(self.gangs, self.ledger, touched=self._users_changed)
        self.reservations = self.holders.reservations
        self.next_sizes = NextSizes(self.ledger)
        self.roster = Roster()
        self.pods_nearby = PodsNearby(self._pods_and_coming_members, users_changed=self._users_changed)
        self.pod_gangs = PodGangs(self.changes.reconcile, pool, self.nodes, self._plan_anew)
        self.pod_gang_facts = PodGangFacts(
            self.pod_gangs,
            self.gangs,
            composed=self._pod_gang_composed,
            removed=self.remove_gang,
            reconcile=self.changes.reconcile,
            plan_anew=self._plan_anew,
        )
        self.queued = QueuedGangs(
            self.pod_gangs.workloads.our_checks,
            changed=self._queued_anew,
            reconcile=self.changes.reconcile,
        )
        self.seats = Seats(self.pod_gangs, self.ledger)
        self.predecessors = Predecessors(self.gangs, self.pod_gangs, self.changes.reconcile)
        counted = CountedBy(
            ledger=self.ledger,
            roster=self.roster,
            holders=self.holders,
            pods_nearby=self.pods_nearby,
            pod_gangs=self.pod_gangs,
        )
        self.pods = Pods(counted, reconcile=self.changes.reconcile, released=self._pod_released, changed=self._changed)
        self.priorities = Priorities(self._priorities_changed, sizing)
        self.budgets = Budgets(self._plan_anew)
        self.quotas = Quotas(self._plan_anew)
        self.gang_uids = GangUids()
        self.preempted_gangs = GivingWay(self._plan_anew, evicted_for, self.gang_uids)
        self.shrunk_gangs = GivingWay(self._plan_anew, shrunk_for, self.gang_uids)
        giving_way = (self.preempted_gangs, self.shrunk_gangs)
        self.assumptions = Assumptions(
            counted, self.pods, self.next_sizes, giving_way, counted=self._counted, changed=self._changed
        )
        self.remembered = Remembered(self._is_there)
        self.claims = Claims(self._claims_changed, nodes=self.nodes.index, remembered=self.remembered)
        self.failed_nodes = FailedNodes(self._plan_anew)
        self.rejections = Rejections(self._rejection_lifted)
        self.namespaces = Namespaces(self._plan_anew)
        self.attachments = Attachments(self.claims, self.pods_nearby, self.holders.claims, self._room_changed)
        self.templates = TemplateMemory()
        self.forecasts = Forecasts()
        self.past_runs = PastRuns(self._plan_anew, run_time_quantile)
        self.sweeps = self.predecessors.sweeps
        capacity = PoolCapacity(self.nodes, pool)
        attempts = HeldAttempts(capacity, self.gangs, self.reservations, self.pod_gangs)
        self.shares = GroupSharing(
            capacity, self.nodes, self.gangs, attempts, self.preempted_gangs.preemptor_of, changed=self._plan_anew
        )
        # Whether the FairShare counts; set before anything is read.
        self.has_shares = False
        self.pieces = PieceReads(self.changes.reconcile)
        self.records = GangRecords(self._kind_of_node, self._group_of_namespace, self.reservations.get)
        self._unowned = UnownedReservations()

    # Leadership

    def stand_by(self) -> None:
        """Another process is the leader: only statuses count as reservations, and changes are not kept."""
        self.assumptions.leads = False
        self.changes.stand_by()

    def lead(self) -> None:
        """The process is the leader from now on. As after a restart, everything is reconciled."""
        self.assumptions.leads = True
        self.changes.follow()
        self.changes.reconcile(*self.gangs, *self.roster.names(), *self.pod_gangs.names())
        self.bids.request_answers()
        self._changed(needs_plan=True)

    # Time

    def advance_to(self, now: float) -> None:
        """Drop what has expired at ``now``, and apply what waited for that time."""
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
            # At once: if pods of the next owner are there before the next cycle, no cycle sees the Gang without pods.
            self.pod_gangs.forget_check(known.group.gang)

    # Facts about gangs

    def apply_gang(self, fact: GangFact) -> None:
        """Add or update a gang; a version older than the cached one changes nothing."""
        before = self.gangs.get(fact.key)
        if before is not None and before.uid == fact.uid and is_older(fact.resource_version, before.resource_version):
            return
        if before is not None and before.uid != fact.uid:
            self.remove_gang(before.key, before.uid)
            before = None
        if before is None:
            debug_about(log, fact.key, "it is seen for the first time, with UID %s", fact.uid)
        if not is_pod_gang(fact.key):
            fact = self.templates.as_admitted(self.queued.as_queued(fact))
        self._believe(fact)
        self.sweeps.gang_applied(fact)
        if self.assumptions.leads:
            self._unowned.compare(before, fact, self.reservations.get(fact.key))
        else:
            self._forget_released(fact)
        self.gang_uids.learn(fact)
        self.preempted_gangs.read_status(fact)
        self.shrunk_gangs.read_status(fact)
        self.forecasts.learn(fact)
        self.assumptions.hold_what_is_reserved(fact)
        self.records.gang_applied(before, fact)
        self.shares.gang_applied(fact)
        self.changes.reconcile(fact.key)
        self._changed(needs_plan=before is None or not fact.asks_the_same_as(before) or _may_change_size(before, fact))

    def remove_gang(self, key: GangKey, uid: str) -> None:
        """Remove a gang. Its pods may still exist: see :meth:`orphans`."""
        known = self.gangs.get(key)
        if known is None or known.uid != uid:
            return
        del self.gangs[key]
        self.records.gang_removed(known)
        self.sweeps.gang_removed(known)
        self.claiming.leave(key)
        self.predecessors.leave(key)
        debug_about(log, key, "it is gone")
        self._unowned.forget(key)
        self.gang_uids.forget(key)
        self.preempted_gangs.forget(key)
        self.shrunk_gangs.forget(key)
        self.assumptions.let_go(known)
        self.next_sizes.forget(key)
        self.roster.forget_departed(uid)
        self.templates.forget(uid)
        self.queued.forget(key)
        self.failed_nodes.forget(uid)
        self.rejections.forget(uid)
        self.remembered.forget(uid)
        self.changes.reconcile(key)
        self._changed(needs_plan=True)

    def apply_verdict(self, gang: GangFact, verdict: Verdict) -> bool:
        """Record admission's verdict on the gang's members. Returns whether that changes its planning."""
        known = self.gangs.get(gang.key)
        if known is None or known.uid != gang.uid:
            return False
        self.templates.learn(known, verdict)
        admitted = self.templates.as_admitted(known)
        if admitted == known:
            return False
        self._believe(admitted)
        self.changes.reconcile(gang.key)
        self._changed(needs_plan=True)
        return True

    # Questions

    def as_written(self, gang: GangKey) -> GangFact | None:
        """The gang of that name without what its queue makes of it."""
        return self.queued.written(gang) or self.gangs.get(gang)

    def refusal_of(self, gang: GangFact) -> Refusal | None:
        """Why the gang can't be planned: by its own spec, or by objects that the spec names."""
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
        """The phase of the gang; the caller knows whether it rests."""
        is_reserved = gang.key in self.reservations or reserved_in_status(gang) is not None
        return phase_of(gang, is_reserved=is_reserved, refusal=self.refusal_of(gang), is_resting=is_resting)

    def has_unowned_reservation(self, gang: GangFact) -> bool:
        """Whether the status says that the gang holds nodes though this process has not reserved them."""
        return gang.key in self._unowned

    def members(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The existing pods of all the gang's attempts."""
        return self.roster.members(gang.uid)

    def pods_of(self, reservation: Reservation) -> Iterator[PodFact]:
        """The existing pods of its members, from the lowest rank on."""
        members = self.roster.members(reservation.gang_uid)
        return (members[key] for key in reservation.pod_keys() if key in members)

    def departed(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The pods of the current attempt that were seen and are gone, as they were last seen.

        Forgotten with the reservation, so there are never more of them than members.
        """
        return self.roster.departed(gang.uid)

    def pods_nearby_now(self) -> PodsNearby:
        """What pods mean for others, including members that are about to be bound."""
        self.holders.coming.renew(self.pods_nearby)
        return self.pods_nearby

    def orphans(self, names: Iterable[GangKey]) -> list[PodFact]:
        """The members of gangs of these names that are not in the cache."""
        return [pod for name in names for pod in self.roster.others(name, self._uid(name))]

    def _pod_gang_composed(self, gang: GangFact) -> None:
        self.apply_gang(gang)
        self._hold_what_pods_request(gang)

    def _hold_what_pods_request(self, gang: GangFact) -> None:
        """Hold a Gang's seats with what its pods request: in a new process pods may come after their Gang."""
        held, reserved = self.reservations.get(gang.key), reserved_in_status(gang)
        if held is None or reserved is None:
            return
        if not gang.status.is_being_undone:
            # While no pod waits, as before the pods of a sized Job come, its seats still need what they needed.
            reserved = reserved.with_known_requests(held)
        if held.requests != reserved.requests:
            self.assumptions.forget(gang.key)
            self.assumptions.hold(reserved)
            self.seats.take(reserved)

    def _queued_anew(self, written: GangFact) -> None:
        """Apply a gang as Kueue now lets it run. Other nodes are another template, which admission sees anew."""
        before = self.gangs.get(written.key)
        if before is not None and before.policies.is_suspended:
            self.templates.forget(written.uid)
        self.apply_gang(written)

    def _counted(self) -> None:
        self.generation += 1

    def _plan_anew(self) -> None:
        self._changed(needs_plan=True)

    def _changed(self, *, needs_plan: bool) -> None:
        self.generation += 1
        self.changes.changed(needs_plan=needs_plan)

    def _node_applied(self, node: str) -> None:
        self.bids.node_changed(node)
        self.rejections.record_changed(node, Suiting([self.nodes[node]], self.pool), self.gangs)

    def _node_removed(self, node: str) -> None:
        self.ledger.drop_row(node)
        self.bids.node_changed(node)
        self.rejections.record_removed(node)

    def _pod_released(self, pod: PodFact) -> None:
        self.rejections.record_gone(pod.node, "" if pod.member is None else pod.member.gang_uid)

    def _rejection_lifted(self, gang: GangKey) -> None:
        self.changes.reconcile(gang)
        self._changed(needs_plan=True)

    def _forget_released(self, fact: GangFact) -> None:
        if fact.key in self.reservations and self.reservations[fact.key] != reserved_in_status(fact):
            self.assumptions.forget(fact.key)

    def _claims_changed(self, change: ClaimsChange) -> None:
        self.attachments.claims_changed(change)
        self.changes.reconcile(*self.claiming.concerned(change.claims))
        self._room_changed()

    def _users_changed(self, *nodes: str) -> None:
        self.attachments.touch(*nodes)

    def _room_changed(self) -> None:
        self._changed(needs_plan=bool(self.claiming))

    def _owners_returned(self, nodes: set[str]) -> None:
        holding = [key for key, one in self.reservations.items() if any(entry.node in nodes for entry in one.members)]
        self.changes.reconcile(*holding, *self.pod_gangs.on_nodes(nodes))

    def _priorities_changed(self) -> None:
        self.changes.reconcile(*self.gangs)
        self._changed(needs_plan=True)

    def _believe(self, gang: GangFact) -> None:
        self.gangs[gang.key] = gang
        self.claiming.enter(gang)
        self.predecessors.enter(gang)
        self.holders.gang_changed(gang.key)

    def _pods_and_coming_members(self) -> Iterable[PodFact]:
        return chain(self.pods.values(), self.holders.coming.all())

    def _kind_of_node(self, name: str) -> str:
        return kind_of_node(self.nodes.get(name))

    def _group_of_namespace(self, name: str) -> str:
        """The group of the FairShare, so that the record counts as shares do; without one, that of a label."""
        if self.shares.named:
            return self.shares.group_of(name)
        return self.namespaces.get(name, {}).get(GROUP_LABEL, "")

    def _is_there(self, gang: GangFact) -> bool:
        known = self.gangs.get(gang.key)
        return known is not None and known.uid == gang.uid

    def _uid(self, name: GangKey) -> str | None:
        gang = self.gangs.get(name)
        return None if gang is None else gang.uid


def _may_change_size(before: GangFact, fact: GangFact) -> bool:
    """Whether its size may change since all members run for the first time, or since its speed is known at a size."""
    is_elastic = isinstance(fact, AcceptedGang) and fact.spec.elastic is not None
    has_started = before.status.started_at is None and fact.status.started_at is not None
    return is_elastic and (has_started or fact.status.measured_sizes != before.status.measured_sizes)
