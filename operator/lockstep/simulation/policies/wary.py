"""A policy without forecasts of node owners, or without their nodes, to show what the forecasts are worth."""

import math
from dataclasses import dataclass, replace

import numpy as np

from coschedule import no_forecasts
from lockstep.simulation.model.cluster import Cluster, Policy, SimulatedDecision


@dataclass(slots=True, kw_only=True)
class Heedless:
    """Shows a policy which owners are there, but no forecast of when others may come back."""

    policy: Policy

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Decide as the policy does without forecasts."""
        return self.policy.decide(replace(cluster, forecasts=no_forecasts()))


@dataclass(slots=True, kw_only=True)
class Unowned:
    """Shows a policy the nodes of owners as if their owners were always there."""

    policy: Policy

    def decide(self, cluster: Cluster) -> SimulatedDecision:
        """Decide as the policy does on nodes without owners."""
        opens = np.where(cluster.owned, math.inf, cluster.windows.opens)
        return self.policy.decide(replace(cluster, windows=cluster.windows._replace(opens=opens)))
