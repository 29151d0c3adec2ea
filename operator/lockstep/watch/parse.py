"""Manifests as facts: the only place that knows what nodes, pods, bids and priority classes look like in JSON.

What makes no sense raises; ``doubtful.py`` says what such an object counts as. GangJobs, whose spec may ask for what we
can't do yet, are parsed in ``gangjob.py``.
"""

import math
from collections.abc import Mapping
from typing import Any

from coschedule.cluster.snapshot import GangKey, NodeTerm, Requirement, Taint
from lockstep.facts import (
    AttachLimits,
    Attachment,
    BidCondition,
    BidFact,
    ClaimFact,
    ClaimKey,
    CsiVolume,
    Membership,
    NamespaceFact,
    NodeFact,
    PodFact,
    PodKey,
    PodPhase,
    VolumeFact,
)
from lockstep.names import API_VERSION, ATTEMPT_LABEL, FEATURE_PREFIX, GANG_KIND, RANK_LABEL, WHOLE, Condition
from lockstep.reservation import pod_name
from lockstep.watch.anti_affinity import keeps_away
from lockstep.watch.quantities import as_request, epoch_seconds, ratio, resources
from lockstep.watch.requests import pod_request
from lockstep.watch.zones import zone_affinities

Manifest = Mapping[str, Any]

# Set on a claim once both it and its volume say that they belong together.
_BIND_COMPLETED = "pv.kubernetes.io/bind-completed"

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


def parse_node(manifest: Manifest) -> NodeFact:
    """A node. One that does not say that it is ready is not."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return NodeFact(
        name=metadata["name"],
        labels=metadata.get("labels") or {},
        taints=tuple(
            Taint(taint["key"], taint.get("value", ""), taint["effect"]) for taint in spec.get("taints") or ()
        ),
        allocatable=as_request(resources(status.get("allocatable")) | _features(status)),
        is_ready=_has_condition(status, "Ready"),
        is_unschedulable=bool(spec.get("unschedulable")),
    )


def _features(status: Manifest) -> dict[str, int]:
    return {f"{FEATURE_PREFIX}{name}": WHOLE for name in status.get("declaredFeatures") or ()}


def parse_pod(manifest: Manifest) -> PodFact:
    """A pod, of anybody."""
    metadata, spec, status = manifest["metadata"], manifest["spec"], manifest.get("status") or {}
    member = membership(metadata)
    phase = PodPhase(status.get("phase", PodPhase.PENDING))
    return PodFact(
        key=PodKey(metadata["namespace"], metadata["name"]),
        uid=metadata["uid"],
        node=spec.get("nodeName", ""),
        phase=phase,
        request=pod_request(spec, status, is_member=member is not None),
        member=member,
        is_deleting="deletionTimestamp" in metadata,
        is_disrupted=_is_disrupted(status),
        ended_because=_ended_because(status) if phase is PodPhase.FAILED else "",
        lasting=_is_lasting(metadata),
        keeps_away=keeps_away(spec, metadata["namespace"]),
        claims=claims_of(spec, metadata["name"]),
        nominated=status.get("nominatedNodeName") or "",
        priority=spec.get("priority") or 0,
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


def parse_namespace(manifest: Manifest) -> NamespaceFact:
    """A namespace."""
    return NamespaceFact(manifest["metadata"]["name"], manifest["metadata"].get("labels") or {})


def parse_bid(manifest: Manifest) -> BidFact:
    """A node's bid. What it leaves out takes the default of an idle reference node that is free for good."""
    metadata, spec = manifest["metadata"], manifest.get("spec") or {}
    return BidFact(
        node=metadata["name"],
        resource_version=metadata["resourceVersion"],
        slowdown=_slowdown(spec),
        available_from=epoch_seconds(spec.get("availableFrom")),
        available_until=epoch_seconds(spec.get("availableUntil")),
        slots=spec.get("slots"),
        expires_at=epoch_seconds(spec.get("expiresAt")),
        generation=metadata.get("generation", 0),
        told=bid_condition(manifest),
    )


def bid_condition(manifest: Manifest) -> BidCondition | None:
    """What the bid's status says of whether it counts."""
    conditions = (manifest.get("status") or {}).get("conditions") or ()
    accepted = (one for one in conditions if one.get("type") == Condition.ACCEPTED)
    return next((BidCondition(one.get("status", ""), one.get("message", "")) for one in accepted), None)


