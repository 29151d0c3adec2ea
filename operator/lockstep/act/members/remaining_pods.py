"""Sentences about pods that a teardown waits for or leaves behind, and advice about dead nodes."""

from collections.abc import Iterable

from lockstep.belief.lost_nodes import OUT_OF_SERVICE, LostNodes
from lockstep.belief.pods.pod_effects import takes_room
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodFact
from lockstep.report.text.sentences import REMEDY_BEGINS, listed


def waits_for(pods: Iterable[PodFact], state: State, lost_nodes: LostNodes, now: float) -> str:
    """``it waits for g-1-0 on n1, g-1-3 on n4. If node n4 is dead, …``, without a last full stop; '' for no pods.

    The advice is only for nodes that are not ready, or whose pods exist after their grace period at ``now``.
    """
    left = _sorted(pods)
    if not left:
        return ""
    maybe_dead = sorted({pod.node for pod in left if _may_be_dead(pod, state, now)})
    return f"it waits for {_named(left, lost_nodes)}{_advice(maybe_dead)}"


def left_behind(pods: Iterable[PodFact], lost_nodes: LostNodes) -> str:
    """``there: g-1-0 on n1, kept by the finalizer example.com/hold``; '' for no pods."""
    left = _sorted(pods)
    return f"there: {_named(left, lost_nodes)}" if left else ""


def kept_by(pod: PodFact) -> str:
    """A clause that names the finalizers of a pod that is being deleted; '' if it has none."""
    if not pod.finalizers:
        return ""
    return f", kept by the finalizer{'s' if len(pod.finalizers) > 1 else ''} {listed(pod.finalizers)}"


def _sorted(pods: Iterable[PodFact]) -> list[PodFact]:
    return sorted(pods, key=lambda pod: pod.key)


def _named(pods: Iterable[PodFact], lost_nodes: LostNodes) -> str:
    return listed([pod.key.name + _where(pod, lost_nodes) + kept_by(pod) for pod in pods])


def _where(pod: PodFact, lost_nodes: LostNodes) -> str:
    if not pod.node:
        return ""
    why = lost_nodes.why_lost(pod.node)
    return f" on {pod.node}" + ("" if why is None else f", which {why}")


def _may_be_dead(pod: PodFact, state: State, now: float) -> bool:
    """Whether a person must check the pod's node. This is not needed for nodes that are gone or out of service."""
    node = state.nodes.get(pod.node)
    if node is None or not takes_room(pod) or any(taint.key == OUT_OF_SERVICE for taint in node.taints):
        return False
    return not node.is_ready or (pod.gone_by is not None and pod.gone_by < now)


def _advice(nodes: list[str]) -> str:
    if not nodes:
        return ""
    which, taint = (f"node {nodes[0]} is", "the node") if len(nodes) == 1 else (f"nodes {listed(nodes)} are", "each")
    return f". {REMEDY_BEGINS}{which} dead, delete the pods there or taint {taint} {OUT_OF_SERVICE}"
