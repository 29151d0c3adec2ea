"""Finds the name of the Gang to which a pod belongs, from its labels and its owner."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import MEMBER_OF_LABEL
from lockstep.api.podgang.kueue_group import KUEUE_GROUP
from lockstep.api.podgang.scheduling_group import scheduling_group_of
from lockstep.api.podgang.single_pods import controller_of, is_single
from lockstep.facts.gang.source import Source, made_name, maker_of

POD_GROUP_LABEL = "scheduling.x-k8s.io/pod-group"


class NamedGang(NamedTuple):
    """The name of a Gang, the source of this name, and the UID of the owner if the pod states it."""

    gang: str
    source: Source
    owner: str = ""


def gang_named_by(pod: Manifest, sources: Collection[Source]) -> NamedGang | None:
    """The Gang to which a pod belongs, by the first of its names whose source is in ``sources``; None if there is none.

    The pod's own label comes first, then a PodGroup of Kubernetes, then a PodGroup of Coscheduling. Then come the
    owners, a JobSet before its Jobs, and at last a Kueue group. A pod with any of these names is not a gang of one pod,
    even if the name's source is not in ``sources``.
    """
    metadata = pod["metadata"]
    names = (*_names(pod), *_kueue_group(metadata))
    if names or Source.SINGLE not in sources or not is_single(pod):
        return next((one for one in names if one.source in sources), None)
    return NamedGang(made_name(Source.SINGLE, metadata["name"]), Source.SINGLE, metadata["uid"])


def _names(pod: Manifest) -> Iterator[NamedGang]:
    labels = pod["metadata"].get("labels") or {}
    named = labels.get(MEMBER_OF_LABEL)
    if named:
        maker = maker_of(named)
        # Kueue writes this label to the pods of a Workload, since our check asks Kueue to do so.
        is_of_workload = maker is not None and maker[0] is Source.WORKLOAD
        yield NamedGang(named, Source.WORKLOAD if is_of_workload else Source.PODS)
    group = scheduling_group_of(pod)
    if group:
        yield NamedGang(made_name(Source.SCHEDULING_GROUP, group), Source.SCHEDULING_GROUP)
    yield from _names_of_owners(pod["metadata"], labels)


def _names_of_owners(metadata: Manifest, labels: Mapping[str, str]) -> Iterator[NamedGang]:
    for source, label, owner in _LABELS:
        if labels.get(label):
            yield NamedGang(made_name(source, labels[label]), source, owner(metadata))
    if labels.get(_KUBEFLOW_JOB) and labels.get(_KUBEFLOW_OPERATOR) == "mpi-operator":
        yield NamedGang(made_name(Source.MPI_JOB, labels[_KUBEFLOW_JOB]), Source.MPI_JOB)
    name, group = labels.get(_LWS_NAME), labels.get(_LWS_GROUP)
    if name and group:
        yield NamedGang(made_name(Source.LEADER_WORKER_SET, f"{name}.{group}"), Source.LEADER_WORKER_SET)
    controller = controller_of(metadata)
    if (controller.get("apiVersion"), controller.get("kind")) == ("batch/v1", "Job"):
        yield NamedGang(made_name(Source.JOB, controller["name"]), Source.JOB, controller["uid"])


def _kueue_group(metadata: Manifest) -> Iterator[NamedGang]:
    """The Kueue group of a pod. If Kueue queues the pod's owner as a whole, Kueue and we ignore the group."""
    labels, owner = metadata.get("labels") or {}, controller_of(metadata).get("apiVersion", "")
    is_queued_above = owner.partition("/")[0] in _QUEUED_BY_KUEUE or labels.get(_LWS_NAME)
    if labels.get(KUEUE_GROUP) and not is_queued_above:
        yield NamedGang(made_name(Source.KUEUE_GROUP, labels[KUEUE_GROUP]), Source.KUEUE_GROUP)


def _unknown(_: Manifest) -> str:
    """'', since not all pods of such an owner state its UID."""
    return ""


def _job_set_uid(metadata: Manifest) -> str:
    return str((metadata.get("labels") or {}).get("jobset.sigs.k8s.io/jobset-uid", ""))


def _ray_cluster_uid(metadata: Manifest) -> str:
    controller = controller_of(metadata)
    return str(controller["uid"]) if controller.get("kind") == "RayCluster" else ""


# The label with the name of an MPIJob. The training operator writes the same label to pods of other jobs.
_KUBEFLOW_JOB = "training.kubeflow.org/job-name"
_KUBEFLOW_OPERATOR = "training.kubeflow.org/operator-name"
_LWS_NAME = "leaderworkerset.sigs.k8s.io/name"
_LWS_GROUP = "leaderworkerset.sigs.k8s.io/group-index"
# The API groups of owners that Kueue queues as a whole. It queues the pods of a StatefulSet as a group.
_QUEUED_BY_KUEUE = frozenset(
    {"batch", "jobset.x-k8s.io", "kubeflow.org", "ray.io", "trainer.kubeflow.org", "workload.codeflare.dev"}
)
_LABELS = (
    (Source.POD_GROUP, POD_GROUP_LABEL, _unknown),
    (Source.JOB_SET, "jobset.sigs.k8s.io/jobset-name", _job_set_uid),
    (Source.RAY_CLUSTER, "ray.io/cluster", _ray_cluster_uid),
)
