"""What forecasts of owners' return are worth: the same planner without them, or without the nodes of owners."""

import math
from dataclasses import dataclass, replace

import numpy as np

from coschedule import no_forecasts
from lockstep.simulation.model.cluster import Cluster, Policy, SimulatedDecision


@dataclass(slots=True, kw_only=True)
class Heedless:
    """Shows a policy owners who are there, and nothing of when the others may come back."""

    policy: Policy

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Start and tell what the policy does that expects nobody."""
        return self.policy.decide(replace(cluster, forecasts=no_forecasts()))


@dataclass(slots=True, kw_only=True)
class Unowned:
    """Shows a policy the nodes of owners as if these were always there."""

    policy: Policy

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Start and tell what the policy does on nodes without owners."""
        opens = np.where(cluster.owned, math.inf, cluster.windows.opens)
        return self.policy.decide(replace(cluster, windows=cluster.windows._replace(opens=opens)))
