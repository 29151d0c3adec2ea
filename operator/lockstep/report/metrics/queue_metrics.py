"""Waiting gangs by priority and by namespace, with a bounded number of series.

Tenants may create namespaces, and there may be thousands of priorities. So the priorities and namespaces with the most
waiting gangs have their own series, and all others share one. Its label has brackets, which no namespace and no number
has.
"""

from collections import Counter
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Gauge

from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact

MOST_SERIES = 20
"""At most this number of priorities have series of their own, and at most this number of namespaces."""
OTHERS = "(others)"
UNKNOWN_PRIORITY = "(unknown)"
"""For gangs whose PriorityClass does not exist."""


class QueueMetrics:
    """Gauges of waiting gangs, refreshed when the metrics are read; series without waiting gangs are removed then."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._by_priority = Gauge(
            "lockstep_waiting_gangs_by_priority",
            "Waiting gangs by priority: the 20 priorities with the most of them, and all other priorities together.",
            ["priority"],
            registry=registry,
        )
        self._by_namespace = Gauge(
            "lockstep_waiting_gangs_by_namespace",
            "Waiting gangs by namespace: the 20 namespaces with the most of them, and all other namespaces together.",
            ["gang_namespace"],
            registry=registry,
        )
        self.refresh(())

    def refresh(self, waiting: Iterable[tuple[str, str]]) -> None:
        """Set both gauges from the priority and the namespace of each waiting gang."""
        pairs = list(waiting)
        _show(self._by_priority, Counter(priority for priority, _ in pairs))
        _show(self._by_namespace, Counter(namespace for _, namespace in pairs))


def place_in_queue(state: State, gang: GangFact) -> tuple[str, str]:
    """The priority and the namespace of a waiting gang, as label values."""
    priority = state.priorities.of(gang)
    return UNKNOWN_PRIORITY if priority is None else str(priority), gang.key.namespace


def _show(gauge: Gauge, counts: Counter[str]) -> None:
    """Show the largest counts. Equal counts are ordered by name, so the choice changes only if counts change."""
    shown = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_SERIES]
    gauge.clear()
    gauge.labels(OTHERS).set(counts.total() - sum(counts[name] for name in shown))
    for name in shown:
        gauge.labels(name).set(counts[name])
