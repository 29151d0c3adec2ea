"""Sizes and starts chosen as if all nodes were equally fast: what knowing their speeds is worth."""

from dataclasses import dataclass, field, replace

import numpy as np

from lockstep.simulation.cluster import Cluster, Decided, Policy, Start
from lockstep.simulation.policies.planned import Planned


@dataclass(slots=True, kw_only=True)
class Blind:
    """Shows a policy nodes of one speed, the mean; whoever starts gets the fastest that are free."""

    policy: Policy = field(default_factory=Planned)

    def decide(self, cluster: Cluster) -> Decided:
        """Start what the policy starts, though elsewhere, and tell what it tells."""
        mean = 1 / float(np.mean(1 / cluster.slowdowns))
        decided = self.policy.decide(replace(cluster, slowdowns=np.full(len(cluster.slowdowns), mean)))
        free = cluster.fastest(sum(len(start.nodes) for start in decided.starts))
        starts: list[Start] = []
        for job, nodes in decided.starts:
            starts.append(Start(job, free[: len(nodes)]))
            free = free[len(nodes) :]
        return Decided(starts, decided.told)
