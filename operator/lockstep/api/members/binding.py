"""Formats Bindings of pods to nodes."""

from typing import Any

from lockstep.facts.pods.pod import PodKey


def binding_manifest(pod: PodKey, uid: str, node: str) -> dict[str, Any]:
    """The Binding of the pod with that UID to a node. It does not apply to a later pod of the same name."""
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
