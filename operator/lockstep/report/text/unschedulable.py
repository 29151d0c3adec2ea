"""Says in a few words why a node takes no members. All messages use this rule."""

from lockstep.api.pool import Pool
from lockstep.facts.cluster.node import BidFact, NodeFact


def why_unschedulable(node: NodeFact | None, pool: Pool) -> str:
    """Why no member can start on the node; '' if the node is in the pool, ready and not cordoned."""
    if node is None:
        return "gone"
    if not pool.has(node.labels):
        return "not in the pool"
    if not node.is_ready:
        return "not ready"
    return "cordoned" if node.is_unschedulable else ""


def why_closed(node: NodeFact | None, bid: BidFact | None, pool: Pool) -> str:
    """Why no member can start on the node, whatever the time; '' if only times in the node's bid may prevent it."""
    why = why_unschedulable(node, pool)
    if why or bid is None:
        return why
    if bid.slots == 0:
        return "no slots"
    return "owner present" if bid.owner_present else ""
