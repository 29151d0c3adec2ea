"""Evicts gangs for more urgent ones, as the newest plan has decided, if admission and the cache still agree.

An eviction cannot be reverted. So a fresh dry run first admits the members of the urgent gang, and then the decision is
checked against the cache again. Plans and other gangs go on meanwhile. A later plan replaces decisions that still wait
for their dry run, and drops those that it does not repeat.

Each eviction undoes an attempt: the victim's status is written first and names the urgent gang. After a restart, the
next process carries out what statuses say.
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from typing import NamedTuple

from coschedule import Decision, GangKey, Placement, Preemption
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.act.requests.workers import Workers
from lockstep.api.preemption import preemption_clause
from lockstep.belief.common.fair_queue import FairQueue, Rank
from lockstep.belief.holding.reservation import Reservation
from lockstep.cycle.ends.final_state import is_over
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.planning.decision_log import log_preemption
from lockstep.cycle.planning.planning import Planning
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.snapshot.holders.disruptions import disruptions, still_allowed
from lockstep.snapshot.holders.running import may_be_evicted
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

# Dry runs at the same time, in all and for one namespace: evictions cost an API server much more than these.
_AT_ONCE = 8
_OF_NAMESPACE = 4


class _Victim(NamedTuple):
    gang: GangFact
    reservation: Reservation


class _Order(NamedTuple):
    """A preemption that the newest plan has decided, and where the gang starts after it."""

    preemption: Preemption
    placement: Placement
    decided: LastPlan


class Evictions:
    """Carries out preemptions. ``guarded`` contains errors in work for one gang."""

    def __init__(
        self,
        services: Services,
        attempts: Attempts,
        planning: Planning,
        dry_runs: DryRuns,
        *,
        guarded: Callable[[GangKey], AbstractContextManager[None]],
    ) -> None:
        self._state = services.state
        self._attempts = attempts
        self._planning = planning
        self._dry_runs = dry_runs
        self._now = services.now
        self._guarded = guarded
        self._orders: dict[GangKey, _Order] = {}
        self._queue = FairQueue()
        self._workers = Workers(self._queue.take, self._carry_out, at_once=_AT_ONCE, of_namespace=_OF_NAMESPACE)

    @property
    def asked_about(self) -> Collection[GangKey]:
        """The gangs for which others will be evicted if admission still accepts their members."""
        return self._orders.keys()

    def take_orders(self, decided: LastPlan | None) -> None:
        """Carry out the preemptions of the last plan, if there is one, and drop those of earlier plans."""
        before, self._orders = self._orders, {}
        for order in _orders_of(decided):
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
        await self._workers.stop()

    def _take_order(self, order: _Order) -> None:
        gang = order.preemption.gang
        if self._victims(order) is None:
            # The next plan knows what has changed.
            self._state.changes.plan()
            return
        self._orders[gang] = order
        if not self._workers.is_at_work(gang):
            priority = order.decided.asked[gang].priority
            self._queue.put(gang, Rank(group=0, minus_priority=-(priority or 0)))

    async def _carry_out(self, key: GangKey) -> None:
        """Check by dry run that the gang's members are admitted; then evict all victims of the newest plan, or none."""
        is_admitted = False
        with self._guarded(key):
            gang = self._state.gangs.get(key)
            is_admitted = gang is not None and await self._dry_runs.admits_now(gang)
        order = self._orders.pop(key, None)
        if order is None:
            return
        with self._guarded(key):
            victims = self._victims(order) if is_admitted else None
            if victims is None:
                self._state.changes.plan()
            for victim in victims or ():
                self._evict(victim, self._state.gangs[key])

    def _victims(self, order: _Order) -> list[_Victim] | None:
        """The gangs to evict; None if any fact of the decision has changed in the cache."""
        gang, now = self._state.gangs.get(order.preemption.gang), self._now()
        found = [self._victim(key, order.decided, now) for key in order.preemption.victims]
        victims = [victim for victim in found if victim is not None]
        stands = isinstance(gang, AcceptedGang) and len(victims) == len(found) and self._stands(gang, victims, order)
        return victims if stands else None

    def _victim(self, key: GangKey, decided: LastPlan, now: float) -> _Victim | None:
        """A gang to evict; None if its reservation has changed, it may not be evicted, or it has ended."""
        gang, reservation = self._state.gangs.get(key), self._state.reservations.get(key)
        if gang is None or reservation is None or reservation != decided.seen.held.get(key):
            return None
        if self._attempts.is_undoing(key) or not may_be_evicted(self._state, gang, reservation):
            return None
        if is_over(self._state, gang, reservation, now):
            return None
        return _Victim(gang, reservation)

    def _stands(self, gang: AcceptedGang, victims: list[_Victim], order: _Order) -> bool:
        """Whether the gang's request is unchanged, it may evict these victims, and it can start as planned."""
        state, placement = self._state, order.placement
        if not (self._planning.still_asks(gang, order.decided) and self._planning.may_preempt(gang)):
            return False
        if not order.decided.seen.offers.stand({entry.node for entry in placement.members}, state):
            return False
        priority = state.priorities.of(gang)
        others = [state.priorities.of(victim.gang) for victim in victims]
        if priority is None or any(other is None or other >= priority for other in others):
            return False
        is_allowed = still_allowed(state).all_of(disruptions(state, *victim) for victim in victims)
        is_spared = not (is_allowed or order.decided.against_budgets)
        return not is_spared and QuotaBounds(state).allow(gang, placement.members)

    def _evict(self, victim: _Victim, gang: GangFact) -> None:
        priority = self._state.priorities.of(gang)
        assert priority is not None, "a gang of unknown priority is not planned"
        failure = Failure(reason=Reason.PREEMPTED, message=preemption_clause(gang.key, priority))
        self._state.preempted_gangs.decide(victim.gang.key, gang.key)
        if self._attempts.is_under_way(victim.gang.key):
            self._attempts.drop(victim.gang.key)
        self._attempts.interrupt(victim.gang, victim.reservation, failure)


def _orders_of(decided: LastPlan | None) -> list[_Order]:
    if decided is None or not decided.preemptions:
        return []
    decisions: dict[GangKey, Decision] = {one.gang: one for one in decided.plan.decisions}
    planned = [(preemption, decisions.get(preemption.gang)) for preemption in decided.preemptions]
    return [_Order(one, placement, decided) for one, placement in planned if isinstance(placement, Placement)]
