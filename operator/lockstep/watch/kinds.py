"""What each informer watches, and which part of belief it feeds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lockstep import paths
from lockstep.facts import ClaimFact, ClaimKey, NodeFact, PodFact, PodKey, VolumeFact
from lockstep.state import State
from lockstep.watch.informer import Kind
from lockstep.watch.parse import parse_claim, parse_node, parse_pod, parse_volume

Manifest = Mapping[str, Any]


class PriorityClass(NamedTuple):
    """One PriorityClass."""

    name: str
    value: int
    is_default: bool


def nodes_kind(state: State) -> Kind[NodeFact]:
    """All nodes."""
    return Kind(target=paths.ALL_NODES, key=_name, parse=parse_node, apply=state.apply_node, remove=state.remove_node)


def pods_kind(state: State) -> Kind[PodFact]:
    """All pods, of everybody: what others run takes room too."""
    return Kind(target=paths.ALL_PODS, key=_pod_key, parse=parse_pod, apply=state.apply_pod, remove=state.remove_pod)


def priority_classes_kind(state: State) -> Kind[PriorityClass]:
    """All priority classes."""
    return Kind(
        target=paths.ALL_PRIORITY_CLASSES,
        key=_name,
        parse=lambda it: PriorityClass(it["metadata"]["name"], it["value"], bool(it.get("globalDefault"))),
        apply=lambda it: state.apply_priority(it.name, it.value, is_default=it.is_default),
        remove=state.remove_priority,
    )


def claims_kind(state: State) -> Kind[ClaimFact]:
    """All claims for volumes."""
    return Kind(
        target=paths.ALL_CLAIMS,
        key=lambda it: ClaimKey(it["metadata"]["namespace"], it["metadata"]["name"]),
        parse=parse_claim,
        apply=state.apply_claim,
        remove=state.remove_claim,
    )


def volumes_kind(state: State) -> Kind[VolumeFact]:
    """All volumes."""
    return Kind(
        target=paths.ALL_VOLUMES,
        key=_name,
        parse=parse_volume,
        apply=state.apply_volume,
        remove=state.remove_volume,
    )


def _name(manifest: Manifest) -> str:
    return str(manifest["metadata"]["name"])


def _pod_key(manifest: Manifest) -> PodKey:
    metadata = manifest["metadata"]
    return PodKey(metadata["namespace"], metadata["name"])
