"""Chooses sizes and starts as if all nodes were equally fast, to show what knowing their speeds is worth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from lockstep.simulation.model.cluster import Cluster, Policy, SimulatedDecision, Start


@dataclass(slots=True, kw_only=True)
class Blind:
    """Shows a policy the cluster as if all nodes had the mean speed. Jobs that start get the first ``idle`` nodes."""

    policy: Policy
    idle: Callable[[Cluster], list[int]]

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Start the jobs that the policy starts, but on other nodes, with its promises."""
        mean = 1 / float(np.mean(1 / cluster.slowdowns))
        decided = self.policy.decide(replace(cluster, slowdowns=np.full(len(cluster.slowdowns), mean)))
        return SimulatedDecision(list(_on_first(cluster, decided.starts, self.idle(cluster))), decided.promises)


def in_any_order(cluster: Cluster) -> list[int]:
    """List the idle nodes in an order that ignores their speeds; it is always the same."""
    order = _any_order(len(cluster.slowdowns))
    return sorted(cluster.idle(), key=order.__getitem__)


@cache
def _any_order(nodes: int) -> Sequence[int]:
    order: list[int] = np.random.default_rng(0).permutation(nodes).tolist()
    return order


def _on_first(cluster: Cluster, starts: Sequence[Start], idle: list[int]) -> Iterator[Start]:
    """Yield starts of the same sizes on the first idle nodes, without jobs that would not end before owners come."""
    for job, nodes in starts:
        chosen = cluster.first_fitting(job, idle, len(nodes), len(nodes))
        if chosen:
            yield Start(job, chosen)
            idle = [node for node in idle if node not in set(chosen)]
