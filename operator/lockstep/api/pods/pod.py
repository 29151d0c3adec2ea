"""Parses pods. An invalid pod raises an error; ``unreadable_objects.py`` says how such a pod counts."""

from typing import TypedDict

from lockstep.api.conditions import condition_of
from lockstep.api.labels import are_unread, labels_of
from lockstep.api.manifest import Manifest
from lockstep.api.members.dealer import FIRST_RANK, dealer_of, with_kept_room
from lockstep.api.members.gate import is_up, may_go, started
from lockstep.api.members.notice import ready_for, shown_notice
from lockstep.api.members.stop import is_stopping
from lockstep.api.membership import membership
from lockstep.api.pods.pace import member_cpu
from lockstep.api.pods.pod_end import end_of, failed_containers, reported_progress
from lockstep.api.pods.pod_outcome import is_done, outcome_of, rejection_of
from lockstep.api.pods.pod_request import pod_request
from lockstep.api.pods.pod_size import check_size
from lockstep.api.pods.pod_terms import anti_affinity_terms
from lockstep.api.quantities import epoch_seconds
from lockstep.facts.pods.dealer import DealerFact
from lockstep.facts.pods.pace import MemberCpu
from lockstep.facts.pods.pod import Membership, PodEnd, PodFact, PodKey, PodPhase, Request
from lockstep.facts.pods.pod_outcome import PodOutcome

# Owners of pods that are not meant to end, and the annotation of a static pod, which a kubelet runs from a file.
_LASTING_OWNERS = frozenset(
    {("apps/v1", kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")}
    | {("v1", "ReplicationController"), ("v1", "Node")}
)
_MIRROR_ANNOTATION = "kubernetes.io/config.mirror"


class _MemberFields(TypedDict, total=False):
    """The fields of ``PodFact`` that are parsed only for members."""

    outcome: PodOutcome
    is_up: bool
    may_go: bool
    started: float | None
    is_done: bool
    rejected_for: str
    end: PodEnd | None
    progress: str
    notice: str
    ready_for: str
    dealer: DealerFact | None
    cpu: MemberCpu | None
    is_stopping: bool
    finalizers: tuple[str, ...]


def parse_pod(manifest: Manifest) -> PodFact:
    """Parse any pod of the cluster."""
    metadata, spec, status = manifest["metadata"], manifest["spec"], manifest.get("status") or {}
    check_size(spec)
    member = membership(metadata)
    phase = PodPhase(status.get("phase", PodPhase.PENDING))
    fields = _MemberFields() if member is None else _member_fields(member, phase, metadata, spec, status)
    return PodFact(
        key=PodKey(metadata["namespace"], metadata["name"]),
        uid=metadata["uid"],
        node=spec.get("nodeName", ""),
        phase=phase,
        request=_request(metadata, spec, status, is_member=member is not None),
        member=member,
        is_deleting="deletionTimestamp" in metadata,
        ended_because=_ended_because(phase, fields.get("outcome", PodOutcome.GOING), status),
        lasting=_is_lasting(metadata),
        labels=labels_of(metadata),
        has_unread_labels=are_unread(metadata),
        anti_affinity_terms=anti_affinity_terms(spec, metadata["namespace"]),
        claims=claims_of(spec, metadata["name"]),
        nominated=status.get("nominatedNodeName") or "",
        priority=spec.get("priority") or 0,
        # The API server's deletionTimestamp includes the grace period.
        gone_by=epoch_seconds(metadata.get("deletionTimestamp")),
        **fields,
    )


def _member_fields(
    member: Membership, phase: PodPhase, metadata: Manifest, spec: Manifest, status: Manifest
) -> _MemberFields:
    outcome = outcome_of(phase, metadata, spec, status)
    return {
        "outcome": outcome,
        "is_up": is_up(phase, status),
        "may_go": may_go(metadata),
        "started": started(status),
        "is_done": is_done(phase, spec, status),
        "rejected_for": rejection_of(phase, status) if outcome is PodOutcome.REJECTED else "",
        "end": end_of(status) if outcome.is_end else None,
        "progress": reported_progress(metadata),
        "notice": shown_notice(metadata),
        "ready_for": ready_for(metadata),
        "dealer": dealer_of(spec, status) if member.rank == FIRST_RANK else None,
        # Members are parsed many times while they are being bound, and their CPU is not needed then.
        "cpu": member_cpu(spec, status) if phase is PodPhase.RUNNING else None,
        "is_stopping": is_stopping(spec),
        "finalizers": tuple(metadata.get("finalizers") or ()) if "deletionTimestamp" in metadata else (),
    }


def _request(metadata: Manifest, spec: Manifest, status: Manifest, *, is_member: bool) -> Request:
    return pod_request(with_kept_room(metadata, spec) if is_member else spec, status, is_member=is_member)


def claims_of(spec: Manifest, pod: str) -> tuple[str, ...]:
    """The names of the claims that a pod uses, each once. Most pods use none."""
    names = []
    for volume in spec.get("volumes") or ():
        if volume.get("persistentVolumeClaim"):
            names.append(volume["persistentVolumeClaim"]["claimName"])
        elif volume.get("ephemeral"):
            names.append(f"{pod}-{volume['name']}")
    return tuple(dict.fromkeys(names))


def _is_lasting(metadata: Manifest) -> bool:
    """Whether the pod is not meant to end: its controller replaces it, or it is a static pod."""
    if _MIRROR_ANNOTATION in (metadata.get("annotations") or {}):
        return True
    owners = metadata.get("ownerReferences") or ()
    return any(owner.get("controller") and (owner["apiVersion"], owner["kind"]) in _LASTING_OWNERS for owner in owners)


def _ended_because(phase: PodPhase, outcome: PodOutcome, status: Manifest) -> str:
    """Why a pod failed or was disrupted, as a phrase for the user; '' for other pods.

    It is the reason of the node, of the disruption, or of the first failed container.
    """
    if phase is not PodPhase.FAILED and outcome is not PodOutcome.DISRUPTED:
        return ""
    disruption = condition_of(status, "DisruptionTarget") if outcome is PodOutcome.DISRUPTED else None
    for one in (status, disruption or {}):
        if one.get("reason"):
            return f"{one['reason']}: {one.get('message') or ''}".rstrip(": ")
    for name, code in failed_containers(status):
        return f"container {name} exited with {code}"
    return "its phase is Failed"
