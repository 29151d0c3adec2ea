"""How fast nodes are that agents have measured: others of the same hardware share that until measured themselves.

Agents say what they like, each of its own node only. So what they say is shared as the median, which a few that are
wrong don't move far, and within bounds, so that not even the only one makes others absurd. And it changes rarely: each
change has all nodes that share it planned anew.
"""

import math
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Collection
from typing import NamedTuple

from lockstep.api.nodebid.speeds import within_speeds
from lockstep.facts.cluster.node import MOST_NODES_COUNTED, SharedCapacity

SETTLED_SECONDS = 600.0

# Measurements vary by a hundredth or two: more digits would be noise.
_DIGITS = 2


class Hardware(NamedTuple):
    """What nodes have in common that share a capacity: the processor, and the kind that their label names."""

    processor: str
    kind: str


class _SharedEntry(NamedTuple):
    hardware: Hardware
    capacity: float | None


class _Group:
    """The nodes of one hardware, what was measured on them, and what of that is ``shared`` since ``_settled_at``."""

    def __init__(self) -> None:
        self.nodes: set[str] = set()
        self.shared: SharedCapacity | None = None
        self._capacities: list[float] = []
        self._settled_at = -math.inf

    def enter(self, node: str, capacity: float | None) -> None:
        self.nodes.add(node)
        if capacity is not None:
            insort(self._capacities, capacity)

    def leave(self, node: str, capacity: float | None) -> None:
        self.nodes.discard(node)
        if capacity is not None:
            del self._capacities[bisect_left(self._capacities, capacity)]

    @property
    def is_settled(self) -> bool:
        return self.shared == self._measured

    @property
    def due(self) -> float:
        return self._settled_at + SETTLED_SECONDS

    def settle(self, now: float) -> bool:
        """Share what is measured by now, unless what is shared has changed lately; returns whether that is done."""
        # A clock that was set back makes nobody wait until it has caught up.
        if self._settled_at <= now < self.due:
            return False
        self.shared, self._settled_at = self._measured, now
        return True

    @property
    def _measured(self) -> SharedCapacity | None:
        """The median of what was measured."""
        known = self._capacities
        if not known:
            return None
        median = (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2
        return SharedCapacity(round(within_speeds(median), _DIGITS), min(len(known), MOST_NODES_COUNTED))


class SharedCapacities:
    """What agents measured on nodes, by hardware; a node whose processor nobody knows shares nothing.

    What is shared changes when it is settled: at once where it has not changed for ``SETTLED_SECONDS``, else when these
    are over. So however often agents change their minds, nodes are seldom planned anew for what others say.
    ``unsettled`` is called where there is more to settle.
    """

    def __init__(self, unsettled: Callable[[], None]) -> None:
        self._tell = unsettled
        self._by_node: dict[str, _SharedEntry] = {}
        self._groups: defaultdict[Hardware, _Group] = defaultdict(_Group)
        self._unsettled: set[Hardware] = set()

    def note(self, node: str, hardware: Hardware | None, capacity: float | None) -> None:
        """The node has that hardware now, and that was measured there."""
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
        # Only now: a node that is the only one of its hardware, and stays so, does not begin anew with each change.
        for entry in (before, now):
            if entry is not None:
                self._note_whether_settled(entry.hardware)

    def of(self, node: str) -> SharedCapacity | None:
        """What nodes of its hardware share; None where none has been measured."""
        entry = self._by_node.get(node)
        return None if entry is None else self._groups[entry.hardware].shared

    def settle(self, now: float) -> Collection[str]:
        """Share what may change by now; returns the nodes that share it."""
        settled = [hardware for hardware in self._unsettled if self._groups[hardware].settle(now)]
        self._unsettled.difference_update(settled)
        return [node for hardware in settled for node in self._groups[hardware].nodes]

    def next_due(self) -> float:
        """When there is something to settle that can't be yet; infinity where there is nothing."""
        return min((self._groups[hardware].due for hardware in self._unsettled), default=math.inf)

    def _note_whether_settled(self, hardware: Hardware) -> None:
        if not self._groups[hardware].nodes:
            del self._groups[hardware]
            self._unsettled.discard(hardware)
        elif self._groups[hardware].is_settled:
            self._unsettled.discard(hardware)
        elif hardware not in self._unsettled:
            self._unsettled.add(hardware)
            self._tell()