def parse_claim(manifest: Manifest) -> ClaimFact:
    """A PersistentVolumeClaim."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return ClaimFact(
        key=ClaimKey(metadata["namespace"], metadata["name"]),
        is_bound=_BIND_COMPLETED in (metadata.get("annotations") or {}) and status.get("phase") != "Lost",
        is_deleting="deletionTimestamp" in metadata,
        volume=spec.get("volumeName", ""),
        modes=frozenset(spec.get("accessModes") or ()),
    )


def parse_volume(manifest: Manifest) -> VolumeFact:
    """A PersistentVolume."""
    metadata, required = manifest["metadata"], (manifest["spec"].get("nodeAffinity") or {}).get("required")
    own = () if required is None else (parse_terms(required),)
    csi = manifest["spec"].get("csi")
    return VolumeFact(
        name=metadata["name"],
        affinities=own + zone_affinities(metadata.get("labels") or {}),
        csi=None if csi is None else CsiVolume(csi["driver"], csi["volumeHandle"]),
    )


def parse_csi_node(manifest: Manifest) -> AttachLimits:
    """A CSINode: what the drivers of the node of its name say."""
    drivers = manifest["spec"].get("drivers") or ()
    counts = {driver["name"]: (driver.get("allocatable") or {}).get("count") for driver in drivers}
    return AttachLimits(
        manifest["metadata"]["name"], {name: count for name, count in counts.items() if count is not None}
    )


def parse_attachment(manifest: Manifest) -> Attachment:
    """A VolumeAttachment. One of a volume that is named in a pod is no PersistentVolume's."""
    spec = manifest["spec"]
    volume = spec["source"].get("persistentVolumeName") or ""
    return Attachment(manifest["metadata"]["name"], spec["nodeName"], spec["attacher"], volume)


def parse_terms(selector: Manifest) -> tuple[NodeTerm, ...]:
    """The terms of a node selector, of which a node has to match one."""
    return tuple(_term(term) for term in selector.get("nodeSelectorTerms") or ())


def _term(term: Manifest) -> NodeTerm:
    return NodeTerm(
        tuple(_requirement(one) for one in term.get("matchExpressions") or ()),
        tuple(_requirement(one) for one in term.get("matchFields") or ()),
    )


def _requirement(one: Manifest) -> Requirement:
    return Requirement(one["key"], one["operator"], tuple(one.get("values") or ()))


def _slowdown(spec: Manifest) -> float:
    duty_cycle, capacity = ratio(spec.get("dutyCycle", 0)), ratio(spec.get("capacity", 1))
    if not (duty_cycle >= 0 and capacity > 0 and 0 < (1 + duty_cycle) / capacity < math.inf):
        raise ValueError(f"no speed follows from a duty cycle of {duty_cycle:g} and a capacity of {capacity:g}")
    return (1 + duty_cycle) / capacity


def membership(metadata: Manifest) -> Membership | None:
    """Whose member a pod is. The controlling owner decides, not a label that anybody may write.

    And the name: whoever may make pods may name an owner, but no two pods can pass for the same member.
    """
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller") and owner["kind"] == GANG_KIND and owner["apiVersion"] == API_VERSION:
            labels = metadata.get("labels") or {}
            attempt, rank = labels.get(ATTEMPT_LABEL, ""), labels.get(RANK_LABEL, "")
            if attempt.isdecimal() and rank.isdecimal():
                gang = GangKey(metadata["namespace"], owner["name"])
                member = Membership(gang, owner["uid"], int(attempt), int(rank))
                return member if metadata["name"] == pod_name(gang.name, member.attempt, member.rank) else None
    return None


def _is_lasting(metadata: Manifest) -> bool:
    """Whether the pod is not meant to end: its controller replaces it, or a kubelet keeps it by itself."""
    if _MIRROR_ANNOTATION in (metadata.get("annotations") or {}):
        return True
    owners = metadata.get("ownerReferences") or ()
    return any(owner.get("controller") and (owner["apiVersion"], owner["kind"]) in _LASTING_OWNERS for owner in owners)


def _is_disrupted(status: Manifest) -> bool:
    """Whether the cluster ended the pod, not its own program."""
    reason = status.get("reason", "")
    return reason in _DISRUPTED or reason.startswith("OutOf") or _has_condition(status, "DisruptionTarget")


def _ended_because(status: Manifest) -> str:
    """One phrase for the owner: what the node or the first failed container said."""
    if status.get("reason"):
        return f"{status['reason']}: {status.get('message', '')}".rstrip(": ")
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        ended = (container.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            return f"container {container['name']} exited with {ended['exitCode']}"
    return "its phase is Failed"


def _has_condition(status: Manifest, kind: str) -> bool:
    return any(one["type"] == kind and one["status"] == "True" for one in status.get("conditions") or ())
