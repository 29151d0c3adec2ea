"""Manifests as facts: the only place that knows what nodes, pods, bids and priority classes look like in JSON.

Total: whatever the API server accepted is parsed without an exception. GangJobs, whose spec may ask for what we can't
do yet, are parsed in ``gangjob.py``.
"""

from collections.abc import Mapping
from typing import Any

from coschedule.cluster.snapshot import GangKey, NodeTerm, Requirement, Taint
from lockstep.facts import BidFact, ClaimFact, ClaimKey, Membership, NodeFact, PodFact, PodKey, PodPhase, VolumeFact
from lockstep.names import API_VERSION, ATTEMPT_LABEL, GANG_KIND, RANK_LABEL
from lockstep.watch.quantities import as_request, epoch_seconds, ratio, resources
from lockstep.watch.requests import pod_request

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


def parse_node(manifest: Manifest) -> NodeFact:
    """A node. One that does not say that it is ready is not."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return NodeFact(
        name=metadata["name"],
        labels=metadata.get("labels") or {},
        taints=tuple(
            Taint(taint["key"], taint.get("value", ""), taint["effect"]) for taint in spec.get("taints") or ()
        ),
        allocatable=as_request(resources(status.get("allocatable"))),
        is_ready=_has_condition(status, "Ready"),
        is_unschedulable=bool(spec.get("unschedulable")),
    )


def parse_pod(manifest: Manifest) -> PodFact:
    """A pod, of anybody."""
    metadata, spec, status = manifest["metadata"], manifest["spec"], manifest.get("status") or {}
    member = _membership(metadata)
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
    )


def parse_bid(manifest: Manifest) -> BidFact:
    """A node's bid. What it leaves out takes the default of an idle reference node that is free for good."""
    spec = manifest.get("spec") or {}
    return BidFact(
        node=manifest["metadata"]["name"],
        resource_version=manifest["metadata"]["resourceVersion"],
        slowdown=(1 + ratio(spec.get("dutyCycle", 0))) / ratio(spec.get("capacity", 1)),
        available_from=epoch_seconds(spec.get("availableFrom")),
        available_until=epoch_seconds(spec.get("availableUntil")),
        slots=spec.get("slots"),
        expires_at=epoch_seconds(spec.get("expiresAt")),
    )


def parse_claim(manifest: Manifest) -> ClaimFact:
    """A PersistentVolumeClaim."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return ClaimFact(
        key=ClaimKey(metadata["namespace"], metadata["name"]),
        is_bound=status.get("phase") == "Bound",
        volume=spec.get("volumeName", ""),
        modes=frozenset(spec.get("accessModes") or ()),
    )


def parse_volume(manifest: Manifest) -> VolumeFact:
    """A PersistentVolume."""
    required = (manifest["spec"].get("nodeAffinity") or {}).get("required")
    return VolumeFact(manifest["metadata"]["name"], None if required is None else parse_terms(required))


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


def _membership(metadata: Manifest) -> Membership | None:
    """Whose member a pod is. The controlling owner decides, not a label that anybody may write."""
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller") and owner["kind"] == GANG_KIND and owner["apiVersion"] == API_VERSION:
            labels = metadata.get("labels") or {}
            attempt, rank = labels.get(ATTEMPT_LABEL, ""), labels.get(RANK_LABEL, "")
            if attempt.isdecimal() and rank.isdecimal():
                gang = GangKey(metadata["namespace"], owner["name"])
                return Membership(gang, owner["uid"], int(attempt), int(rank))
    return None


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
