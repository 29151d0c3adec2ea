"""What gangs of each namespace hold, and how far their records are, with a bounded number of series.

Tenants may create namespaces. So those whose gangs hold the most have their own series, and all others share one.
"""

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Mapping

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client import Counter as CounterMetric

from lockstep.belief.records.stretches import gpus_in
from lockstep.belief.state import State
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.pods.pod import Request
from lockstep.report.metrics.queue_metrics import OTHERS

MOST_NAMESPACES = 50
"""The most namespaces with series of their own, for each resource."""

Usage = Mapping[str, Counter[str]]
"""What gangs hold of each resource in base units, by their namespace."""


class UsageMetrics:
    """Gauges of what gangs hold, refreshed when the metrics are read, and metrics of the hand-over of records."""

    def __init__(self, registry: CollectorRegistry) -> None:
        largest = f"for the {MOST_NAMESPACES} largest namespaces, and for all others together"
        self._cores = Gauge(
            "lockstep_namespace_cores",
            f"Cores that members of gangs request, {largest}.",
            ["gang_namespace"],
            registry=registry,
        )
        self._gpus = Gauge(
            "lockstep_namespace_gpus",
            f"GPUs that members of gangs request, {largest}.",
            ["gang_namespace"],
            registry=registry,
        )
        self._memory = Gauge(
            "lockstep_namespace_memory_bytes",
            f"Memory that members of gangs request, {largest}.",
            ["gang_namespace"],
            registry=registry,
        )
        self._waiting = Gauge(
            "lockstep_records_waiting",
            "Records that wait in the leader until the recorder takes them.",
            registry=registry,
        )
        self._dropped = CounterMetric(
            "lockstep_records_dropped",
            "Records that were lost, since the recorder took none and too many waited.",
            registry=registry,
        )
        self._counted = 0
        self._show({})

    def refreshing(self, state: State) -> Generator[None, None, None]:
        """Set all of them from the cache, in steps between which the cache may change."""
        usage = yield from _counting(state)
        self._show(usage)
        self._waiting.set(len(state.records))
        self._dropped.inc(state.records.dropped - self._counted)
        self._counted = state.records.dropped

    def _show(self, usage: Usage) -> None:
        _show(self._cores, {name: held["cpu"] / 1000 for name, held in usage.items()})
        _show(self._gpus, {name: gpus_in(held) for name, held in usage.items()})
        _show(self._memory, {name: held["memory"] for name, held in usage.items()})


def _counting(state: State) -> Generator[None, None, Usage]:
    """What is held: of a Gang by its pods on nodes, of a GangJob by members that are on nodes, or about to be."""
    usage: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reservation in list(state.reservations.values()):
        yield
        if not is_pod_gang(reservation.gang):
            charged = state.ledger.charged(reservation.gang_uid, reservation.attempt)
            _add(usage[reservation.gang.namespace], ((request, count) for (_, request), count in charged.items()))
    for key in list(state.gangs):
        if is_pod_gang(key):
            yield
            taken = state.pod_gangs.group(key).held.taken
            _add(usage[key.namespace], ((request, count) for (_, request), count in taken.items()))
    return usage


def _add(held: Counter[str], counted: Iterable[tuple[Request, int]]) -> None:
    for request, count in counted:
        for resource, amount in request:
            held[resource] += amount * count


def _show(gauge: Gauge, held: Mapping[str, float]) -> None:
    """Show the namespaces that hold the most; among equals the first by name."""
    largest = sorted((name for name in held if held[name]), key=lambda name: (-held[name], name))[:MOST_NAMESPACES]
    gauge.clear()
    gauge.labels(OTHERS).set(sum(held[name] for name in held.keys() - set(largest)))
    for name in largest:
        gauge.labels(name).set(held[name])
