"""Bindings, as the API server wants them."""

from typing import Any

from lockstep.facts.pods.pod import PodKey


def binding_manifest(pod: PodKey, uid: str, node: str) -> dict[str, Any]:
    """The request to bind the pod of that UID, and no later one of its name, to a node."""
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
