"""Which Gang a pod belongs to, the seat where we have bound it, and what it needs while it waits for a node."""

from collections.abc import Collection, Mapping

from coschedule import GangKey
from lockstep.api.gangjob.role import parse_needs
from lockstep.api.labels import labels_of
from lockstep.api.manifest import Manifest
from lockstep.api.names import (
    ATTEMPT_LABEL,
    GANG_UID_ANNOTATION,
    RANK_LABEL,
    SCHEDULER_NAME,
    SIZE_LABEL,
)
from lockstep.api.podgang.gang_names import gang_named_by
from lockstep.api.quantities import epoch_seconds
from lockstep.facts.cluster.volume import Sharing
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupMember, WaitingPod
from lockstep.facts.gang.role import Needs
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Membership, PodPhase
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Reason

_INDEX = "batch.kubernetes.io/job-completion-index"


def group_member(manifest: Manifest, sources: Collection[Source]) -> GroupMember | None:
    """The membership of a pod that names Lockstep as its scheduler; None for others, and for pods of no source."""
    metadata, spec = manifest["metadata"], manifest["spec"]
    if not sources or spec.get("schedulerName") != SCHEDULER_NAME:
        return None
    found = gang_named_by(metadata, sources)
    if found is None:
        return None
    gang = pod_gang_key(metadata["namespace"], found.gang)
    seat = _seat(gang, metadata.get("annotations") or {}) if spec.get("nodeName") else None
    return GroupMember(gang, seat, _waiting(manifest, found.source) if _waits(manifest) else None)


def seat_annotations(seat: Membership, size: int) -> dict[str, str]:
    """What a Binding writes to a pod: its seat, and how many pods are placed with it."""
    return {
        GANG_UID_ANNOTATION: seat.gang_uid,
        ATTEMPT_LABEL: str(seat.attempt),
        RANK_LABEL: str(seat.rank),
        SIZE_LABEL: str(size),
    }


def _seat(gang: GangKey, annotations: Mapping[str, str]) -> Membership | None:
    attempt, rank = annotations.get(ATTEMPT_LABEL, ""), annotations.get(RANK_LABEL, "")
    if not (_is_number(attempt) and _is_number(rank)):
        return None
    return Membership(gang, annotations.get(GANG_UID_ANNOTATION, ""), int(attempt), int(rank))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_RANKS)) + 1


def _waits(manifest: Manifest) -> bool:
    """Whether the pod can be bound: nothing gates it, and it is not being deleted."""
    metadata, spec = manifest["metadata"], manifest["spec"]
    is_pending = (manifest.get("status") or {}).get("phase", PodPhase.PENDING) == PodPhase.PENDING
    is_free = not (spec.get("nodeName") or spec.get("schedulingGates") or "deletionTimestamp" in metadata)
    return is_pending and is_free


def _waiting(manifest: Manifest, source: Source) -> WaitingPod:
    metadata, spec = manifest["metadata"], manifest["spec"]
    labels = metadata.get("labels") or {}
    index = labels.get(_INDEX, "")
    return WaitingPod(
        name=metadata["name"],
        source=source,
        created=epoch_seconds(metadata["creationTimestamp"]) or 0.0,
        needs=_needs(spec, f"pod {metadata['name']}"),
        priority_class=spec.get("priorityClassName") or "",
        labels=labels_of(metadata),
        completion_index=int(index) if _is_number(index) else -1,
    )


def _needs(spec: Manifest, path: str) -> Needs | Refusal:
    needs = parse_needs(spec, path)
    if isinstance(needs, Refusal):
        return needs
    own = next((use for use in needs.claims if use.sharing is Sharing.EPHEMERAL), None)
    if own is not None:
        return Refusal(
            Reason.UNSUPPORTED_FIELD, f"{own.field}: Lockstep does not support it yet for pods that others create."
        )
    return needs._replace(claims=tuple(use._replace(field=f"the pods' claim {use.claim}") for use in needs.claims))
