"""Belief: the newest fact of everything, and what is assumed beyond the facts.

Life of a reservation here::

    hold ──► every member: assumed ──a watch shows it bound──► confirmed ──it ends, or is gone──► released
      │                       │
      │                       ╰── it ends, or is gone, before that ──► released
      ╰── forget: the attempt is over, and whatever is still assumed is no longer counted

Whoever holds must forget on every path; what is confirmed counts until the pod itself ends or is gone. Nothing here
awaits, reads a clock or talks to the API server: watches call ``apply_…`` and ``remove_…``, the cycle asks. Facts may
come in any order and more than once; belief depends on the newest only.
"""

import logging
from collections.abc import Callable, Iterable
from itertools import chain

from coschedule import GangKey
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.api.versions import is_older
from lockstep.belief.common.changed_keys import News
from lockstep.belief.common.parse_failures import Doubts
from lockstep.belief.common.remembered import Remembered
from lockstep.belief.gangs.budgets import Budgets
from lockstep.belief.gangs.phases import Phase, phase_of
from lockstep.belief.gangs.preempted_gangs import GivingWay
from lockstep.belief.gangs.priorities import Priorities
from lockstep.belief.gangs.quotas import Quotas
from lockstep.belief.gangs.templates import TemplateMemory
from lockstep.belief.holding.holders import Holders
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.pods import CountedBy, Pods
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.belief.holding.unowned_reservations import ForeignReservations
from lockstep.belief.nodes.bids import Bids
from lockstep.belief.nodes.failed_nodes import FailedNodes
from lockstep.belief.nodes.nodes import KnownNodes
from lockstep.belief.nodes.owners import NodeOwners
from lockstep.belief.nodes.rejections import Rejections
from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.belief.pods.namespaces import Namespaces
from lockstep.belief.pods.pod_effects import Neighbours
from lockstep.belief.pods.roster import Roster
from lockstep.belief.run_times.forecasts import Forecasts
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.belief.volumes.attachments import Attachments
from lockstep.belief.volumes.claim_problems import claim_refusal
from lockstep.belief.volumes.claiming_gangs import ClaimingGangs
from lockstep.belief.volumes.claims import Claims, ClaimsChange
from lockstep.facts.gang.gang import GangFact, Refusal, Verdict, oversize
from lockstep.facts.past_runs import USUAL_QUANTILE
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.facts.ranks import has_rank
from lockstep.facts.sizing import Sizing
from lockstep.logs.fields import debug_about

log = logging.getLogger(__name__)


