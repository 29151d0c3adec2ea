"""Decides which pods are gangs of one pod: pods that need no other pod, judged by their owner and their groups."""

from lockstep.api.manifest import Manifest
from lockstep.api.podgang.kueue_group import KUEUE_GROUP

RUN_ALONE = frozenset(
    {("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet"), ("apps/v1", "DaemonSet"), ("v1", "ReplicationController")}
)
"""The controllers whose pods do not wait for each other.

Pods of other controllers may wait for each other, so they are no gangs of one pod.
"""
# Labels and annotations by which pods name a group: a LeaderWorkerSet, an older kind of PodGroup, a Kueue group, or a
# PodGroup of Volcano.
_GROUP_LABELS = (
    "leaderworkerset.sigs.k8s.io/name",
    "pod-group.scheduling.sigs.k8s.io",
    KUEUE_GROUP,
)
_GROUP_ANNOTATIONS = ("scheduling.k8s.io/group-name",)
# Fields that name a PodGroup of Kubernetes itself. The second one is from Kubernetes 1.35.
_GROUP_FIELDS = ("schedulingGroup", "workloadRef")


def controller_of(metadata: Manifest) -> Manifest:
    """The owner reference of the controller; empty if there is none."""
    return next((owner for owner in metadata.get("ownerReferences") or () if owner.get("controller")), {})


def job_of(metadata: Manifest) -> str:
    """The name of the Job that controls a pod; '' if no Job does."""
    controller = controller_of(metadata)
    is_job = (controller.get("apiVersion"), controller.get("kind")) == ("batch/v1", "Job")
    return str(controller["name"]) if is_job else ""


def is_single(pod: Manifest) -> bool:
    """Whether a pod needs no other pod: it names no group, and has no controller or one of ``RUN_ALONE``."""
    controller = controller_of(pod["metadata"])
    runs_alone = not controller or (controller.get("apiVersion"), controller.get("kind")) in RUN_ALONE
    return runs_alone and not _names_group(pod)


def _names_group(pod: Manifest) -> bool:
    """Whether a pod names a group of any kind, by a label, an annotation or a field."""
    labels, annotations = (pod["metadata"].get(field) or {} for field in ("labels", "annotations"))
    says = ((labels, _GROUP_LABELS), (annotations, _GROUP_ANNOTATIONS), (pod["spec"], _GROUP_FIELDS))
    return any(found.get(name) for found, names in says for name in names)
