"""How fast processors are that agents have measured: nodes with the same one share the speed until measured themselves.

Agents say what they like, each of its own node only. So what they say is shared as the median, which a few that are
wrong don't move far, and within bounds, so that not even the only one makes others absurd.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from lockstep.api.speeds import within_speeds
from lockstep.facts.bid_plan import BidReport
from lockstep.facts.node import MOST_NODES_TOLD, SharedCapacity

# Measurements vary by a hundredth or two: with more digits every one of them would have all sharers planned anew.
_DIGITS = 2


class _Entry(NamedTuple):
    processor: str
    capacity: float | None


class Processors:
    """What agents say of their nodes' processors, by node; a node whose processor nobody knows shares nothing."""

    def __init__(self) -> None:
        self._by_node: dict[str, _Entry] = {}
        self._nodes: defaultdict[str, set[str]] = defaultdict(set)
        self._capacities: defaultdict[str, list[float]] = defaultdict(list)

    def note(self, node: str, report: BidReport | None) -> set[str]:
        """An agent says so now, or nothing any more; returns the processors whose shared capacity has changed."""
        before = self._by_node.get(node)
        now = None if report is None or not report.processor else _Entry(report.processor, report.capacity)
        if now == before:
            return set()
        concerned = {entry.processor for entry in (before, now) if entry is not None}
        shared = {processor: self.shared(processor) for processor in concerned}
        if before is not None:
            self._drop(node, before)
        if now is not None:
            self._enter(node, now)
        return {processor for processor in concerned if self.shared(processor) != shared[processor]}

    def shared(self, processor: str) -> SharedCapacity | None:
        """The median of what was measured on nodes with that processor; None where none has been measured."""
        known = self._capacities.get(processor)
        if not known:
            return None
        median = (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2
        capacity = round(within_speeds(median), _DIGITS)
        return SharedCapacity(capacity, min(len(known), MOST_NODES_TOLD))

    def nodes(self, processor: str) -> Collection[str]:
        """The nodes with that processor, measured or not."""
        return self._nodes.get(processor, ())

    def _enter(self, node: str, entry: _Entry) -> None:
        self._by_node[node] = entry
        self._nodes[entry.processor].add(node)
        if entry.capacity is not None:
            insort(self._capacities[entry.processor], entry.capacity)

    def _drop(self, node: str, entry: _Entry) -> None:
        del self._by_node[node]
        self._nodes[entry.processor].discard(node)
        if not self._nodes[entry.processor]:
            del self._nodes[entry.processor]
        if entry.capacity is not None:
            capacities = self._capacities[entry.processor]
            del capacities[bisect_left(capacities, entry.capacity)]
            if not capacities:
                del self._capacities[entry.processor]