class State:
    """Everything believed about the cluster. ``wake`` is called after each change that the cycle should look at.

    Nodes outside the ``pool`` are known too, since what their labels say may change, and since pods on them may keep
    members away from others. Members that wait for others do so in a container of ``gate_image``, if there is one.
    Gangs are planned with the ``run_time_quantile`` of earlier runs of their template, if it is not 0.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        *,
        count_doubt: Callable[[str], None] = lambda _: None,
        pool: Pool = ALL_NODES,
        gate_image: str = "",
        sizing: Sizing = Sizing.BALANCED,
        run_time_quantile: float = USUAL_QUANTILE,
    ) -> None:
        self.news = News(wake)
        self.pool = pool
        self.gate_image = gate_image
        self.doubts = Doubts(count_doubt)
        self.generation = 0
        self.ledger = Ledger()
        self.nodes = KnownNodes(self._plan_anew, applied=self._node_applied, removed=self._node_removed)
        self.bids = Bids(self.nodes, self.news, self.nodes.note_change)
        self.owners = NodeOwners(self.bids, returned=self._owners_returned, changed=self.nodes.note_change)
        self.gangs: dict[GangKey, GangFact] = {}
        self.claiming = ClaimingGangs()
        self.holders = Holders(self.gangs, self.ledger, touched=self._users_changed)
        self.reservations = self.holders.reservations
        self.roster = Roster()
        self.neighbours = Neighbours(self._neighbouring, users_changed=self._users_changed)
        counted = CountedBy(ledger=self.ledger, roster=self.roster, holders=self.holders, neighbours=self.neighbours)
        self.pods = Pods(counted, look_at=self.news.look_at, released=self._pod_released, changed=self._changed)
        self.priorities = Priorities(self._priorities_changed, sizing)
        self.budgets = Budgets(self._plan_anew)
        self.quotas = Quotas(self._plan_anew)
        self.giving_way = GivingWay(self._plan_anew)
        self.remembered = Remembered(self._is_there)
        self.claims = Claims(self._claims_changed, nodes=self.nodes.index, remembered=self.remembered)
        self.failed_nodes = FailedNodes(self._plan_anew)
        self.rejections = Rejections(self._rejection_lifted)
        self.namespaces = Namespaces(self._plan_anew)
        self.attachments = Attachments(self.claims, self.neighbours, self.holders.claims, self._room_changed)
        self.templates = TemplateMemory()
        self.forecasts = Forecasts()
        self.past_runs = PastRuns(self._plan_anew, run_time_quantile)
        self._foreign = ForeignReservations()
        self._leads = True

    # Who decides

    def stand_by(self) -> None:
        """Another process decides: what is reserved is what statuses say, and nobody deals with news."""
        self._leads = False
        self.news.stand_by()

    def lead(self) -> None:
        """From now on this process decides. As after a restart, there is something to see everywhere."""
        self._leads = True
        self.news.follow()
        self.news.look_at(*self.gangs, *self.roster.names())
        self.bids.note_whom_to_answer()
        self._changed(needs_plan=True)

    # Time

    def note_time(self, now: float) -> None:
        """What was believed for a time only is over by now, and what had to wait for this time counts."""
        self.bids.expire(now)
        self.bids.settle(now)
        self.owners.note(now)
        self.failed_nodes.expire(now)
        self.rejections.note_time(now)

    # Facts about pods

    def apply_pod(self, fact: PodFact) -> None:
        """A pod is there, or has changed."""
        self.pods.apply(fact)

    def remove_pod(self, key: PodKey, uid: str) -> None:
        """A pod is gone; another one of its name is not."""
        self.pods.remove(key, uid)

    # Facts about gangs

    def apply_gang(self, fact: GangFact) -> None:
        """A gang is there, or has changed; an older version than the known one is no news."""
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
            self._foreign.note(before, fact, self.reservations.get(fact.key))
        else:
            self._forget_what_others_gave_back(fact)
        self.giving_way.note(fact)
        self.forecasts.hear(fact)
        self.hold_what_is_reserved(fact)
        self.news.look_at(fact.key)
        self._changed(needs_plan=before is None or not fact.asks_the_same_as(before))

    def remove_gang(self, key: GangKey, uid: str) -> None:
        """A gang is gone. Its pods may still be there: see :meth:`orphans`."""
        known = self.gangs.get(key)
        if known is None or known.uid != uid:
            return
        del self.gangs[key]
        self.claiming.leave(key)
        debug_about(log, key, "it is gone")
        self._foreign.forget(key)
        self.giving_way.forget(key)
        self.forget(key)
        self.roster.forget_departed(uid)
        self.templates.forget(uid)
        self.failed_nodes.forget(uid)
        self.rejections.forget(uid)
        self.remembered.forget(uid)
        self.news.look_at(key)
        self._changed(needs_plan=True)

    def admission_says(self, gang: GangFact, verdict: Verdict) -> bool:
        """Admission takes the gang's members so, or not at all. Returns whether that changes how it is planned."""
        known = self.gangs.get(gang.key)
        if known is None or known.uid != gang.uid:
            return False
        self.templates.learn(known, verdict)
        admitted = self.templates.as_admitted(known)
        if admitted == known:
            return False
        self._believe(admitted)
        self.news.look_at(gang.key)
        self._changed(needs_plan=True)
        return True

    # Assumptions

    def hold(self, reservation: Reservation) -> None:
        """Count an attempt's members on their nodes from now on, whether their pods exist or not, but ended ones."""
        departed = self.roster.departed(reservation.gang_uid)
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

    def forget(self, gang: GangKey) -> None:
        """End a reservation: whatever no watch has confirmed is no longer counted."""
        self.giving_way.settle(gang)
        reservation = self.holders.leave(gang)
        if reservation is None:
            return
        self.roster.forget_departed(reservation.gang_uid)
        for member in reservation.memberships():
            self.ledger.forget(member)
        self._changed(needs_plan=True)

    def hold_what_is_reserved(self, gang: GangFact) -> None:
        """After a restart the status says what is reserved; while we run, the cycle held it before it was written."""
        if gang.status.end is not None:
            self.forget(gang.key)
            return
        reservation = reserved_in_status(gang)
        if reservation is not None and gang.key not in self.reservations:
            self.hold(reservation)

    # Questions

    def refusal_of(self, gang: GangFact) -> Refusal | None:
        """Why the gang can't be planned: what its own spec asks for, here or at all, or what it names of others'."""
        if gang.refusal is not None:
            return gang.refusal
        if gang.spec is not None and gang.spec.excess:
            return oversize(gang.spec.excess)
        return (
            self.pool.refusal(gang)
            or self.priorities.refusal(gang)
            or claim_refusal(self.claims, gang)
            or self.rejections.refusal(gang)
        )

    def phase_of(self, gang: GangFact, *, is_resting: bool = False) -> Phase:
        """How far the gang is; whoever runs attempts says whether it rests."""
        is_reserved = gang.key in self.reservations or reserved_in_status(gang) is not None
        return phase_of(gang, is_reserved=is_reserved, refusal=self.refusal_of(gang), is_resting=is_resting)

    def is_foreign(self, gang: GangFact) -> bool:
        """Whether the status came to say that the gang holds nodes though nobody here has reserved them."""
        return gang.key in self._foreign

    def members(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The pods of all the gang's attempts that are there."""
        return self.roster.members(gang.uid)

    def departed(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The pods of the attempt that the gang holds nodes for that were seen and are gone, as they were last seen.

        Forgotten with the reservation, so that there are never more of them than members.
        """
        return self.roster.departed(gang.uid)

    def neighbours_now(self) -> Neighbours:
        """What pods mean for others, members that are about to be bound among them."""
        self.holders.coming.renew(self.neighbours)
        return self.neighbours

    def orphans(self, names: Iterable[GangKey]) -> list[PodFact]:
        """The members of gangs of these names that are not there (any more), whether another one is or not."""
        return [pod for name in names for pod in self.roster.others(name, self._uid(name))]

    def _plan_anew(self) -> None:
        self._changed(needs_plan=True)

    def _changed(self, *, needs_plan: bool) -> None:
        self.generation += 1
        self.news.changed(needs_plan=needs_plan)

    def _node_applied(self, node: str) -> None:
        self.bids.note_node(node)
        self.rejections.note_changed(node, Suiting([self.nodes[node]], self.pool), self.gangs)

    def _node_removed(self, node: str) -> None:
        self.ledger.drop_row(node)
        self.bids.note_node(node)
        self.rejections.note_removed(node)

    def _pod_released(self, pod: PodFact) -> None:
        self.rejections.note_gone(pod.node, "" if pod.member is None else pod.member.gang_uid)

    def _rejection_lifted(self, gang: GangKey) -> None:
        self.news.look_at(gang)
        self._changed(needs_plan=True)

    def _forget_what_others_gave_back(self, fact: GangFact) -> None:
        if fact.key in self.reservations and self.reservations[fact.key] != reserved_in_status(fact):
            self.forget(fact.key)

    def _claims_changed(self, change: ClaimsChange) -> None:
        self.attachments.note(change)
        self.news.look_at(*self.claiming.concerned(change.claims))
        self._room_changed()

    def _users_changed(self, *nodes: str) -> None:
        self.attachments.touch(*nodes)

    def _room_changed(self) -> None:
        self._changed(needs_plan=bool(self.claiming))

    def _owners_returned(self, nodes: set[str]) -> None:
        holding = [key for key, one in self.reservations.items() if any(entry.node in nodes for entry in one.members)]
        self.news.look_at(*holding)

    def _priorities_changed(self) -> None:
        self.news.look_at(*self.gangs)
        self._changed(needs_plan=True)

    def _believe(self, gang: GangFact) -> None:
        self.gangs[gang.key] = gang
        self.claiming.enter(gang)
        self.holders.note(gang.key)

    def _neighbouring(self) -> Iterable[PodFact]:
        return chain(self.pods.values(), self.holders.coming.all())

    def _is_there(self, gang: GangFact) -> bool:
        known = self.gangs.get(gang.key)
        return known is not None and known.uid == gang.uid

    def _uid(self, name: GangKey) -> str | None:
        gang = self.gangs.get(name)
        return None if gang is None else gang.uid
