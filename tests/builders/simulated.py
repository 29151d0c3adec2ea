"""Nodes of simulations."""

import numpy as np

from lockstep.simulation.model.nodes import SimulatedNodes
from lockstep.simulation.presence.office_hours import hours_of


def unowned(slowdowns):
    """Describe nodes of these slow-downs, the fastest first, that no owner takes back."""
    slowdowns = np.array(slowdowns, dtype=np.float64)
    return SimulatedNodes(slowdowns, hours_of(None, len(slowdowns), np.random.default_rng(0)))
