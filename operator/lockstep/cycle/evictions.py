"""Evicts gangs for more urgent ones, as a plan has decided, if belief still agrees.

Each eviction is an attempt that is undone: its status is written first, and says for whom.
"""

from typing import NamedTuple

from coschedule import GangKey, Preemption
from lockstep.act.attempts import Attempts
from lockstep.api.preemption import spelled_preemption
from lockstep.belief.disruptions import disruptions, still_allowed
from lockstep.belief.reservation import Reservation
from lockstep.belief.running import may_be_evicted
from lockstep.belief.state import State
from lockstep.cycle.decided import Decided
from lockstep.cycle.ends.over import is_over
from lockstep.cycle.planning import Planning
from lockstep.facts.failure import Failure
from lockstep.facts.gang import GangFact
from lockstep.facts.reasons import Reason


class _Victim(NamedTuple):
    gang: GangFact
    reservation: Reservation


class Evictions:
    """Carries out preemptions."""

    def __init__(self, state: State, attempts: Attempts, planning: Planning) -> None:
        self._state = state
        self._attempts = attempts
        self._planning = planning

    def carry_out(self, preemption: Preemption, decided: Decided, now: float) -> None:
        """Evict the victims of one gang, or none of them: the next plan knows what has changed."""
        victims = [self._victim(key, decided, now) for key in preemption.victims]
        gang = self._state.gangs.get(preemption.gang)
        there = [victim for victim in victims if victim is not None]
        if gang is None or len(there) < len(victims) or not self._stands(gang, there, decided):
            self._state.news.plan()
            return
        for victim in there:
            self._evict(victim, gang)

    def _victim(self, key: GangKey, decided: Decided, now: float) -> _Victim | None:
        """A gang that is to give way, if it holds what it held when that was decided, and has not ended meanwhile."""
        gang, reservation = self._state.gangs.get(key), self._state.reservations.get(key)
        if gang is None or reservation is None or reservation != decided.seen.held.get(key):
            return None
        if self._attempts.is_undoing(key) or not may_be_evicted(self._state, gang, reservation):
            return None
        if is_over(self._state, gang, reservation, now):
            return None
        return _Victim(gang, reservation)

    def _stands(self, gang: GangFact, victims: list[_Victim], decided: Decided) -> bool:
        """Whether what the decision stands on is believed still."""
        state = self._state
        if not self._planning.still_asks(gang, decided) or state.nodes.generation != decided.seen.nodes_generation:
            return False
        priority = state.priorities.of(gang)
        others = [state.priorities.of(victim.gang) for victim in victims]
        if priority is None or any(other is None or other >= priority for other in others):
            return False
        is_allowed = still_allowed(state).all_of(disruptions(state, *victim) for victim in victims)
        return is_allowed or decided.against_budgets

    def _evict(self, victim: _Victim, gang: GangFact) -> None:
        priority = self._state.priorities.of(gang)
        assert priority is not None, "a gang of unknown priority is not planned"
        failure = Failure(reason=Reason.PREEMPTED, message=spelled_preemption(gang.key, priority))
        self._state.giving_way.decide(victim.gang.key, gang.key)
        if self._attempts.is_under_way(victim.gang.key):
            self._attempts.drop(victim.gang.key)
        self._attempts.interrupt(victim.gang, victim.reservation, failure)
