"""The cache: the newest fact of everything, and what is assumed beyond the facts.

Life of a reservation here::

    hold ──► every member: assumed ──a watch shows it bound──► confirmed ──it ends, or is gone──► released
      │                       │
      │                       ╰── it ends, or is gone, before that ──► released
      ╰── forget: the attempt is over, and whatever is still assumed is no longer counted

A caller of ``hold`` must call ``forget`` on every path; a confirmed member counts until its pod ends or is gone.
Nothing here awaits, reads a clock or calls the API server: watches call ``apply_…`` and ``remove_…``, the cycle reads.
Facts may arrive in any order and more than once; only the newest counts.
"""

import logging
from collections.abc import Callable, Iterable
from itertools import chain

from coschedule import GangKey
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.api.versions import is_older
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.common.parse_failures import ParseFailures
from lockstep.belief.common.remembered import Remembered
from lockstep.belief.gangs.budgets import Budgets
from lockstep.belief.gangs.phases import Phase, phase_of
from lockstep.belief.gangs.preempted_gangs import PreemptedGangs
from lockstep.belief.gangs.priorities import Priorities
from lockstep.belief.gangs.quotas import Quotas
from lockstep.belief.gangs.templates import TemplateMemory
from lockstep.belief.holding.holders import Holders
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.leftovers import Leftover, Leftovers
from lockstep.belief.holding.next_sizes import NextSizes
from lockstep.belief.holding.pods import CountedBy, Pods
from lockstep.belief.holding.reservation import Reservation, next_in_status, reserved_in_status
from lockstep.belief.holding.unowned_reservations import UnownedReservations
from lockstep.belief.nodes.bids import Bids
from lockstep.belief.nodes.failed_nodes import FailedNodes
from lockstep.belief.nodes.nodes import KnownNodes
from lockstep.belief.nodes.owners import NodeOwners
from lockstep.belief.nodes.rejections import Rejections
from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.belief.pods.namespaces import Namespaces
from lockstep.belief.pods.pod_effects import PodsNearby
from lockstep.belief.pods.roster import Roster
from lockstep.belief.run_times.forecasts import Forecasts
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.belief.volumes.attachments import Attachments
from lockstep.belief.volumes.claim_problems import claim_refusal
from lockstep.belief.volumes.claiming_gangs import ClaimingGangs
from lockstep.belief.volumes.claims import Claims, ClaimsChange
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal, Verdict, oversize
from lockstep.facts.past_runs import USUAL_QUANTILE
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.facts.ranks import has_rank
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
        self.leftovers = Leftovers(self.ledger)
        self.roster = Roster()
        self.pods_nearby = PodsNearby(self._pods_and_coming_members, users_changed=self._users_changed)
        counted = CountedBy(ledger=self.ledger, roster=self.roster, holders=self.holders, pods_nearby=self.pods_nearby)
        self.pods = Pods(counted, reconcile=self.changes.reconcile, released=self._pod_released, changed=self._changed)
        self.priorities = Priorities(self._priorities_changed, sizing)
        self.budgets = Budgets(self._plan_anew)
        self.quotas = Quotas(self._plan_anew)
        self.preempted_gangs = PreemptedGangs(self._plan_anew)
        self.remembered = Remembered(self._is_there)
        self.claims = Claims(self._claims_changed, nodes=self.nodes.index, remembered=self.remembered)
        self.failed_nodes = FailedNodes(self._plan_anew)
        self.rejections = Rejections(self._rejection_lifted)
        self.namespaces = Namespaces(self._plan_anew)
        self.attachments = Attachments(self.claims, self.pods_nearby, self.holders.claims, self._room_changed)
        self.templates = TemplateMemory()
        self.forecasts = Forecasts()
        self.past_runs = PastRuns(self._plan_anew, run_time_quantile)
        self._unowned = UnownedReservations()
        self._leads = True

    # Leadership

    def stand_by(self) -> None:
        """Another process is the leader: only statuses count as reservations, and changes are not kept."""
        self._leads = False
        self.changes.stand_by()

    def lead(self) -> None:
        """The process is the leader from now on. As after a restart, everything is reconciled."""
        self._leads = True
        self.changes.follow()
        self.changes.reconcile(*self.gangs, *self.roster.names())
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

    # Facts about pods

    def apply_pod(self, fact: PodFact) -> None:
        """Add or update a pod."""
        self.pods.apply(fact)

    def remove_pod(self, key: PodKey, uid: str) -> None:
        """Remove a pod, unless another one has its name."""
        self.pods.remove(key, uid)

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
        fact = self.templates.as_admitted(fact)
        self._believe(fact)
        if self._leads:
            self._unowned.compare(before, fact, self.reservations.get(fact.key))
        else:
            self._forget_released(fact)
        self.preempted_gangs.read_status(fact)
        self.forecasts.learn(fact)
        self.hold_what_is_reserved(fact)
        self.changes.reconcile(fact.key)
        self._changed(needs_plan=before is None or not fact.asks_the_same_as(before) or _may_change_size(before, fact))

    def remove_gang(self, key: GangKey, uid: str) -> None:
        """Remove a gang. Its pods may still exist: see :meth:`orphans`."""
        known = self.gangs.get(key)
        if known is None or known.uid != uid:
            return
        del self.gangs[key]
        self.claiming.leave(key)
        debug_about(log, key, "it is gone")
        self._unowned.forget(key)
        self.preempted_gangs.forget(key)
        self.let_go(known)
        self.next_sizes.forget(key)
        self.roster.forget_departed(uid)
        self.templates.forget(uid)
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

    # Assumptions

    def hold(self, reservation: Reservation) -> None:
        """Count an attempt's members on their nodes from now on, except ended ones, whether their pods exist or not."""
        departed = self.roster.departed(reservation.gang_uid)
        self.next_sizes.forget(reservation.gang)
        self.holders.enter(reservation, is_seen=lambda pod: pod in self.pods or pod in departed)
        requests = reservation.requests_by_rank()
        ranks = zip(reservation.pod_keys(), reservation.memberships(), reservation.nodes_by_rank(), strict=True)
        for (pod, member, node), request in zip(ranks, requests, strict=True):
            known = self.pods.get(pod)
            if has_rank(reservation.succeeded_ranks, member.rank):
                continue
            if known is None or known.member != member or not known.has_ended:
                self.ledger.assume(member, node, request)
        self.generation += 1

    def _change_members(self, gang: GangFact, before: Reservation, after: Reservation) -> None:
        """Members of the same attempt have come or gone, or are to come: hold what the status says now.

        Members that leave count while their pods exist. Those that no watch has shown count until the API server was
        asked for them.
        """
        self.next_sizes.forget(after.gang)
        self.roster.forget_departed(after.gang_uid, keep={*before.pod_keys()} & {*after.pod_keys()})
        departed = self.roster.departed(after.gang_uid)
        self.holders.enter(after, is_seen=lambda pod: pod in self.pods or pod in departed)
        places = zip(after.memberships(), after.nodes_by_rank(), after.requests_by_rank(), strict=True)
        for member, node, request in places:
            if not before.has_rank(member.rank):
                self.ledger.assume(member, node, request)
        if self._leads:
            self.leftovers.add(Leftover(gang, before))
        else:
            self._stop_counting(before, keep=after)
        self._changed(needs_plan=True)

    def keep_room(self, following: Reservation) -> None:
        """Count the next size of a gang on its nodes from now on, beside the members that are being ended."""
        self.next_sizes.decide(following)
        self._changed(needs_plan=True)

    def forget(self, gang: GangKey) -> None:
        """End a reservation of which no member exists: those that no watch has confirmed are no longer counted."""
        reservation = self._leave(gang)
        if reservation is not None:
            self._stop_counting(reservation)

    def let_go(self, gang: GangFact) -> None:
        """End a reservation of which members may exist: they count until the API server was asked for them.

        A process that does not lead decides nothing and asks for nothing.
        """
        reservation = self._leave(gang.key)
        if reservation is None:
            return
        if self._leads:
            self.leftovers.add(Leftover(gang, reservation))
            self._changed(needs_plan=True)
        else:
            self._stop_counting(reservation)

    def settle(self, one: Leftover) -> None:
        """Stop counting what is left of an attempt, once the cache has all of its members that exist."""
        self._stop_counting(one.reservation, keep=self.reservations.get(one.gang.key))

    def _leave(self, gang: GangKey) -> Reservation | None:
        self.preempted_gangs.finalize(gang)
        self.next_sizes.forget_decided(gang)
        reservation = self.holders.leave(gang)
        if reservation is not None:
            self.roster.forget_departed(reservation.gang_uid)
        return reservation

    def _stop_counting(self, reservation: Reservation, keep: Reservation | None = None) -> None:
        """Stop counting its members that are only assumed, except those that it has in common with another one."""
        for member in reservation.memberships():
            if keep is None or not keep.is_for(member):
                self.ledger.forget(member)
        self._changed(needs_plan=True)

    def hold_what_is_reserved(self, gang: GangFact) -> None:
        """Hold what the status says is reserved or comes next; after a restart it is not held yet."""
        if gang.status.end is not None:
            self.let_go(gang)
            self.next_sizes.forget(gang.key)
            return
        reservation = reserved_in_status(gang)
        held = self.reservations.get(gang.key)
        if reservation is not None and held is None:
            self.hold(reservation)
        elif reservation is not None and held is not None and _has_other_members(held, reservation):
            self._change_members(gang, held, reservation)
        held = self.reservations.get(gang.key)
        if held is None or held.attempt == gang.status.attempt:
            self.next_sizes.read_status(gang.key, next_in_status(gang))

    # Questions

    def refusal_of(self, gang: GangFact) -> Refusal | None:
        """Why the gang can't be planned: by its own spec, or by objects that the spec names."""
        if not isinstance(gang, AcceptedGang):
            return gang.refusal
        if gang.spec.excess:
            return oversize(gang.spec.excess)
        return (
            self.pool.refusal(gang)
            or self.priorities.refusal(gang)
            or claim_refusal(self.claims, gang)
            or self.rejections.refusal(gang)
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
            self.forget(fact.key)

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
        self.changes.reconcile(*holding)

    def _priorities_changed(self) -> None:
        self.changes.reconcile(*self.gangs)
        self._changed(needs_plan=True)

    def _believe(self, gang: GangFact) -> None:
        self.gangs[gang.key] = gang
        self.claiming.enter(gang)
        self.holders.gang_changed(gang.key)

    def _pods_and_coming_members(self) -> Iterable[PodFact]:
        return chain(self.pods.values(), self.holders.coming.all())

    def _is_there(self, gang: GangFact) -> bool:
        known = self.gangs.get(gang.key)
        return known is not None and known.uid == gang.uid

    def _uid(self, name: GangKey) -> str | None:
        gang = self.gangs.get(name)
        return None if gang is None else gang.uid


def _has_other_members(held: Reservation, written: Reservation) -> bool:
    """Whether the same attempt has other members by now, or other ones that join."""
    same = (held.gang_uid, held.attempt) == (written.gang_uid, written.attempt)
    return same and (held.gapped, held.joining, held.size) != (written.gapped, written.joining, written.size)


def _may_change_size(before: GangFact, fact: GangFact) -> bool:
    """Whether all members run now for the first time, so that the size of the gang may change."""
    is_elastic = isinstance(fact, AcceptedGang) and fact.spec.elastic is not None
    return is_elastic and before.status.started_at is None and fact.status.started_at is not None
