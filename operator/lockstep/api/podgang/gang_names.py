"""The name of the Gang that a pod belongs to, by its labels and its owner."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import MEMBER_OF_LABEL
from lockstep.facts.gang.source import Source, made_name


class NamedGang(NamedTuple):
    """The name of a Gang, the source that names it, and the UID of the owner where the pod says it."""

    gang: str
    source: Source
    owner: str = ""


def gang_named_by(metadata: Manifest, sources: Collection[Source]) -> NamedGang | None:
    """The Gang that a pod belongs to: what the first of these sources names.

    A pod's own label comes first, then a PodGroup, then the owner at the top: a JobSet rather than its Jobs.
    """
    return next((one for one in _names(metadata) if one.source in sources), None)


def _names(metadata: Manifest) -> Iterator[NamedGang]:
    labels = metadata.get("labels") or {}
    if labels.get(MEMBER_OF_LABEL):
        yield NamedGang(labels[MEMBER_OF_LABEL], Source.PODS)
    for source, label in _LABELS:
        if labels.get(label):
            yield NamedGang(made_name(source, labels[label]), source, _owner(source, metadata))
    name, group = labels.get(_LWS_NAME), labels.get(_LWS_GROUP)
    if name and group:
        yield NamedGang(made_name(Source.LEADER_WORKER_SET, f"{name}.{group}"), Source.LEADER_WORKER_SET)
    controller = _controller(metadata)
    if (controller.get("apiVersion"), controller.get("kind")) == ("batch/v1", "Job"):
        yield NamedGang(made_name(Source.JOB, controller["name"]), Source.JOB, controller["uid"])


def _owner(source: Source, metadata: Manifest) -> str:
    """The UID of the owner, for sources of which every pod says it."""
    if source is Source.JOB_SET:
        return str((metadata.get("labels") or {}).get(_JOB_SET_UID, ""))
    controller = _controller(metadata)
    is_ray_cluster = source is Source.RAY_CLUSTER and controller.get("kind") == "RayCluster"
    return str(controller["uid"]) if is_ray_cluster else ""


def _controller(metadata: Manifest) -> Manifest:
    """The controlling owner; empty where there is none."""
    return next((owner for owner in metadata.get("ownerReferences") or () if owner.get("controller")), {})


_JOB_SET_UID = "jobset.sigs.k8s.io/jobset-uid"
_LWS_NAME = "leaderworkerset.sigs.k8s.io/name"
_LWS_GROUP = "leaderworkerset.sigs.k8s.io/group-index"
_LABELS = (
    (Source.POD_GROUP, "scheduling.x-k8s.io/pod-group"),
    (Source.JOB_SET, "jobset.sigs.k8s.io/jobset-name"),
    (Source.RAY_CLUSTER, "ray.io/cluster"),
    (Source.MPI_JOB, "training.kubeflow.org/job-name"),
)
