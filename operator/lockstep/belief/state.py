"""The cache: the newest fact of everything. What is assumed beyond the facts is in ``holding/assumptions.py``.

Nothing here awaits, reads a clock or calls the API server: watches call ``apply_…`` and ``remove_…``, the cycle reads.
Facts may arrive in any order and more than once; only the newest counts.
"""

import logging
from collections.abc import Callable, Iterable, Iterator

from coschedule import GangKey
from lockstep.api.names import GROUP_LABEL
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.api.versions import is_older
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.common.parse_failures import ParseFailures
from lockstep.belief.common.remembered import Remembered
from lockstep.belief.gangs.budgets import Budgets
from lockstep.belief.gangs.giving_way import GivingWay
from lockstep.belief.gangs.known_gangs import KnownGangs
from lockstep.belief.gangs.paceable import pace_refusal
from lockstep.belief.gangs.phases import Phase, phase_of
from lockstep.belief.gangs.piece_reads import PieceReads
from lockstep.belief.gangs.priorities import Priorities
from lockstep.belief.gangs.quotas import Quotas
from lockstep.belief.gangs.templates import TemplateMemory
from lockstep.belief.holding.assumptions import Assumptions
from lockstep.belief.holding.counts import Counts
from lockstep.belief.holding.holders import Holders
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.pods import Pods
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
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
        self.pool = pool
        self.gate_image = gate_image
        # Set before anything is read: pods of these sources belong to Gangs, and whether the FairShare counts.
        self.sources = frozenset[Source]()
        self.has_shares = False
        self.changes = ChangedKeys(wake)
        self.parse_failures = ParseFailures(count_parse_failure)
        # Each part may use the parts before it.
        self._add_nodes()
        self._add_gangs(sizing)
        self._add_runs(run_time_quantile)
        self._add_pod_gangs()
        self._add_pods()
        self._add_what_gangs_share()

    # Parts

    def _add_nodes(self) -> None:
        """Nodes, what their owners offer, and which nodes have failed or rejected pods."""
        self.nodes = KnownNodes(self.changes.change_plan, applied=self._node_applied, removed=self._node_removed)
        self.bids = Bids(self.nodes, self.changes, self.nodes.record_change)
        self.owners = NodeOwners(self.bids, returned=self._owners_returned, changed=self.nodes.record_change)
        self.failed_nodes = FailedNodes(self.changes.change_plan)
        self.rejections = Rejections(self._rejection_lifted)

    def _add_gangs(self, sizing: Sizing) -> None:
        """Gangs, the nodes that are reserved for them, and which gangs are more urgent than others."""
        self.gangs = KnownGangs()
        self.reservations = dict[GangKey, Reservation]()
        self.templates = TemplateMemory()
        self.priorities = Priorities(self._priorities_changed, sizing)
        self.giving_way = GivingWay(self.changes.change_plan)
        self.remembered = Remembered(self.gangs.is_there)

    def _add_runs(self, run_time_quantile: float) -> None:
        """How long gangs run, how far they are, and what is recorded of them."""
        self.forecasts = Forecasts()
        self.past_runs = PastRuns(self.changes.change_plan, run_time_quantile)
        self.pieces = PieceReads(self.changes.reconcile)
        self.records = GangRecords(self.nodes.kind_of, self._group_of_namespace, self.reservations.get)

    def _add_pod_gangs(self) -> None:
        """Gangs of pods that others create, gangs in queues of Kueue, and gangs that wait for others."""
        self.pod_gangs = PodGangs(self.changes.reconcile, self.pool, self.nodes, self.changes.change_plan)
        self.pod_gang_facts = PodGangFacts(
            self.pod_gangs, self.gangs, self.changes, composed=self._pod_gang_composed, removed=self.remove_gang
        )
        our_checks = self.pod_gangs.workloads.our_checks
        self.queued = QueuedGangs(our_checks, changed=self._queued_anew, changes=self.changes)
        self.predecessors = Predecessors(self.gangs, self.pod_gangs, self.changes.reconcile)
        self.sweeps = self.predecessors.sweeps

    def _add_pods(self) -> None:
        """Pods, what is taken on each node, and what is assumed before watches show it."""
        self.ledger = Ledger()
        holders = Holders(self.gangs, self.reservations, self.ledger, touched=self._users_changed)
        self.counts = Counts(self.ledger, holders, self.pod_gangs, self._known_pods, self._users_changed)
        self.pods = Pods(self.counts, self.changes, released=self._pod_released)
        self.assumptions = Assumptions(self.counts, self.pods, self.giving_way, self.changes)

    def _add_what_gangs_share(self) -> None:
        """Budgets, quotas, volumes, and the fair shares of groups."""
        self.budgets = Budgets(self.changes.change_plan)
        self.quotas = Quotas(self.changes.change_plan)
        self.namespaces = Namespaces(self.changes.change_plan)
        self.claiming = ClaimingGangs(self.changes)
        self.claims = Claims(self._claims_changed, nodes=self.nodes.index, remembered=self.remembered)
        users, room_changed = self.counts.holders.claims, self.claiming.room_changed
        self.attachments = Attachments(self.claims, self.counts.pods_nearby, users, room_changed)
        attempts = HeldAttempts(PoolCapacity(self.nodes, self.pool), self.gangs, self.reservations, self.pod_gangs)
        preemptor_of = self.giving_way.evicted.preemptor_of
        self.shares = GroupSharing(self.nodes, self.gangs, attempts, preemptor_of, changed=self.changes.change_plan)

    # Leadership

    def stand_by(self) -> None:
        """Another process is the leader: only statuses count as reservations, and changes are not kept."""
        self.assumptions.leads = False
        self.changes.stand_by()

    def lead(self) -> None:
        """The process is the leader from now on. As after a restart, everything is reconciled."""
        self.assumptions.leads = True
        self.changes.follow()
        self.changes.reconcile(*self.gangs, *self.counts.roster.names(), *self.pod_gangs.names())
        self.bids.request_answers()
        self.changes.change_plan()

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
            debug_about(log, fact.key, "the gang is new, with UID %s", fact.uid)
        if not is_pod_gang(fact.key):
            fact = self.templates.as_admitted(self.queued.as_queued(fact))
        self._enter(fact)
        self.sweeps.gang_applied(fact)
        self.giving_way.read_status(fact)
        self.forecasts.learn(fact)
        self.assumptions.read_status(before, fact)
        self.records.gang_applied(before, fact)
        self.shares.gang_applied(fact)
        self.changes.reconcile(fact.key)
        self.changes.changed(needs_plan=before is None or _may_change_plan(before, fact))

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
        debug_about(log, key, "the gang was deleted")
        self.giving_way.forget(key)
        self.assumptions.remove_gang(known)
        self.templates.forget(uid)
        self.queued.forget(key)
        self.failed_nodes.forget(uid)
        self.rejections.forget(uid)
        self.remembered.forget(uid)
        self.changes.reconcile(key)
        self.changes.change_plan()

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
        self.changes.change_plan()
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

    def members(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The existing pods of all the gang's attempts."""
        return self.counts.roster.members(gang.uid)

    def pods_of(self, reservation: Reservation) -> Iterator[PodFact]:
        """The existing pods of its members, from the lowest rank on."""
        members = self.counts.roster.members(reservation.gang_uid)
        return (members[key] for key in reservation.pod_keys() if key in members)

    def departed(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The pods of the current attempt that were seen and are gone, as they were last seen.

        Forgotten with the reservation, so there are never more of them than members.
        """
        return self.counts.roster.departed(gang.uid)

    def orphans(self, names: Iterable[GangKey]) -> list[PodFact]:
        """The members of gangs of these names that are not in the cache."""
        return [pod for name in names for pod in self.counts.roster.others(name, self.gangs.uid(name))]

    def _pod_gang_composed(self, gang: GangFact) -> None:
        self.apply_gang(gang)
        self.assumptions.hold_what_pods_request(gang)

    def _queued_anew(self, written: GangFact) -> None:
        """Apply a gang as Kueue now lets it run. Other nodes are another template, which admission sees anew."""
        before = self.gangs.get(written.key)
        if before is not None and before.policies.is_suspended:
            self.templates.forget(written.uid)
        self.apply_gang(written)

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
        self.changes.change_plan()

    def _claims_changed(self, change: ClaimsChange) -> None:
        self.attachments.claims_changed(change)
        self.claiming.claims_changed(change.claims)

    def _users_changed(self, *nodes: str) -> None:
        self.attachments.touch(*nodes)

    def _owners_returned(self, nodes: set[str]) -> None:
        holding = [key for key, one in self.reservations.items() if any(entry.node in nodes for entry in one.members)]
        self.changes.reconcile(*holding, *self.pod_gangs.on_nodes(nodes))

    def _priorities_changed(self) -> None:
        self.changes.reconcile(*self.gangs)
        self.changes.change_plan()

    def _known_pods(self) -> Iterable[PodFact]:
        return self.pods.values()

    def _enter(self, gang: GangFact) -> None:
        self.gangs[gang.key] = gang
        self.claiming.enter(gang)
        self.predecessors.enter(gang)
        self.counts.holders.gang_changed(gang.key)

    def _group_of_namespace(self, name: str) -> str:
        """The group of the FairShare, so that the record counts as shares do; without one, that of a label."""
        if self.shares.named:
            return self.shares.group_of(name)
        return self.namespaces.get(name, {}).get(GROUP_LABEL, "")


def _may_change_plan(before: GangFact, fact: GangFact) -> bool:
    return not fact.asks_the_same_as(before) or _may_change_size(before, fact)


def _may_change_size(before: GangFact, fact: GangFact) -> bool:
    """Whether its size may change since all members run for the first time, or since its speed is known at a size."""
    is_elastic = isinstance(fact, AcceptedGang) and fact.spec.elastic is not None
    has_started = before.status.started_at is None and fact.status.started_at is not None
    return is_elastic and (has_started or fact.status.measured_sizes != before.status.measured_sizes)
