"""Gauges that follow from belief: brought up to date when somebody reads them, not in every cycle."""

from collections import Counter

from lockstep.belief.phases import Phase
from lockstep.belief.state import State
from lockstep.report.metrics import GANG_STATES, Metrics

# As users count gangs: whether one that waits rests from a failure, or is being deleted, is in its status.
_STATES = {
    Phase.DELETED: "pending",
    Phase.REFUSED: "refused",
    Phase.WAITING: "pending",
    Phase.BACKING_OFF: "pending",
    Phase.RESERVED: "reserved",
    Phase.PLACED: "placed",
    Phase.COMPLETE: "complete",
}


def refresh_gauges(metrics: Metrics, state: State, now: float) -> None:
    """Count gangs by state, the members assumed, and the age of the oldest gang that waits."""
    states = {gang.key: _STATES[state.phase_of(gang)] for gang in state.gangs.values()}
    counts = Counter(states.values())
    for name in GANG_STATES:
        metrics.gangs.labels(name).set(counts[name])
    pending = [gang.created for gang in state.gangs.values() if states[gang.key] == "pending"]
    metrics.oldest_pending.set(max(0.0, now - min(pending)) if pending else 0.0)
    metrics.assumed_pods.set(state.ledger.assumed)
