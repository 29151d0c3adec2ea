"""Sizes and starts chosen as if all nodes were equally fast: what knowing their speeds is worth."""

from collections.abc import Iterator, Sequence
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
        return Decided(list(_on_fastest(cluster, decided.starts)), decided.told)


def _on_fastest(cluster: Cluster, starts: Sequence[Start]) -> Iterator[Start]:
    """Leave out who would end too late there for the owners of the nodes."""
    idle = cluster.idle()
    for job, nodes in starts:
        chosen = cluster.fastest(job, idle, len(nodes), len(nodes))
        if chosen:
            yield Start(job, chosen)
            idle = [node for node in idle if node not in set(chosen)]
