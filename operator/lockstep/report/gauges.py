"""Gauges that follow from belief: brought up to date when somebody reads them, not in every cycle."""

from collections import Counter

from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.words import Condition
from lockstep.report.metrics import GANG_STATES, Metrics


def refresh_gauges(metrics: Metrics, state: State, now: float) -> None:
    """Count gangs by state, the members assumed, and the age of the oldest gang that waits."""
    states = {gang.key: _state_of(gang, state) for gang in state.gangs.values()}
    counts = Counter(states.values())
    for name in GANG_STATES:
        metrics.gangs.labels(name).set(counts[name])
    pending = [gang.created for gang in state.gangs.values() if states[gang.key] == "pending"]
    metrics.oldest_pending.set(max(0.0, now - min(pending)) if pending else 0.0)
    metrics.assumed_pods.set(state.ledger.assumed)


def _state_of(gang: GangFact, state: State) -> str:
    if gang.status.is_true(Condition.COMPLETE):
        return "complete"
    if gang.key in state.reservations:
        return "placed" if gang.status.is_true(Condition.PLACED) else "reserved"
    return "pending" if gang.spec is not None else "refused"
