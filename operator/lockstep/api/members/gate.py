"""The gate, an init container in which a member waits for other members, and the pod's status about the gate.

The template's own init containers run before the gate. The gate waits until a file has content. The kubelet fills this
file from an annotation of the pod. The gate needs no rights and no network. Its requests are small: in most members,
the other containers request more.
"""

from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.members.own_container import own_container
from lockstep.api.names import GO_ANNOTATION
from lockstep.api.quantities import epoch_seconds
from lockstep.facts.pods.pod import PodPhase

GATE = "lockstep-gate"
NO_GATE_IMAGE = (
    "network.startBarrier and startAfter: the operator's administrator has to set --gate-image. The operator runs "
    "without a gate image, so no member can wait for others."
)
_FOLDER = "/etc/lockstep-gate"
_FILE = "go"


def with_gate(template: Manifest, image: str) -> Manifest:
    """A template whose members wait at a gate. The gate is part of the template, so its resources are counted."""
    spec = template["spec"]
    return {
        **template,
        "spec": {
            **spec,
            "initContainers": [*(spec.get("initContainers") or ()), _container(image)],
            "volumes": [*(spec.get("volumes") or ()), _volume()],
        },
    }


def go_patch(uid: str) -> dict[str, Any]:
    """A patch that opens the gate of the pod with that UID."""
    return {"metadata": {"uid": uid, "annotations": {GO_ANNOTATION: "true"}}}


def may_go(metadata: Manifest) -> bool:
    """Whether the gate of the pod was opened."""
    return bool((metadata.get("annotations") or {}).get(GO_ANNOTATION))


def is_up(phase: PodPhase, status: Manifest) -> bool:
    """Whether the gate of the pod is running or has ended."""
    return (
        phase.is_over
        or phase is PodPhase.RUNNING
        or any(
            one.get("name") == GATE and not {"running", "terminated"}.isdisjoint(one.get("state") or {})
            for one in status.get("initContainerStatuses") or ()
        )
    )


def started(status: Manifest) -> float | None:
    """When the last of the pod's containers started, by its node's clock.

    None if a container has not started, or if the time is unknown.
    """
    containers = status.get("containerStatuses") or ()
    times = [_started(container.get("state") or {}) for container in containers]
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None


def _started(state: Manifest) -> float | None:
    began = state.get("running") or state.get("terminated") or {}
    return epoch_seconds(began.get("startedAt"))


def _container(image: str) -> Manifest:
    command = ["lockstep", "gate", "--file", f"{_FOLDER}/{_FILE}"]
    mounts = [{"name": GATE, "mountPath": _FOLDER, "readOnly": True}]
    return {**own_container(GATE, image, command), "volumeMounts": mounts}


def _volume() -> Manifest:
    field = {"fieldPath": f"metadata.annotations['{GO_ANNOTATION}']"}
    return {"name": GATE, "downwardAPI": {"defaultMode": 0o444, "items": [{"path": _FILE, "fieldRef": field}]}}
