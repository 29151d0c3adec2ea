"""Which RayClusters wait for a size, which sizes they allow, and how they get one."""

import pytest

from lockstep.api.podgang.sizing.sized_kind import sized_kind
from lockstep.api.podgang.sizing.sized_ray_cluster import ray_cluster_problem, ray_cluster_with_size
from lockstep.facts.gang.source import Source

OURS = {"spec": {"schedulerName": "lockstep", "containers": [{"name": "ray", "image": "ray:2"}]}}
OTHER = {"spec": {"schedulerName": "default-scheduler", "containers": []}}
RANGE = {"lockstep.dev/size": "3-9"}
SIZED = {"lockstep.dev/sized": "4", "lockstep.dev/sized-uid": "uid-of-heat"}
OWNER = {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "train", "uid": "u", "controller": True}
KIND = sized_kind(Source.RAY_CLUSTER)


def workers(**more):
    """Describe a group of workers."""
    return {"groupName": "all", "replicas": 1, "template": OURS, **more}


def cluster(*groups, annotations=RANGE, labels=None, owners=None, **spec):
    """Describe a RayCluster that waits for a size, but for what is said otherwise."""
    metadata = {"name": "heat", "namespace": "team", "uid": "uid-of-heat", "resourceVersion": "7"}
    metadata |= {"annotations": annotations, "labels": labels, "ownerReferences": owners}
    groups = list(groups) or [workers()]
    given = {"suspend": True, "headGroupSpec": {"template": OURS}, "workerGroupSpecs": groups}
    return {"metadata": metadata, "spec": {**given, **spec}}


def test_suspended_ray_cluster_with_a_range_waits_for_a_size():
    found = KIND.parse(cluster())

    assert (found.awaits_size, found.source, found.sizes) == (True, Source.RAY_CLUSTER, range(3, 10))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(cluster(annotations=None), id="no range"),
        pytest.param(cluster(suspend=False), id="not suspended"),
        pytest.param(cluster(headGroupSpec={"template": OTHER}), id="another scheduler for the head"),
        pytest.param(cluster(workers(template=OTHER)), id="another scheduler for workers"),
        pytest.param(cluster(labels={"kueue.x-k8s.io/queue-name": "q"}), id="queued by Kueue"),
        pytest.param(cluster(owners=[OWNER]), id="of a RayJob"),
        pytest.param(cluster(headGroupSpec=None, workerGroupSpecs=None), id="without groups"),
        pytest.param(cluster(workers(template=None)), id="without a template"),
        pytest.param(cluster(annotations={**RANGE, **SIZED}), id="has its size"),
    ],
)
def test_other_ray_clusters_do_not_wait(other):
    assert not KIND.parse(other).awaits_size


def test_copy_of_a_ray_cluster_with_a_size_waits_for_its_own():
    copied = {**SIZED, "lockstep.dev/sized-uid": "uid-of-another"}

    assert KIND.parse(cluster(annotations={**RANGE, **copied})).awaits_size


@pytest.mark.parametrize(
    ("group", "want"),
    [
        pytest.param({}, [3, 4, 5, 6, 7, 8, 9], id="any number of workers"),
        pytest.param({"numOfHosts": 2}, [3, 5, 7, 9], id="two hosts a replica"),
        pytest.param({"numOfHosts": 3}, [4, 7], id="three hosts a replica"),
        pytest.param({"minReplicas": 4, "maxReplicas": 6}, [5, 6, 7], id="bounds of the group"),
        pytest.param({"minReplicas": 0, "maxReplicas": 2**31 - 1}, [3, 4, 5, 6, 7, 8, 9], id="KubeRay's own bounds"),
        pytest.param({"minReplicas": 9}, [], id="too many workers"),
        pytest.param({"numOfHosts": 10}, [], id="too many hosts"),
        pytest.param({"maxReplicas": 1}, [], id="too few workers"),
        pytest.param({"numOfHosts": -1}, [], id="a field that makes no sense"),
    ],
)
def test_sizes_are_those_that_a_number_of_replicas_makes(group, want):
    assert list(KIND.parse(cluster(workers(**group))).sizes) == want


def test_ray_cluster_has_one_worker_at_least():
    assert list(KIND.parse(cluster(annotations={"lockstep.dev/size": "1-3"})).sizes) == [2, 3]


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        pytest.param(cluster(enableInTreeAutoscaling=True), "Ray's autoscaler sets", id="Ray's autoscaler"),
        pytest.param(cluster(workers(), workers()), "exactly one group of workers", id="two groups"),
        pytest.param(cluster(workerGroupSpecs=[]), "exactly one group of workers", id="no workers"),
        pytest.param(cluster(workers(suspend=True)), "must not be suspended", id="a suspended group"),
        pytest.param(cluster(workers(maxReplicas=1)), "no number of replicas", id="no size"),
    ],
)
def test_ray_cluster_that_can_get_no_size_says_why(manifest, sentence):
    assert sentence in ray_cluster_problem(manifest)


@pytest.mark.parametrize("annotations", [RANGE, {"lockstep.dev/size": "many"}])
def test_ray_cluster_that_can_get_a_size_or_has_no_range_has_no_other_problem(annotations):
    assert ray_cluster_problem(cluster(annotations=annotations)) == ""


def test_size_becomes_replicas_and_leaves_the_rest_of_the_group_as_it_is():
    group = workers(numOfHosts=2, rayStartParams={"num-cpus": "2"}, minReplicas=0, maxReplicas=9)

    patch = ray_cluster_with_size(cluster(group), 7)

    assert patch["spec"] == {"suspend": False, "workerGroupSpecs": [{**group, "replicas": 3}]}
    marks = {"lockstep.dev/sized": "7", "lockstep.dev/sized-uid": "uid-of-heat", "lockstep.dev/first-size": None}
    assert patch["metadata"]["annotations"] == marks
    assert (patch["metadata"]["uid"], patch["metadata"]["resourceVersion"]) == ("uid-of-heat", "7")


def test_worker_is_as_kuberay_makes_it_with_the_container_that_waits_for_the_head():
    group = workers(template={"metadata": {"labels": {"a": "b"}}, **OURS})

    pod = KIND.pod(cluster(group))

    assert pod["metadata"]["labels"]["ray.io/cluster"] == "heat"
    assert pod["metadata"]["labels"]["a"] == "b"
    assert [one["resources"]["requests"]["cpu"] for one in pod["spec"]["initContainers"]] == ["200m"]
    assert KIND.first_pod(cluster(group))["spec"] == OURS["spec"]
