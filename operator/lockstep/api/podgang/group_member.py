"""Parses a pod of a Gang: its Gang, the seat where we have bound it, and its requirements while it waits for a node."""

from collections.abc import Collection, Mapping

from coschedule import GangKey
from lockstep.api.bounds import beyond_bounds
from lockstep.api.gangjob.role import parse_needs
from lockstep.api.labels import labels_of
from lockstep.api.manifest import Manifest
from lockstep.api.names import (
    NEVER_PREEMPTS,
    RANK_LABEL,
    SCHEDULER_NAME,
    SEAT_ANNOTATION,
    SIZE_LABEL,
)
from lockstep.api.podgang.gang_names import gang_named_by
from lockstep.api.podgang.kueue_group import group_terms
from lockstep.api.podgang.pod_roles import role_of_pod
from lockstep.api.podgang.scheduling_group import scheduling_group_of
from lockstep.api.podgang.single_pods import job_of
from lockstep.api.quantities import epoch_seconds
from lockstep.facts.cluster.volume import Sharing
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupMember, WaitingPod
from lockstep.facts.gang.role import Needs
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import USUAL_GRACE_SECONDS, Labels, Membership, PodAffinity, PodPhase
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Reason

_INDEX = "batch.kubernetes.io/job-completion-index"


def group_member(manifest: Manifest, sources: Collection[Source]) -> GroupMember | None:
    """The membership of a pod in a Gang; None if it names another scheduler, or if no source names a Gang."""
    metadata, spec = manifest["metadata"], manifest["spec"]
    if not sources or spec.get("schedulerName") != SCHEDULER_NAME:
        return None
    found = gang_named_by(manifest, sources)
    if found is None:
        return None
    gang = pod_gang_key(metadata["namespace"], found.gang)
    waiting = _waiting(manifest, found.source) if _waits(manifest) else None
    annotations = metadata.get("annotations") or {}
    return GroupMember(
        gang,
        _seat(gang, annotations) if spec.get("nodeName") else None,
        waiting,
        _rank(annotations) if spec.get("nodeName") else None,
        found.owner,
        terms=group_terms(annotations) if found.source is Source.KUEUE_GROUP else None,
        job=job_of(metadata) if spec.get("nodeName") else "",
        grace_seconds=_grace_seconds(spec),
        since=epoch_seconds((manifest.get("status") or {}).get("startTime")),
        host=_host(spec),
        role=role_of_pod(metadata.get("labels") or {}, found.source),
        least_is_left=found.source is Source.JOB,
    )


def seat_annotations(seat: Membership, *, rank: int, size: int) -> dict[str, str]:
    """The annotations that a Binding writes to a pod: its seat, its rank among the Gang's pods, and their number."""
    return {
        SEAT_ANNOTATION: f"{seat.gang_uid}/{seat.attempt}/{seat.rank}",
        RANK_LABEL: str(rank),
        SIZE_LABEL: str(size),
    }


def _seat(gang: GangKey, annotations: Mapping[str, str]) -> Membership | None:
    uid, _, numbers = annotations.get(SEAT_ANNOTATION, "").partition("/")
    attempt, _, seat = numbers.partition("/")
    if not (_is_number(attempt) and _is_number(seat)):
        return None
    return Membership(gang, uid, int(attempt), int(seat))


def _rank(annotations: Mapping[str, str]) -> int | None:
    rank = annotations.get(RANK_LABEL, "")
    return int(rank) if _is_number(rank) else None


def _grace_seconds(spec: Manifest) -> int:
    """The pod's grace period in seconds. A negative one counts as 1, as in the kubelet."""
    given = spec.get("terminationGracePeriodSeconds")
    if given is None:
        return USUAL_GRACE_SECONDS
    return 1 if given < 0 else int(given)


def _host(spec: Manifest) -> str:
    """The DNS name of the pod below a Service; '' if it lacks one of the two fields for it."""
    hostname, subdomain = spec.get("hostname"), spec.get("subdomain")
    return f"{hostname}.{subdomain}" if hostname and subdomain else ""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_RANKS)) + 1


def _waits(manifest: Manifest) -> bool:
    """Whether the pod can be bound: it has not ended, has no scheduling gate, and is not being deleted.

    Any user who may write a pod's status can say that it runs although it has no node. kube-scheduler binds such a pod,
    too.
    """
    metadata, spec = manifest["metadata"], manifest["spec"]
    phase = PodPhase((manifest.get("status") or {}).get("phase", PodPhase.PENDING))
    is_free = not (spec.get("nodeName") or spec.get("schedulingGates") or "deletionTimestamp" in metadata)
    return is_free and not phase.is_over


def _waiting(manifest: Manifest, source: Source) -> WaitingPod:
    metadata, spec = manifest["metadata"], manifest["spec"]
    labels = metadata.get("labels") or {}
    index = labels.get(_INDEX, "")
    needs = _needs_in_group(manifest, f"pod {metadata['name']}", source)
    return WaitingPod(
        name=metadata["name"],
        source=source,
        created=epoch_seconds(metadata["creationTimestamp"]) or 0.0,
        needs=needs,
        priority_class=spec.get("priorityClassName") or "",
        labels=labels_of(metadata),
        completion_index=int(index) if _is_number(index) else -1,
        selected=() if isinstance(needs, Refusal) else _selected(needs.pod_affinity, labels_of(metadata)),
        preempts=spec.get("preemptionPolicy") != NEVER_PREEMPTS,
    )


def _needs_in_group(pod: Manifest, path: str, source: Source) -> Needs | Refusal:
    """The requirements of the pod without its PodGroup, which is read separately.

    A pod with a PodGroup is refused, unless the PodGroup or the pod's own label names its Gang.
    """
    if scheduling_group_of(pod) and source not in (Source.SCHEDULING_GROUP, Source.PODS):
        message = (
            f"{path}.spec.schedulingGroup: Lockstep reads its PodGroup only with the source {Source.SCHEDULING_GROUP}."
        )
        return Refusal(Reason.UNSUPPORTED_FIELD, message)
    return _needs({name: value for name, value in pod["spec"].items() if name != "schedulingGroup"}, path)


def _needs(spec: Manifest, path: str) -> Needs | Refusal:
    # The bounds of templates of GangJobs apply: lists that are longer than in real pods would cost other tenants time.
    excess = beyond_bounds({"template": {"spec": spec}}).removeprefix("template.")
    if excess:
        return Refusal(Reason.INVALID_SPEC, f"{path}.{excess}.")
    needs = parse_needs(spec, path)
    if isinstance(needs, Refusal):
        return needs
    own = next((use for use in needs.claims if use.sharing is Sharing.EPHEMERAL), None)
    if own is not None:
        return Refusal(
            Reason.UNSUPPORTED_FIELD,
            f"{own.field}: Lockstep does not support this field yet for pods that others create.",
        )
    return needs._replace(claims=tuple(use._replace(field=f"the pods' claim {use.claim}") for use in needs.claims))


def _selected(affinity: PodAffinity, labels: Labels) -> Labels:
    """The pod's labels whose keys occur in its own affinity terms.

    Plans must distinguish pods that differ in these labels.
    """
    keys = {
        key
        for written in (*affinity.near, *affinity.apart)
        for key in (*written.alike, *written.unlike, *(one.key for one in written.term.selector or ()))
    }
    return tuple(label for label in labels if label[0] in keys)
