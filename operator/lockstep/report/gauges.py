"""Gauges that follow from belief: brought up to date when somebody reads them, not in every cycle."""

from collections import Counter
from collections.abc import Mapping, Sequence

from coschedule import Decision, GangKey
from lockstep.belief.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.reasons import Condition
from lockstep.report.capacity import count_cores, count_nodes, count_slots, promised_by, used_by
from lockstep.report.metrics import CORE_STATES, GANG_STATES, NODE_STATES, SLOT_STATES, Metrics
from lockstep.report.queue_metrics import place_in_queue

_STATES = {
    Phase.SUSPENDED: "suspended",
    Phase.RESERVED: "reserved",
    Phase.PLACED: "placed",
    Phase.COMPLETE: "complete",
}
_NOT_PLACED = ("pending", "reserved")


def refresh_gauges(metrics: Metrics, state: State, now: float, decisions: Sequence[Decision]) -> None:
    """Count gangs, nodes and slots by state, and say how long gangs wait; ``decisions`` are the last plan's."""
    states = {gang.key: _state_of(gang, state) for gang in state.gangs.values()}
    counts = Counter(states.values())
    for name in GANG_STATES:
        metrics.gangs.labels(name).set(counts[name])
    pending = [gang for gang in state.gangs.values() if states[gang.key] == "pending"]
    metrics.queue.refresh(place_in_queue(state, gang) for gang in pending)
    metrics.oldest_pending.set(max((max(0.0, now - _waiting_since(gang)) for gang in pending), default=0.0))
    metrics.start_overdue.set(_most_overdue(state, states, now))
    metrics.assumed_pods.set(state.ledger.assumed)
    metrics.learning.refresh(state.past_runs)
    metrics.bids.refresh(state, now)
    _refresh_pace(metrics, state)
    _refresh_capacity(metrics, state, now, [one for one in decisions if states.get(one.gang) == "pending"])


def _refresh_capacity(metrics: Metrics, state: State, now: float, waiting: Sequence[Decision]) -> None:
    used, promised = used_by(state), promised_by(waiting)
    nodes, slots = count_nodes(state, used, promised, now), count_slots(state, used, promised, now)
    for name in NODE_STATES:
        metrics.nodes.labels(name).set(nodes[name])
    cores = count_cores(state, waiting, now)
    for name in CORE_STATES:
        metrics.cores.labels(name).set(cores.get(name, 0.0))
    for name in SLOT_STATES:
        metrics.slots.labels(name).set(slots[name])


def _refresh_pace(metrics: Metrics, state: State) -> None:
    """As statuses say, of gangs that hold nodes."""
    gangs = (state.gangs[key] for key in state.reservations if key in state.gangs)
    paces = [gang.status.pace for gang in gangs if gang.status.pace is not None]
    metrics.pace.members.set(sum(pace.paced for pace in paces))
    metrics.pace.given_back.set(sum(pace.given_back for pace in paces) / 1000)


def _most_overdue(state: State, states: Mapping[GangKey, str], now: float) -> float:
    """How long the gang has waited beyond its first planned start that has waited so longest."""
    planned = (gang.status.first_planned_start for gang in state.gangs.values() if states[gang.key] in _NOT_PLACED)
    return max((now - start for start in planned if start is not None and start < now), default=0.0)


def _waiting_since(gang: GangFact) -> float:
    """Since when the gang could have been placed: while it was suspended nobody waited for it."""
    suspended = gang.status.condition(Condition.SUSPENDED)
    return gang.created if suspended is None else max(gang.created, suspended.last_transition)


def _state_of(gang: GangFact, state: State) -> str:
    """As users count gangs: refused is one whose own spec is wrong here, and who waits for others to act is pending."""
    is_wrong = gang.spec is None or state.pool.refusal(gang) is not None
    return _STATES.get(state.phase_of(gang), "refused" if is_wrong else "pending")
