"""What each informer watches, and which part of belief it feeds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lockstep import paths
from lockstep.facts import (
    AttachLimits,
    Attachment,
    ClaimFact,
    ClaimKey,
    NamespaceFact,
    NodeFact,
    PodFact,
    PodKey,
    VolumeFact,
)
from lockstep.state import State
from lockstep.watch.doubtful import doubtful_node, doubtful_pod
from lockstep.watch.kind import Kind
from lockstep.watch.parse import (
    parse_attachment,
    parse_claim,
    parse_csi_node,
    parse_namespace,
    parse_node,
    parse_pod,
    parse_volume,
)

Manifest = Mapping[str, Any]


class PriorityClass(NamedTuple):
    """One PriorityClass."""

    name: str
    value: int
    is_default: bool


def nodes_kind(state: State) -> Kind[NodeFact]:
    """All nodes."""
    return Kind(
        target=paths.ALL_NODES,
        key=_name,
        parse=parse_node,
        apply=state.apply_node,
        remove=state.remove_node,
        doubts=state.doubts,
        doubtful=doubtful_node,
        counts_as="a node that is not ready",
    )


def pods_kind(state: State) -> Kind[PodFact]:
    """All pods, of everybody: what others run takes room too."""
    return Kind(
        target=paths.ALL_PODS,
        key=_pod_key,
        parse=parse_pod,
        apply=state.apply_pod,
        remove=lambda it: state.remove_pod(*it),
        doubts=state.doubts,
        doubtful=doubtful_pod,
        counts_as="filling its node, or as not having ended",
        believed=lambda: ((key, pod.uid) for key, pod in state.pods.items()),
    )


def namespaces_kind(state: State) -> Kind[NamespaceFact]:
    """All namespaces: a pod may keep away those of others, chosen by their labels."""
    return Kind(
        target=paths.ALL_NAMESPACES,
        key=_name,
        parse=parse_namespace,
        apply=state.apply_namespace,
        remove=state.remove_namespace,
        doubts=state.doubts,
    )


def priority_classes_kind(state: State) -> Kind[PriorityClass]:
    """All priority classes."""
    return Kind(
        target=paths.ALL_PRIORITY_CLASSES,
        key=_name,
        parse=lambda it: PriorityClass(it["metadata"]["name"], it["value"], bool(it.get("globalDefault"))),
        apply=lambda it: state.apply_priority(it.name, it.value, is_default=it.is_default),
        remove=state.remove_priority,
        doubts=state.doubts,
    )


def claims_kind(state: State) -> Kind[ClaimFact]:
    """All claims for volumes."""
    return Kind(
        target=paths.ALL_CLAIMS,
        key=lambda it: ClaimKey(it["metadata"]["namespace"], it["metadata"]["name"]),
        parse=parse_claim,
        apply=state.apply_claim,
        remove=state.remove_claim,
        doubts=state.doubts,
    )


def volumes_kind(state: State) -> Kind[VolumeFact]:
    """All volumes."""
    return Kind(
        target=paths.ALL_VOLUMES,
        key=_name,
        parse=parse_volume,
        apply=state.apply_volume,
        remove=state.remove_volume,
        doubts=state.doubts,
    )


def csi_nodes_kind(state: State) -> Kind[AttachLimits]:
    """What all nodes can attach."""
    return Kind(
        target=paths.ALL_CSI_NODES,
        key=_name,
        parse=parse_csi_node,
        apply=state.attachments.apply_limits,
        remove=state.attachments.remove_limits,
        doubts=state.doubts,
    )


def attachments_kind(state: State) -> Kind[Attachment]:
    """All volumes that are attached, also those that no pod uses any more."""
    return Kind(
        target=paths.ALL_ATTACHMENTS,
        key=_name,
        parse=parse_attachment,
        apply=state.attachments.apply_attachment,
        remove=state.attachments.remove_attachment,
        doubts=state.doubts,
    )


def _name(manifest: Manifest) -> str:
    return str(manifest["metadata"]["name"])


def _pod_key(manifest: Manifest) -> tuple[PodKey, str]:
    """Which pod: one of the same name, before or after it, is another one."""
    metadata = manifest["metadata"]
    return PodKey(metadata["namespace"], metadata["name"]), metadata["uid"]
