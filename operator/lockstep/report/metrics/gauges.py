"""Gauges that are computed from the cache when they are read, not in every cycle."""

import math
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import assert_never

from coschedule import Decision, GangKey, measure_network
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.reasons import Condition
from lockstep.report.metrics.capacity import CapacityByState, counting
from lockstep.report.metrics.metrics import GANG_STATES, Metrics
from lockstep.report.metrics.queue_metrics import place_in_queue

_NOT_PLACED = ("pending", "reserved")


def refreshing(
    metrics: Metrics, state: State, now: float, decisions: Sequence[Decision]
) -> Generator[None, None, None]:
    """Set all gauges from the cache and from the ``decisions`` of the last plan.

    It works in steps, since there may be many gangs and nodes. The cache may change between steps.
    """
    gangs, states = list(state.gangs.values()), {}
    for gang in gangs:
        states[gang.key] = _state_of(gang, state)
        yield
    _refresh_gangs(metrics, state, gangs, states, now)
    yield
    metrics.learning.refresh(state.past_runs)
    yield from metrics.bids.refreshing(state, now)
    _refresh_pace(metrics, state)
    metrics.sweeps.refresh(state.sweeps.objects.values())
    metrics.shares.refresh(state.shares, now)
    yield
    yield from metrics.usage.refreshing(state)
    yield from _refreshing_capacity(
        metrics, state, now, [one for one in decisions if states.get(one.gang) == "pending"]
    )


def _refresh_gangs(
    metrics: Metrics, state: State, gangs: Sequence[GangFact], states: Mapping[GangKey, str], now: float
) -> None:
    counts = Counter(states.values())
    for name in GANG_STATES:
        metrics.gangs.labels(name).set(counts[name])
    pending = [gang for gang in gangs if states[gang.key] == "pending"]
    metrics.queue.refresh(place_in_queue(state, gang) for gang in pending)
    metrics.oldest_pending.set(max((max(0.0, now - _waiting_since(gang)) for gang in pending), default=0.0))
    metrics.start_overdue.set(_most_overdue(state, states, now))
    metrics.assumed_pods.set(state.ledger.assumed)


def _refreshing_capacity(
    metrics: Metrics, state: State, now: float, waiting: Sequence[Decision]
) -> Generator[None, None, None]:
    counted = CapacityByState()
    yield from counting(state, waiting, now, counted)
    metrics.capacity.show(counted)
    _refresh_speeds(metrics, counted.speeds)


def _refresh_speeds(metrics: Metrics, speeds: Sequence[float]) -> None:
    """Set the total power and the heterogeneity of the pool's nodes [D 2.2, (2.2) and (2.3)]."""
    fastest = max(speeds, default=1.0)
    network = measure_network([speed / fastest for speed in speeds]) if speeds else None
    metrics.pool_power.set(0.0 if network is None else float(network.power))
    metrics.pool_heterogeneity.set(0.0 if network is None else float(network.heterogeneity))


def _refresh_pace(metrics: Metrics, state: State) -> None:
    """Set the gauges of pace from the statuses of all gangs with reservations."""
    gangs = (state.gangs[key] for key in state.reservations if key in state.gangs)
    paces = [gang.status.pace for gang in gangs if gang.status.pace is not None]
    metrics.pace.members.set(sum(pace.paced for pace in paces))
    metrics.pace.given_back.set(sum(pace.given_back for pace in paces) / 1000)


def _most_overdue(state: State, states: Mapping[GangKey, str], now: float) -> float:
    """The longest time, in seconds, since the first planned start of a gang that was never placed; 0 if none is late.

    A GangJob that was placed before is left out, because its status keeps this start. The status of a Gang has this
    start only while pods wait.
    """
    waiting = (gang for gang in state.gangs.values() if states.get(gang.key) in _NOT_PLACED)
    first = (gang.status for gang in waiting if gang.status.active_since is None or is_pod_gang(gang.key))
    planned = (status.first_planned_start for status in first)
    return max((now - start for start in planned if start is not None and start < now), default=0.0)


def _waiting_since(gang: GangFact) -> float:
    """The time since which the gang has been neither suspended nor waiting for other gangs.

    Infinity if the gang still waits for other gangs. For a Gang that awaits pods, it is the time since which some of
    its pods wait for the others. It is infinity if none waits, for example if all its pods have ended.
    """
    if gang.unmet:
        return math.inf
    if isinstance(gang, AcceptedGang) and gang.spec.awaits_pods:
        return math.inf if gang.spec.lacks_pods else gang.spec.awaits_since or gang.created
    suspended = gang.status.condition(Condition.SUSPENDED)
    times = [gang.created, *(one.at for one in gang.status.after if one.at is not None)]
    return max(times) if suspended is None else max(*times, suspended.last_transition)


def _state_of(gang: GangFact, state: State) -> str:
    """The state of the gang in metrics, one of ``GANG_STATES``.

    A gang that still has to start is refused if its spec can't be obeyed, or if kubelets reject its members. Otherwise
    it is pending.
    """
    phase = state.phase_of(gang)
    match phase:
        case Phase.SUSPENDED | Phase.RESERVED | Phase.PLACED | Phase.COMPLETE:
            return phase.lower()
        case Phase.AWAITS_PODS:
            return "placed" if gang.status.is_true(Condition.PLACED) else _state_without_nodes(gang)
        case Phase.DELETED | Phase.REFUSED | Phase.AWAITS_OTHERS | Phase.WAITING | Phase.BACKING_OFF:
            return "refused" if _is_wrong(gang, state) else "pending"
        case _:
            assert_never(phase)


def _state_without_nodes(gang: GangFact) -> str:
    """The state of a Gang that awaits pods: complete if it has run, and none of its pods waits for others now."""
    has_run = gang.status.active_since is not None
    return "complete" if has_run and isinstance(gang, AcceptedGang) and gang.spec.lacks_pods else "pending"


def _is_wrong(gang: GangFact, state: State) -> bool:
    is_understood = isinstance(gang, AcceptedGang) and not gang.spec.excess and state.pool.refusal(gang) is None
    return not is_understood or state.rejections.refusal(gang) is not None
