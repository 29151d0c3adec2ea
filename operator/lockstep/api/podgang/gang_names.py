"""The name of the Gang that a pod belongs to, by its labels and its owner."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import MEMBER_OF_LABEL
from lockstep.facts.gang.source import Source, made_name


class NamedGang(NamedTuple):
    """The name of a Gang, and the source that names it."""

    gang: str
    source: Source


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
            yield NamedGang(made_name(source, labels[label]), source)
    name, group = labels.get(_LWS_NAME), labels.get(_LWS_GROUP)
    if name and group:
        yield NamedGang(made_name(Source.LEADER_WORKER_SET, f"{name}.{group}"), Source.LEADER_WORKER_SET)
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller") and (owner["apiVersion"], owner["kind"]) == ("batch/v1", "Job"):
            yield NamedGang(made_name(Source.JOB, owner["name"]), Source.JOB)


_LWS_NAME = "leaderworkerset.sigs.k8s.io/name"
_LWS_GROUP = "leaderworkerset.sigs.k8s.io/group-index"
_LABELS = (
    (Source.POD_GROUP, "scheduling.x-k8s.io/pod-group"),
    (Source.JOB_SET, "jobset.sigs.k8s.io/jobset-name"),
    (Source.RAY_CLUSTER, "ray.io/cluster"),
    (Source.MPI_JOB, "training.kubeflow.org/job-name"),
)
