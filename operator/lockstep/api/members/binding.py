"""Bindings as the API server expects them."""

from typing import Any

from lockstep.facts.pods.pod import PodKey


def binding_manifest(pod: PodKey, uid: str, node: str) -> dict[str, Any]:
    """The Binding of the pod with that UID, and of no later pod of its name, to a node."""
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
