"""Gauges that follow from belief: brought up to date when somebody reads them, not in every cycle."""

from collections import Counter

from lockstep.belief.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.report.metrics import GANG_STATES, Metrics

_STATES = {Phase.RESERVED: "reserved", Phase.PLACED: "placed", Phase.COMPLETE: "complete"}


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
    """As users count gangs: refused is one whose own spec is wrong here, and who waits for others to act is pending."""
    is_wrong = gang.spec is None or state.pool.refusal(gang) is not None
    return _STATES.get(state.phase_of(gang), "refused" if is_wrong else "pending")
