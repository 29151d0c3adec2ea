"""Updates the cache after an attempt has ended, or after the back-off of a failed attempt."""

from coschedule import GangKey
from lockstep.act.requests.outcome import Ending, Outcome
from lockstep.belief.state import State
from lockstep.cycle.clockwork.wake_event import WakeEvent
from lockstep.cycle.explaining.attempt_events import AttemptEvents
from lockstep.facts.gang.gang import AcceptedGang, GangFact


class AttemptEnds:
    """Brings the cache up to date after attempts, and requests that their gangs are reconciled."""

    def __init__(self, state: State, events: AttemptEvents, woken: WakeEvent) -> None:
        self._state = state
        self._events = events
        self._woken = woken

    def follow(self, gang: GangFact, outcome: Outcome) -> None:
        """Handle the end of an attempt: update the cache, report events and metrics, and wake the cycle."""
        if outcome.ending is Ending.PLACED:
            self._state.changes.reconcile(gang.key)
            if isinstance(gang, AcceptedGang) and gang.spec.elastic is not None:
                # The gang may be evicted from now on. No plan knows this if the attempt began by a change of size.
                self._state.changes.plan()
        else:
            self._give_back(gang)
        self._events.ended(gang, outcome)
        if outcome.verdict is not None and self._state.apply_verdict(gang, outcome.verdict):
            self._events.admission(self._state.gangs[gang.key])
        self._woken.set()

    def retry_due(self, gang: GangKey) -> None:
        """Reconcile a gang whose back-off is over, and request a plan for it."""
        self._state.changes.reconcile(gang)
        self._state.changes.plan()

    def _give_back(self, gang: GangFact) -> None:
        """Drop the attempt's reservation from the cache. If the status has a reservation, add it to the cache."""
        self._state.assumptions.forget(gang.key)
        known = self._state.gangs.get(gang.key)
        if known is not None:
            self._state.assumptions.hold_what_is_reserved(known)
            self._state.changes.reconcile(gang.key)
