"""The parts of the cache, and how a change in one part reaches the others.

``state.py`` adds facts to the cache, removes facts, and answers the questions of the cycle.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from coschedule import GangKey
from lockstep.api.names import GROUP_LABEL
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.common.parse_failures import ParseFailures
from lockstep.belief.common.remembered import Remembered
from lockstep.belief.gangs.budgets import Budgets
from lockstep.belief.gangs.giving_way import GivingWay
from lockstep.belief.gangs.known_gangs import KnownGangs
from lockstep.belief.gangs.piece_reads import PieceReads
from lockstep.belief.gangs.priorities import Priorities
from lockstep.belief.gangs.quotas import Quotas
from lockstep.belief.gangs.templates import TemplateMemory
from lockstep.belief.holding.assumptions import Assumptions
from lockstep.belief.holding.counts import Counts
from lockstep.belief.holding.holders import Holders
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.pods import Pods
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.nodes.bids import Bids
from lockstep.belief.nodes.failed_nodes import FailedNodes
from lockstep.belief.nodes.nodes import KnownNodes
from lockstep.belief.nodes.owners import NodeOwners
from lockstep.belief.nodes.rejections import Rejections
from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.belief.order.predecessors import Predecessors
from lockstep.belief.podgangs.pod_gang_facts import PodGangFacts
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.belief.pods.namespaces import Namespaces
from lockstep.belief.queues.queued_gangs import QueuedGangs
from lockstep.belief.records.gang_records import GangRecords
from lockstep.belief.run_times.change_times import ChangeTimes
from lockstep.belief.run_times.forecasts import Forecasts
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.belief.shares.held_attempts import HeldAttempts
from lockstep.belief.shares.pool_capacity import PoolCapacity
from lockstep.belief.shares.sharing import GroupSharing
from lockstep.belief.volumes.attachments import Attachments
from lockstep.belief.volumes.claiming_gangs import ClaimingGangs
from lockstep.belief.volumes.claims import Claims, ClaimsChange
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.source import Source
from lockstep.facts.past_runs import USUAL_QUANTILE
from lockstep.facts.pods.pod import PodFact
from lockstep.facts.sizing import Sizing


class CacheParts(ABC):
    """Makes each part, with the parts that it uses. ``wake`` is called after each change that the cycle must read.

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
        # ``sources`` and ``has_shares`` are set before any object is read. Pods of these sources belong to Gangs.
        self.sources = frozenset[Source]()
        self.has_shares = False
        """Whether the FairShare counts."""
        self.changes = ChangedKeys(wake)
        self.parse_failures = ParseFailures(count_parse_failure)
        # Each part may use the parts before it.
        self._add_nodes()
        self._add_gangs(sizing)
        self._add_runs(run_time_quantile)
        self._add_pod_gangs()
        self._add_pods()
        self._add_what_gangs_share()

    def _add_nodes(self) -> None:
        """Nodes, what their owners offer, and which nodes have failed or rejected pods."""
        self.nodes = KnownNodes(
            self.changes.record_change_for_plan, applied=self._node_applied, removed=self._node_removed
        )
        self.bids = Bids(self.nodes, self.changes, self.nodes.record_change)
        self.owners = NodeOwners(self.bids, returned=self._owners_returned, changed=self.nodes.record_change)
        self.failed_nodes = FailedNodes(self.changes.record_change_for_plan)
        self.rejections = Rejections(self._rejection_lifted)

    def _add_gangs(self, sizing: Sizing) -> None:
        """Gangs, the nodes that are reserved for them, and which gangs are more urgent than others."""
        self.gangs = KnownGangs()
        self.reservations = dict[GangKey, Reservation]()
        self.templates = TemplateMemory()
        self.priorities = Priorities(self._priorities_changed, sizing)
        self.giving_way = GivingWay(self.changes.record_change_for_plan)
        self.remembered = Remembered(self.gangs.is_there)

    def _add_runs(self, run_time_quantile: float) -> None:
        """How long gangs run, how far they are, and what is recorded of them."""
        self.forecasts = Forecasts()
        self.change_times = ChangeTimes()
        self.past_runs = PastRuns(self.changes.record_change_for_plan, run_time_quantile)
        self.pieces = PieceReads(self.changes.reconcile)
        self.records = GangRecords(self.nodes.kind_of, self._group_of_namespace, self.reservations.get)

    def _add_pod_gangs(self) -> None:
        """Gangs of pods that others create, gangs in queues of Kueue, and gangs that wait for others."""
        self.pod_gangs = PodGangs(self.changes.reconcile, self.pool, self.nodes, self.changes.record_change_for_plan)
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
        self.budgets = Budgets(self.changes.record_change_for_plan)
        self.quotas = Quotas(self.changes.record_change_for_plan)
        self.namespaces = Namespaces(self.changes.record_change_for_plan)
        self.claiming = ClaimingGangs(self.changes)
        self.claims = Claims(self._claims_changed, nodes=self.nodes.index, remembered=self.remembered)
        users, room_changed = self.counts.holders.claims, self.claiming.room_changed
        self.attachments = Attachments(self.claims, self.counts.pods_nearby, users, room_changed)
        attempts = HeldAttempts(PoolCapacity(self.nodes, self.pool), self.gangs, self.reservations, self.pod_gangs)
        preemptor_of = self.giving_way.evicted.preemptor_of
        self.shares = GroupSharing(
            self.nodes, self.gangs, attempts, preemptor_of, changed=self.changes.record_change_for_plan
        )

    # Gangs enter and leave all parts at once.

    @abstractmethod
    def apply_gang(self, fact: GangFact) -> None:
        """Add or update a gang."""

    @abstractmethod
    def remove_gang(self, key: GangKey, uid: str) -> None:
        """Remove a gang."""

    # Changes in one part that concern others

    def _pod_gang_composed(self, gang: GangFact) -> None:
        self.apply_gang(gang)
        self.assumptions.hold_what_pods_request(gang)

    def _queued_anew(self, written: GangFact) -> None:
        """Apply a gang in the form in which Kueue now lets it run.

        If the gang was suspended, Kueue may have chosen other nodes. Its template may differ, so admission checks it
        anew.
        """
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
        self.changes.record_change_for_plan()

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
        self.changes.record_change_for_plan()

    def _known_pods(self) -> Iterable[PodFact]:
        return self.pods.values()

    def _group_of_namespace(self, name: str) -> str:
        """The group of a namespace in records: by the FairShare, as in accounts, or else by the namespace's label."""
        if self.shares.named:
            return self.shares.group_of(name)
        return self.namespaces.get(name, {}).get(GROUP_LABEL, "")
