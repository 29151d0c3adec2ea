"""What an attempt that is taken back waits for, in words: its pods, and what to do of a dead node."""

from collections.abc import Iterable

from lockstep.belief.lost_nodes import OUT_OF_SERVICE, LostNodes
from lockstep.belief.state import State
from lockstep.facts.pod import PodFact
from lockstep.report.sentences import listed


def waits_for(pods: Iterable[PodFact], state: State, lost_nodes: LostNodes, now: float) -> str:
    """``waits for g-1-0 on n1, g-1-3 on n4. If node n4 is dead, …``, without the full stop at its end; '' for no pods.

    What to do is only said of nodes that are not ready, or whose pods have outstayed their grace period ``now``.
    """
    left = sorted(pods, key=lambda pod: pod.key)
    if not left:
        return ""
    named = [pod.key.name + _where(pod, lost_nodes) for pod in left]
    doubtful = sorted({pod.node for pod in left if _may_be_dead(pod, state, now)})
    return f"waits for {listed(named)}{_advice(doubtful)}"


def _where(pod: PodFact, lost_nodes: LostNodes) -> str:
    if not pod.node:
        return ""
    why = lost_nodes.why_lost(pod.node)
    return f" on {pod.node}" + ("" if why is None else f", which {why}")


def _may_be_dead(pod: PodFact, state: State, now: float) -> bool:
    """Whether a person has to look at the pod's node. Of one that is gone or out of service Kubernetes knows enough."""
    node = state.nodes.get(pod.node)
    if node is None or any(taint.key == OUT_OF_SERVICE for taint in node.taints):
        return False
    return not node.is_ready or (pod.gone_by is not None and pod.gone_by < now)


def _advice(nodes: list[str]) -> str:
    if not nodes:
        return ""
    which, taint = (f"node {nodes[0]} is", "the node") if len(nodes) == 1 else (f"nodes {listed(nodes)} are", "each")
    return f". If {which} dead, delete the pods there or taint {taint} {OUT_OF_SERVICE}"
