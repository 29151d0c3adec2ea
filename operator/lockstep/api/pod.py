"""Pods as they come from the API server. What makes no sense raises; ``doubtful.py`` says what such a pod counts as."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.conditions import has_condition
from lockstep.api.gate import is_up, may_go, started
from lockstep.api.labels import are_unread, labels_of
from lockstep.api.membership import membership
from lockstep.api.pace import member_cpu
from lockstep.api.pod_end import end_of, failed_containers, reported_progress
from lockstep.api.pod_request import pod_request
from lockstep.api.pod_size import check_size
from lockstep.api.pod_terms import keeps_away
from lockstep.api.quantities import epoch_seconds
from lockstep.api.stop import is_stopping
from lockstep.facts.pod import PodFact, PodKey, PodPhase

Manifest = Mapping[str, Any]


# Reasons with which a kubelet turns a bound pod away before it ran, or a node lost it. Those of resources begin with
# OutOf.
_DISRUPTED = frozenset(
    {
        "NodeAffinity",
        "NodePorts",
        "NodeLost",
        "NodeShutdown",
        "Evicted",
        "Preempting",
        "Terminated",
        "UnexpectedAdmissionError",
    }
    | {"TopologyAffinityError", "PodOSNotSupported", "AppArmor"}
)

# Whose pods are not meant to end, and what marks the image of a pod that a kubelet runs from a file.
_LASTING_OWNERS = frozenset(
    {("apps/v1", kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")}
    | {("v1", "ReplicationController"), ("v1", "Node")}
)
_MIRROR_ANNOTATION = "kubernetes.io/config.mirror"


def parse_pod(manifest: Manifest) -> PodFact:
    """A pod, of anybody."""
    metadata, spec, status = manifest["metadata"], manifest["spec"], manifest.get("status") or {}
    check_size(spec)
    member = membership(metadata)
    phase = PodPhase(status.get("phase", PodPhase.PENDING))
    is_deleting = "deletionTimestamp" in metadata
    is_ending = member is not None and (is_deleting or phase is PodPhase.FAILED)
    return PodFact(
        key=PodKey(metadata["namespace"], metadata["name"]),
        uid=metadata["uid"],
        node=spec.get("nodeName", ""),
        phase=phase,
        request=pod_request(spec, status, is_member=member is not None),
        member=member,
        is_deleting=is_deleting,
        is_disrupted=_is_disrupted(status),
        ended_because=_ended_because(status) if phase is PodPhase.FAILED else "",
        lasting=_is_lasting(metadata),
        labels=labels_of(metadata),
        has_unread_labels=are_unread(metadata),
        keeps_away=keeps_away(spec, metadata["namespace"]),
        claims=claims_of(spec, metadata["name"]),
        nominated=status.get("nominatedNodeName") or "",
        priority=spec.get("priority") or 0,
        is_up=member is not None and is_up(phase, status),
        may_go=member is not None and may_go(metadata),
        started=None if member is None else started(status),
        end=end_of(status) if is_ending else None,
        progress=reported_progress(metadata) if member is not None else "",
        # While members are bound they are read again and again, and nobody asks for it.
        cpu=member_cpu(spec, status) if member is not None and phase is PodPhase.RUNNING else None,
        is_stopping=member is not None and is_stopping(spec),
        # The API server adds the grace to the time of the deletion.
        gone_by=epoch_seconds(metadata.get("deletionTimestamp")),
    )


def claims_of(spec: Manifest, pod: str) -> tuple[str, ...]:
    """The names of the claims that a pod uses, each once; most use none."""
    names = []
    for volume in spec.get("volumes") or ():
        if volume.get("persistentVolumeClaim"):
            names.append(volume["persistentVolumeClaim"]["claimName"])
        elif volume.get("ephemeral"):
            names.append(f"{pod}-{volume['name']}")
    return tuple(dict.fromkeys(names))


def _is_lasting(metadata: Manifest) -> bool:
    """Whether the pod is not meant to end: its controller replaces it, or a kubelet keeps it by itself."""
    if _MIRROR_ANNOTATION in (metadata.get("annotations") or {}):
        return True
    owners = metadata.get("ownerReferences") or ()
    return any(owner.get("controller") and (owner["apiVersion"], owner["kind"]) in _LASTING_OWNERS for owner in owners)


def _is_disrupted(status: Manifest) -> bool:
    """Whether the cluster ended the pod, not its own program."""
    reason = status.get("reason", "")
    return reason in _DISRUPTED or reason.startswith("OutOf") or has_condition(status, "DisruptionTarget")


def _ended_because(status: Manifest) -> str:
    """One phrase for the owner: what the node or the first failed container said."""
    if status.get("reason"):
        return f"{status['reason']}: {status.get('message', '')}".rstrip(": ")
    for name, code in failed_containers(status):
        return f"container {name} exited with {code}"
    return "its phase is Failed"
