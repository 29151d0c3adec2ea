"""Changes the number of workers of running RayClusters: KubeRay gets the number, and the names of workers that leave.

Without names, KubeRay would choose the workers to remove. The names stay in the spec, so each change replaces them.
"""

from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.podgang.first_pods import HEAD_GROUP, hosts_of, replicas_of
from lockstep.api.podgang.kueue import is_queued
from lockstep.api.podgang.section import FieldError, Section
from lockstep.api.podgang.single_pods import controller_of
from lockstep.api.podgang.sizing.awaiting import NewSize, resized
from lockstep.api.podgang.sizing.size_mark import has_size

HEADS = 1
"""The number of pods of a RayCluster that are not workers."""
_OWN_CONTROLLERS = ("", "ray.io/kuberay-operator")


def running_pods_of_ray_cluster(cluster: Manifest) -> int:
    """The number of pods of a running RayCluster, if the operator has given it this number and may change it; else 0.

    A RayCluster keeps its size if others manage or scale it, or if another user has changed its number of workers. It
    also keeps its size if a replica has several workers: KubeRay removes them together, although their nodes differ.
    """
    try:
        return _running_pods(cluster)
    except FieldError:
        return 0


def workers_of_ray_cluster(cluster: Manifest) -> str:
    """The name of the only group of workers of a running RayCluster whose number of pods may change."""
    [group] = cluster["spec"]["workerGroupSpecs"]
    return str(group["groupName"])


def ray_cluster_resized(cluster: Manifest, to: NewSize) -> dict[str, Any]:
    """The merge patch that gives a running RayCluster another size, and names the workers that leave.

    It applies only to the version of the RayCluster that was read.
    """
    [group] = cluster["spec"]["workerGroupSpecs"]
    strategy = {**(group.get("scaleStrategy") or {}), "workersToDelete": list(to.leaving)}
    workers = {**group, "replicas": to.size - HEADS, "scaleStrategy": strategy}
    return resized(cluster, to.size, {"workerGroupSpecs": [workers]}, first=to.first)


def _running_pods(cluster: Manifest) -> int:
    metadata, spec = cluster["metadata"], Section(cluster).section("spec")
    is_others = is_queued(cluster) or controller_of(metadata) or spec.text("managedBy") not in _OWN_CONTROLLERS
    is_going = not (spec.has("suspend") or spec.has("enableInTreeAutoscaling") or "deletionTimestamp" in metadata)
    groups = spec.sections("workerGroupSpecs")
    if is_others or not is_going or len(groups) != 1:
        return 0
    [group] = groups
    # If a group had the name of the head's group, the head could not be distinguished from the workers.
    is_able = group.text("groupName") not in ("", HEAD_GROUP) and not group.has("suspend") and hosts_of(group) == 1
    pods = HEADS + replicas_of(group)
    return pods if is_able and has_size(cluster, pods) else 0
