"""Measured speeds of nodes, shared with nodes of the same hardware that have no measurement.

An agent may report anything, but only about its own node. So the shared value is the median, which a few wrong reports
move little. Bounds limit even a single report. The shared value changes rarely, because each change affects the plans
of all nodes that share it.
"""

import math
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Collection
from typing import NamedTuple

from lockstep.api.nodebid.speeds import within_speeds
from lockstep.facts.cluster.node import MOST_NODES_COUNTED, SharedCapacity

SETTLED_SECONDS = 600.0

# In decimal places. Measurements vary by one or two hundredths: more digits would be noise.
_DIGITS = 2


class Hardware(NamedTuple):
    """The hardware of nodes that share a capacity: their processor, and the kind in their label."""

    processor: str
    kind: str


class _SharedEntry(NamedTuple):
    hardware: Hardware
    capacity: float | None


class _Group:
    """The nodes of one hardware, their measurements, and the shared value, last updated at ``_updated_at``."""

    def __init__(self) -> None:
        self.nodes: set[str] = set()
        self.shared: SharedCapacity | None = None
        self._capacities: list[float] = []
        self._updated_at = -math.inf

    def enter(self, node: str, capacity: float | None) -> None:
        self.nodes.add(node)
        if capacity is not None:
            insort(self._capacities, capacity)

    def leave(self, node: str, capacity: float | None) -> None:
        self.nodes.discard(node)
        if capacity is not None:
            del self._capacities[bisect_left(self._capacities, capacity)]

    @property
    def is_up_to_date(self) -> bool:
        return self.shared == self._measured

    @property
    def due(self) -> float:
        return self._updated_at + SETTLED_SECONDS

    def update(self, now: float) -> bool:
        """Share the current median, unless the shared value changed recently; returns whether it was updated."""
        # A clock that was set back does not delay the update.
        if self._updated_at <= now < self.due:
            return False
        self.shared, self._updated_at = self._measured, now
        return True

    @property
    def _measured(self) -> SharedCapacity | None:
        """The median of the measurements."""
        known = self._capacities
        if not known:
            return None
        median = (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2
        return SharedCapacity(round(within_speeds(median), _DIGITS), min(len(known), MOST_NODES_COUNTED))


class SharedCapacities:
    """Capacities that agents measured, by hardware. Nodes of unknown processors share none.

    A shared value stays for at least ``SETTLED_SECONDS`` after each update. So frequent changes of measurements rarely
    change plans. ``outdated`` is called when an update waits.
    """

    def __init__(self, outdated: Callable[[], None]) -> None:
        self._report_outdated = outdated
        self._by_node: dict[str, _SharedEntry] = {}
        self._groups: defaultdict[Hardware, _Group] = defaultdict(_Group)
        self._outdated: set[Hardware] = set()

    def record(self, node: str, hardware: Hardware | None, capacity: float | None) -> None:
        """Record the node's hardware and its measurement."""
        before = self._by_node.get(node)
        now = None if hardware is None or not hardware.processor else _SharedEntry(hardware, capacity)
        if now == before:
            return
        if before is not None:
            del self._by_node[node]
            self._groups[before.hardware].leave(node, before.capacity)
        if now is not None:
            self._by_node[node] = now
            self._groups[now.hardware].enter(node, now.capacity)
        # Only now are empty groups dropped. So a node that is the only one of its hardware keeps its group.
        for entry in (before, now):
            if entry is not None:
                self._check_outdated(entry.hardware)

    def of(self, node: str) -> SharedCapacity | None:
        """The capacity that nodes of the same hardware share; None if none of them was measured."""
        entry = self._by_node.get(node)
        return None if entry is None else self._groups[entry.hardware].shared

    def update(self, now: float) -> Collection[str]:
        """Update shared values that are due; returns the nodes that share them."""
        updated = [hardware for hardware in self._outdated if self._groups[hardware].update(now)]
        self._outdated.difference_update(updated)
        return [node for hardware in updated for node in self._groups[hardware].nodes]

    def next_due(self) -> float:
        """When the next update is due; infinity if no update waits."""
        return min((self._groups[hardware].due for hardware in self._outdated), default=math.inf)

    def _check_outdated(self, hardware: Hardware) -> None:
        if not self._groups[hardware].nodes:
            del self._groups[hardware]
            self._outdated.discard(hardware)
        elif self._groups[hardware].is_up_to_date:
            self._outdated.discard(hardware)
        elif hardware not in self._outdated:
            self._outdated.add(hardware)
            self._report_outdated()
