"""Sizes and starts chosen as if all nodes were equally fast: what knowing their speeds is worth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from lockstep.simulation.model.cluster import Cluster, Policy, SimulatedDecision, Start


@dataclass(slots=True, kw_only=True)
class Blind:
    """Shows a policy nodes of one speed, the mean; whoever starts gets the first that are ``idle``."""

    policy: Policy
    idle: Callable[[Cluster], list[int]]

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Start what the policy starts, though elsewhere, and tell what it tells."""
        mean = 1 / float(np.mean(1 / cluster.slowdowns))
        decided = self.policy.decide(replace(cluster, slowdowns=np.full(len(cluster.slowdowns), mean)))
        return SimulatedDecision(list(_on_first(cluster, decided.starts, self.idle(cluster))), decided.told)


def in_any_order(cluster: Cluster) -> list[int]:
    """List the idle nodes as somebody finds them who knows nothing of speeds; always in the same order."""
    order = _any_order(len(cluster.slowdowns))
    return sorted(cluster.idle(), key=order.__getitem__)


@cache
def _any_order(nodes: int) -> Sequence[int]:
    order: list[int] = np.random.default_rng(0).permutation(nodes).tolist()
    return order


def _on_first(cluster: Cluster, starts: Sequence[Start], idle: list[int]) -> Iterator[Start]:
    """Leave out who would end too late there for the owners of the nodes."""
    for job, nodes in starts:
        chosen = cluster.first_fitting(job, idle, len(nodes), len(nodes))
        if chosen:
            yield Start(job, chosen)
            idle = [node for node in idle if node not in set(chosen)]
