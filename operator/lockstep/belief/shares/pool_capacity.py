"""The total of all nodes of the pool, by each resource that measures use."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from lockstep.api.pool import Pool
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.pods.pod import Request

# How long a count is used, in seconds. Counting reads thousands of nodes, and a few new or removed nodes change shares
# little.
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
        """How often a count had another result than the count before. Between such counts, shares stay the same."""

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
        """The amount of a resource on all nodes; 0 for a resource that does not measure use."""
        return self._amounts.get(resource, 0)

    def part(self, members: Iterable[tuple[Request, int]]) -> float:
        """The dominant share of these members, given as requests with numbers of members.

        This is the largest part of a resource's total that they request together. It is 1 at most, even while some of
        their nodes are gone.
        """
        taken = Counter[str]()
        for request, count in members:
            taken.update({name: amount * count for name, amount in request if name in self._amounts})
        parts = (amount / self._amounts[name] for name, amount in taken.items() if self._amounts[name])
        return min(1.0, max(parts, default=0.0))


def counts(resource: str) -> bool:
    """Whether use is measured by that resource: cpu, memory, and devices such as ``nvidia.com/gpu``."""
    return resource in _BASIC or "/" in resource
