"""Evicts gangs for more urgent ones, or shrinks them, as the newest plan has decided.

Neither an eviction nor a shrink can be reverted. So the members of the urgent gang are first created in a dry run, and
then the decision is compared with the cache again. Plans and other gangs go on meanwhile. If a decision still waits for
its dry run when the next plan is made, the plan replaces or drops it.

Each eviction tears an attempt down: the victim's status is written first and names the urgent gang. A Gang gives way by
a suspension of the owner of its pods (``cycle/podgang/giving_way.py``), which is tried as a dry run before. A shrink is
a change of size (``cycle/resizing/size_changes.py``) of which members have no notice. After a restart, the next process
carries out what statuses say.
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from coschedule import GangKey, SizeChange
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.act.requests.workers import Workers
from lockstep.api.preemption import Urgent, preemption_clause
from lockstep.belief.common.fair_queue import FairQueue, Rank
from lockstep.cycle.clockwork.plans_after_refusals import PlansAfterRefusals
from lockstep.cycle.ends.final_state import is_over
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.planning.decision_log import log_preemption
from lockstep.cycle.planning.planning import Planning
from lockstep.cycle.podgang.giving_way import PodGangEvictions
from lockstep.cycle.preemption_orders import EvictionVictim, GangsGivingWay, PreemptionOrder, orders_of
from lockstep.cycle.resizing.pod_gang_sizes import PodGangSizes
from lockstep.cycle.resizing.size_changes import Changing, SizeChanges
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.snapshot.holders.disruptions import still_allowed
from lockstep.snapshot.holders.group_shares import may_still_reclaim
from lockstep.snapshot.holders.running import may_be_evicted
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

# The most dry runs at the same time, for all namespaces together and for one namespace. They cost an API server much
# less than evictions.
_AT_ONCE = 8
_OF_NAMESPACE = 4


class WaysToYield(NamedTuple):
    """The parts that evict and shrink GangJobs, and the parts that do so for Gangs."""

    attempts: Attempts
    size_changes: SizeChanges
    pod_gangs: PodGangEvictions
    pod_gang_sizes: PodGangSizes


class Evictions:
    """Carries out preemptions. ``guarded`` limits an error in the work for one gang to this gang."""

    def __init__(
        self,
        services: Services,
        planning: Planning,
        dry_runs: DryRuns,
        ways: WaysToYield,
        *,
        guarded: Callable[[GangKey], AbstractContextManager[None]],
    ) -> None:
        self._state = services.state
        self._attempts, self._size_changes, self._pod_gangs, self._pod_gang_sizes = ways
        self._planning = planning
        self._dry_runs = dry_runs
        self._now = services.now
        self._guarded = guarded
        self._orders: dict[GangKey, PreemptionOrder] = {}
        self._refusals = PlansAfterRefusals(services.state.changes.plan)
        self._queue = FairQueue()
        self._workers = Workers(self._queue.take, self._carry_out, at_once=_AT_ONCE, of_namespace=_OF_NAMESPACE)

    @property
    def asked_about(self) -> Collection[GangKey]:
        """The urgent gangs for which others give way, once dry runs have shown that this is still possible."""
        return self._orders.keys()

    def take_orders(self, decided: LastPlan | None) -> None:
        """Carry out the preemptions of the last plan, if there is one, and drop those of earlier plans."""
        before, self._orders = self._orders, {}
        orders = orders_of(decided)
        self._refusals.keep({order.preemption.gang for order in orders})
        for order in orders:
            with self._guarded(order.preemption.gang):
                log_preemption(order.preemption)
                self._take_order(order)
        for gone in before.keys() - self._orders.keys():
            self._queue.drop(gone)
            self._workers.cancel(gone)
        self._workers.wake()

    async def stop(self) -> None:
        """Start no more evictions."""
        self._orders.clear()
        self._refusals.stop()
        await self._workers.stop()
        await self._pod_gangs.stop()

    def _take_order(self, order: PreemptionOrder) -> None:
        gang = order.preemption.gang
        if self._giving_way(order) is None:
            self._refusals.refused(gang)
            return
        self._orders[gang] = order
        if not self._workers.is_at_work(gang):
            priority = order.decided.asked[gang].priority
            self._queue.put(gang, Rank(group=0, minus_priority=-(priority or 0)))

    async def _carry_out(self, key: GangKey) -> None:
        """Check by dry runs that the gang's members are admitted, and that Gangs can give way.

        Then either all gangs that the newest plan has chosen give way, or none of them.
        """
        is_admitted, order = False, self._orders.get(key)
        asked = frozenset[GangKey]() if order is None else order.pod_gangs
        shrinks = frozenset[SizeChange]() if order is None else order.pod_gang_shrinks
        with self._guarded(key):
            can_give_way = order is not None and await self._pod_gangs.can_give_way(asked, order.other_pod_gangs)
            can_give_way = can_give_way and await self._pod_gang_sizes.can_shrink(shrinks)
            gang = self._state.gangs.get(key)
            is_admitted = gang is not None and can_give_way and await self._dry_runs.admits_now(gang)
        order = self._orders.pop(key, None)
        if order is None:
            return
        with self._guarded(key):
            # A newer plan may have chosen Gangs that were not asked about.
            are_asked = order.pod_gangs <= asked and order.pod_gang_shrinks <= shrinks
            giving = self._giving_way(order) if is_admitted and are_asked else None
            if giving is None:
                self._refusals.refused(key)
            else:
                self._begin(giving, self._state.gangs[key], order)

    def _begin(self, giving: GangsGivingWay, urgent: GangFact, order: PreemptionOrder) -> None:
        priority = self._state.priorities.of(urgent)
        assert priority is not None, "a gang of unknown priority is not planned"
        for victim in giving.evicted:
            self._evict(victim, order.urgent(urgent, priority, victim.gang.key))
        for changing in giving.shrinking:
            self._shrink(changing, urgent.key)
        for shrink in giving.with_fewer:
            self._pod_gang_sizes.shrink(shrink)
        for gang in giving.suspended:
            self._pod_gangs.evict(gang, order.urgent(urgent, priority, gang.key))

    def _giving_way(self, order: PreemptionOrder) -> GangsGivingWay | None:
        """The gangs that give way; None if a fact of the decision has changed in the cache."""
        gang, decided, now = self._state.gangs.get(order.preemption.gang), order.decided, self._now()
        priority = None if gang is None else self._state.priorities.of(gang)
        if not isinstance(gang, AcceptedGang) or priority is None:
            return None
        evicted = [self._victim(key, decided, now) for key in order.preemption.victims if key not in order.pod_gangs]
        seen = {one.key: one for one in decided.snapshot.running}
        suspended = [self._pod_gangs.victim(seen[key]) for key in sorted(order.pod_gangs)]
        fewer = order.pod_gang_shrinks
        shrinks = (change for change in order.preemption.shrinks if change not in fewer)
        urgent = partial(order.urgent, gang, priority)
        shrinking = [self._size_changes.shrink_for(urgent(one.gang), one, decided) for one in shrinks]
        with_fewer = [self._pod_gang_sizes.shrink_for(urgent(one.gang), one, decided) for one in sorted(fewer)]
        if None in evicted or None in shrinking or None in suspended or None in with_fewer:
            return None
        giving = GangsGivingWay(
            [one for one in evicted if one],
            [one for one in shrinking if one],
            [one for one in suspended if one],
            [one for one in with_fewer if one],
        )
        return giving if self._stands(gang, priority, giving, order) else None

    def _victim(self, key: GangKey, decided: LastPlan, now: float) -> EvictionVictim | None:
        """A gang to evict.

        None if its reservation has changed, or if the gang may not be evicted, is being torn down, or has ended.
        """
        gang, reservation = self._state.gangs.get(key), self._state.reservations.get(key)
        if gang is None or reservation is None or reservation != decided.seen.held.get(key):
            return None
        if self._attempts.is_undoing(key) or not may_be_evicted(self._state, gang, reservation):
            return None
        if is_over(self._state, gang, reservation, now):
            return None
        return EvictionVictim(gang, reservation)

    def _stands(self, gang: AcceptedGang, priority: int, giving: GangsGivingWay, order: PreemptionOrder) -> bool:
        """Whether the gang still asks for the same, these gangs may give way to it, and it can start as planned."""
        state, placement = self._state, order.placement
        if not (self._planning.standing.still_asks(gang, order.decided) and self._planning.may_preempt(gang)):
            return False
        if not order.decided.seen.offers.stand({entry.node for entry in placement.members}, state):
            return False
        reclaimed = order.reclaimed
        for key, other in giving.priorities(state):
            if other is None or other >= priority + (key in reclaimed):
                return False
        if not may_still_reclaim(state, gang.key, order.preemption, order.decided.snapshot, self._now()):
            return False
        is_allowed = still_allowed(state).all_of(giving.disruptions(state))
        is_spared = not (is_allowed or order.decided.against_budgets)
        return not is_spared and QuotaBounds(state).allow(gang, placement.members)

    def _shrink(self, changing: Changing, urgent: GangKey) -> None:
        # If the other members keep running, the shrink begins only after a status write. The write may be refused, so
        # nothing is recorded here.
        if not changing.gang.spec.keeps_members:
            self._state.giving_way.shrunk.decide(changing.gang.key, urgent)
        self._size_changes.begin_at_once(changing)

    def _evict(self, victim: EvictionVictim, urgent: Urgent) -> None:
        why = preemption_clause(urgent, victim=victim.gang.key)
        failure = Failure(reason=Reason.RECLAIMED if urgent.by_share else Reason.PREEMPTED, message=why)
        self._state.giving_way.evicted.decide(victim.gang.key, urgent.key)
        if self._attempts.is_under_way(victim.gang.key):
            self._attempts.drop(victim.gang.key)
        self._attempts.interrupt(victim.gang, victim.reservation, failure)
