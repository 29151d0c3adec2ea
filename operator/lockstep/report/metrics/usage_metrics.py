"""The resources that gangs of each namespace hold, and how many records wait or were lost.

Tenants may create many namespaces, but the number of series is bounded. Only the namespaces whose gangs hold the most
have their own series, and all others share one.
"""

from collections import Counter, defaultdict
from collections.abc import Generator, Mapping

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client import Counter as CounterMetric

from lockstep.belief.records.stretches import gpus_in
from lockstep.belief.state import State
from lockstep.report.metrics.capacity import members_by_gang
from lockstep.report.metrics.queue_metrics import OTHERS

MOST_NAMESPACES = 50
"""For each resource, at most this number of namespaces have series of their own."""

Usage = Mapping[str, Counter[str]]
"""By namespace, the amount of each resource that gangs hold, in base units."""


class UsageMetrics:
    """Metrics of what gangs hold, and of records that wait for the recorder; refreshed when the metrics are read."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._declare_usage(registry)
        self._declare_records(registry)
        self._show({})

    def _declare_usage(self, registry: CollectorRegistry) -> None:
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

    def _declare_records(self, registry: CollectorRegistry) -> None:
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

    def refreshing(self, state: State) -> Generator[None, None, None]:
        """Set all metrics from the cache. The cache may change between the steps."""
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
    usage: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for gang, members in members_by_gang(state):
        for (_, request), count in members.items():
            for resource, amount in request:
                usage[gang.namespace][resource] += amount * count
        yield
    return usage


def _show(gauge: Gauge, held: Mapping[str, float]) -> None:
    """Show the namespaces that hold the most. Namespaces that hold equally much are ordered by name."""
    largest = sorted((name for name in held if held[name]), key=lambda name: (-held[name], name))[:MOST_NAMESPACES]
    gauge.clear()
    gauge.labels(OTHERS).set(sum(held[name] for name in held.keys() - set(largest)))
    for name in largest:
        gauge.labels(name).set(held[name])
