"""Says in a few words why a node takes no members. All messages use this rule."""

from lockstep.api.pool import Pool
from lockstep.facts.cluster.node import NodeFact


def why_unschedulable(node: NodeFact | None, pool: Pool) -> str:
    """Why no member can start on the node; '' if the node is in the pool, ready and not cordoned."""
    if node is None:
        return "gone"
    if not pool.has(node.labels):
        return "not in the pool"
    if not node.is_ready:
        return "not ready"
    return "cordoned" if node.is_unschedulable else ""
