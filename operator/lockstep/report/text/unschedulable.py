"""Why a node lets nobody in, in two or three words: the one rule for all who tell of it."""

from lockstep.api.pool import Pool
from lockstep.facts.cluster.node import NodeFact


def why_shut(node: NodeFact | None, pool: Pool) -> str:
    """What is in the way of every member; nothing where a member could start."""
    if node is None:
        return "gone"
    if not pool.has(node.labels):
        return "not in the pool"
    if not node.is_ready:
        return "not ready"
    return "cordoned" if node.is_unschedulable else ""
