"""Suspended RayClusters whose annotation has a range of sizes: a head, and a number of workers that varies.

The number of replicas in their only group of workers varies, within the bounds of the group. A replica has as many pods
as it has hosts.
"""

from typing import Any

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.podgang.first_pods import hosts_of
from lockstep.api.podgang.gang_annotations import ELASTIC
from lockstep.api.podgang.section import Section
from lockstep.api.podgang.single_pods import controller_of
from lockstep.api.podgang.sizing.awaiting import asked_sizes, is_suspended_for_size, pod_to_be, resuming
from lockstep.facts.ranks import MOST_RANKS

_KIND = ("ray.io/v1", "RayCluster")
# KubeRay adds this container to workers. The container waits for the head.
_WAITS_FOR_HEAD = {
    "name": "wait-gcs-ready",
    "resources": {field: {"cpu": "200m", "memory": "256Mi"} for field in ("requests", "limits")},
}


def ray_cluster_awaits_size(cluster: Manifest) -> bool:
    """Whether the RayCluster waits for a size. A RayCluster that a RayJob or a RayService has made does not wait."""
    spec = Section(cluster).section("spec")
    holders = (spec.section("headGroupSpec"), *spec.sections("workerGroupSpecs"))
    templates = (holder.section("template") for holder in holders)
    return not controller_of(cluster["metadata"]) and is_suspended_for_size(cluster, templates)


def ray_cluster_problem(cluster: Manifest) -> str:
    """A clause that says why the RayCluster can't get a size; '' if it can."""
    spec = Section(cluster).section("spec")
    if spec.has("enableInTreeAutoscaling"):
        return "Ray's autoscaler sets its number of workers, so it can't get a size: leave out enableInTreeAutoscaling"
    groups = spec.sections("workerGroupSpecs")
    if len(groups) != 1 or groups[0].has("suspend"):
        return "to get a size, it must have exactly one group of workers, and this group must not be suspended"
    if ELASTIC in (cluster["metadata"].get("annotations") or {}) and hosts_of(groups[0]) > 1:
        return f"annotation {ELASTIC}: the number of workers can change only with numOfHosts 1"
    if asked_sizes(cluster) and not ray_cluster_sizes(cluster):
        return "no number of replicas from minReplicas to maxReplicas makes a size in the range of its annotation"
    return ""


def ray_cluster_sizes(cluster: Manifest) -> range:
    """The sizes in the annotation that one or more replicas can make; none if there are several groups of workers."""
    groups = Section(cluster).section("spec").sections("workerGroupSpecs")
    asked = asked_sizes(cluster)
    if len(groups) != 1 or not asked:
        return range(0)
    [group] = groups
    hosts = hosts_of(group)
    fewest = max(group.number("minReplicas", otherwise=0), -(-(asked[0] - 1) // hosts), 1)
    most = min(group.number("maxReplicas", otherwise=MOST_RANKS), (asked[-1] - 1) // hosts)
    return range(1 + fewest * hosts, 2 + most * hosts, hosts)


def ray_cluster_with_size(cluster: Manifest, size: int) -> dict[str, Any]:
    """The merge patch that gives the RayCluster its size and resumes it.

    It applies only to the version that was read.
    """
    [group] = _groups(cluster)
    replicas = (size - 1) // hosts_of(Section(group))
    return resuming(cluster, size, {"workerGroupSpecs": [{**group, "replicas": replicas}]})


def head_of_ray_cluster(cluster: Manifest) -> NewManifest:
    """The head, for a dry run, as KubeRay would create it."""
    template = cluster["spec"]["headGroupSpec"]["template"]
    return pod_to_be(cluster, _KIND, template, labels=_labels(cluster, "head", "headgroup"), mark="-head")


def worker_of_ray_cluster(cluster: Manifest) -> NewManifest:
    """A worker, for a dry run, as KubeRay would create it."""
    [group] = _groups(cluster)
    spec = group["template"]["spec"]
    image = next((one.get("image", "") for one in spec.get("containers") or ()), "")
    waits = _WAITS_FOR_HEAD | {"image": image}
    template = {**group["template"], "spec": {**spec, "initContainers": [*(spec.get("initContainers") or ()), waits]}}
    return pod_to_be(cluster, _KIND, template, labels=_labels(cluster, "worker", group["groupName"]))


def _groups(cluster: Manifest) -> list[Manifest]:
    return list(cluster["spec"].get("workerGroupSpecs") or ())


def _labels(cluster: Manifest, kind: str, group: str) -> dict[str, str]:
    name = cluster["metadata"]["name"]
    return {"ray.io/is-ray-node": "yes", "ray.io/cluster": name, "ray.io/node-type": kind, "ray.io/group": group}
