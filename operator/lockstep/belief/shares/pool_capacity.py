"""What the nodes of the pool have together, of the resources by which use is measured."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from lockstep.api.pool import Pool
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.pods.pod import Request

# A sum over thousands of nodes; nodes that come and go change a part of them little.
_COUNTED_FOR_SECONDS = 30.0
_BASIC = frozenset({"cpu", "memory"})


class PoolCapacity:
    """The sums over the pool's nodes, counted again after a while."""

    def __init__(self, nodes: Mapping[str, NodeFact], pool: Pool) -> None:
        self._nodes = nodes
        self._pool = pool
        self._amounts: Mapping[str, int] = {}
        self._counted_at = -math.inf
        self.counts_made = 0
        """How often a count was another one: parts of it stay the same until then."""

    def update(self, now: float) -> None:
        """Count again if the last count is old."""
        if self._amounts and abs(now - self._counted_at) < _COUNTED_FOR_SECONDS:
            return
        sums = dict[str, int]()
        for node in self._nodes.values():
            if self._pool.has(node.labels):
                for name, amount in node.allocatable:
                    sums[name] = sums.get(name, 0) + amount
        amounts, self._counted_at = {name: most for name, most in sums.items() if counts(name)}, now
        if amounts != self._amounts:
            self._amounts = amounts
            self.counts_made += 1

    def amount(self, resource: str) -> int:
        """How much of a resource there is; 0 for one that does not count."""
        return self._amounts.get(resource, 0)

    def part(self, members: Iterable[tuple[Request, int]]) -> float:
        """The dominant share of numbers of members with these requests: their largest part of a resource.

        It is 1 at most, also while nodes of theirs are gone.
        """
        taken = Counter[str]()
        for request, count in members:
            taken.update({name: amount * count for name, amount in request if name in self._amounts})
        parts = (amount / self._amounts[name] for name, amount in taken.items() if self._amounts[name])
        return min(1.0, max(parts, default=0.0))


def counts(resource: str) -> bool:
    """Whether use is measured by that resource: cpu, memory, and devices such as ``nvidia.com/gpu``."""
    return resource in _BASIC or "/" in resource
