"""Who waits: gangs by priority and by namespace, in a number of series that no tenant can drive up.

Both labels are data: anybody may make namespaces, and classes of thousands of priorities. So those with the most gangs
that wait have series of their own, and all others share one. Its name has brackets, which no namespace and no
number has.
"""

from collections import Counter
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Gauge

from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact

MOST_SERIES = 20
"""So many priorities and so many namespaces have series of their own."""
OTHERS = "(others)"
UNKNOWN_PRIORITY = "(unknown)"
"""Of gangs whose priority class is not there."""


class QueueMetrics:
    """Brought up to date when somebody reads them; the series of what nobody waits in any more are gone then."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._by_priority = Gauge(
            "lockstep_waiting_gangs_by_priority",
            "Gangs that hold no nodes, by priority: the 20 with the most such gangs, and all others together.",
            ["priority"],
            registry=registry,
        )
        self._by_namespace = Gauge(
            "lockstep_waiting_gangs_by_namespace",
            "Gangs that hold no nodes, by their namespace: the 20 with the most such gangs, and all others together.",
            ["gang_namespace"],
            registry=registry,
        )
        self.refresh(())

    def refresh(self, waiting: Iterable[tuple[str, str]]) -> None:
        """Set both from the priority and the namespace of each gang that waits."""
        pairs = list(waiting)
        _show(self._by_priority, Counter(priority for priority, _ in pairs))
        _show(self._by_namespace, Counter(namespace for _, namespace in pairs))


def place_in_queue(state: State, gang: GangFact) -> tuple[str, str]:
    """The priority and the namespace of a gang that waits, as labels have them."""
    priority = None if gang.spec is None else state.priorities.of(gang)
    return UNKNOWN_PRIORITY if priority is None else str(priority), gang.key.namespace


def _show(gauge: Gauge, counts: Counter[str]) -> None:
    """Show the largest of these; among equals the first by name, so that nothing but the counts changes the choice."""
    shown = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_SERIES]
    gauge.clear()
    gauge.labels(OTHERS).set(counts.total() - sum(counts[name] for name in shown))
    for name in shown:
        gauge.labels(name).set(counts[name])
