"""Running RayClusters whose size may change: which do, by what they say, and the patch that changes it."""

import copy

import pytest

from lockstep.api.podgang.made_gang import made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.sizing.awaiting import NewSize
from lockstep.api.podgang.sizing.elastic_ray_cluster import ray_cluster_resized
from lockstep.api.podgang.sizing.sized_kind import sized_kind
from lockstep.api.podgang.sizing.sized_ray_cluster import ray_cluster_problem
from lockstep.facts.gang.source import Source

ELASTIC = "lockstep.dev/elastic"
SIZED_UID = "lockstep.dev/sized-uid"
SAYS = {"lockstep.dev/size": "3-7", ELASTIC: "Members", "lockstep.dev/sized": "4", SIZED_UID: "uid-of-heat"}
METADATA = {"name": "heat", "namespace": "team", "uid": "uid-of-heat", "resourceVersion": "7", "annotations": SAYS}
GROUP = {"groupName": "all", "replicas": 3, "template": {"spec": {}}}
OWNER = {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "train", "uid": "u", "controller": True}


def cluster(*, metadata=None, annotations=None, group=None, groups=None, **spec):
    """The RayCluster of a head and three workers, with these changes."""
    about = copy.deepcopy(METADATA) | (metadata or {})
    about["annotations"] = {**SAYS, **(annotations or {})}
    workers = [{**GROUP, **(group or {})}] if groups is None else groups
    return {"metadata": about, "spec": {"suspend": False, "workerGroupSpecs": workers, **spec}}


def elastic(manifest, **how):
    """What of a RayCluster may change, as it is read."""
    return sized_kind(Source.RAY_CLUSTER).parse(manifest, **how).elastic


def test_running_ray_cluster_that_the_operator_has_sized_may_change_its_workers():
    found = elastic(cluster())

    assert (found.pods, found.role, found.fixed) == (4, "all", 1)
    assert found.spec.keeps_members


def test_number_that_the_bounds_of_the_group_make_counts():
    assert elastic(cluster(group={"replicas": 9, "maxReplicas": 3})).pods == 4
    assert elastic(cluster(group={"minReplicas": 4})) is None


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"annotations": {ELASTIC: "Restart"}}, id="another mode"),
        pytest.param({"annotations": {"lockstep.dev/sized": "5"}}, id="another number since"),
        pytest.param({"metadata": {"uid": "uid-of-a-copy"}}, id="a copy of one that has got a size"),
        pytest.param({"suspend": True}, id="suspended"),
        pytest.param({"enableInTreeAutoscaling": True}, id="scaled by Ray"),
        pytest.param({"managedBy": "kueue.x-k8s.io/multikueue"}, id="run elsewhere"),
        pytest.param({"managedBy": 3}, id="a field that makes no sense"),
        pytest.param({"group": {"numOfHosts": 3, "replicas": 1}}, id="several hosts a replica"),
        pytest.param({"group": {"suspend": True}}, id="a suspended group"),
        pytest.param({"group": {"groupName": ""}}, id="a group without a name"),
        pytest.param({"group": {"groupName": "headgroup"}}, id="a group with the name of the head's"),
        pytest.param({"groups": []}, id="without workers"),
        pytest.param({"groups": [{**GROUP, "replicas": 1}, {**GROUP, "replicas": 2}]}, id="two groups"),
        pytest.param({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, id="being deleted"),
        pytest.param({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}}}, id="queued by Kueue"),
        pytest.param({"metadata": {"ownerReferences": [OWNER]}}, id="of a RayJob"),
    ],
)
def test_ray_cluster_keeps_its_size(changes):
    assert elastic(cluster(**changes)) is None


def test_another_size_changes_the_replicas_and_names_the_workers_that_leave():
    strategy = {"other": 1, "workersToDelete": ["gone-before"]}
    patch = ray_cluster_resized(cluster(group={"scaleStrategy": strategy}), NewSize(3, 4, ["w-2"]))

    workers = {**GROUP, "replicas": 2, "scaleStrategy": {"other": 1, "workersToDelete": ["w-2"]}}
    assert patch == {
        "metadata": {
            "uid": "uid-of-heat",
            "resourceVersion": "7",
            "annotations": {"lockstep.dev/sized": "3", SIZED_UID: "uid-of-heat", "lockstep.dev/first-size": "4"},
        },
        "spec": {"workerGroupSpecs": [workers]},
    }


def test_growth_takes_names_of_before_away():
    patch = ray_cluster_resized(cluster(group={"scaleStrategy": {"workersToDelete": ["w-2"]}}), NewSize(6, 4))

    assert patch["spec"]["workerGroupSpecs"][0]["scaleStrategy"] == {"workersToDelete": []}


def test_ray_cluster_with_several_hosts_a_replica_can_not_wait_for_changes():
    assert "only with numOfHosts 1" in ray_cluster_problem(cluster(group={"numOfHosts": 2}))
    assert ray_cluster_problem(cluster()) == ""


def test_annotation_without_a_range_is_refused():
    owner = cluster(annotations={"lockstep.dev/size": None}, headGroupSpec={})
    owner["metadata"]["annotations"].pop("lockstep.dev/size")

    parts = made_parts(OWNERS[Source.RAY_CLUSTER], owner)

    assert "it needs the annotation lockstep.dev/size" in parts["metadata"]["annotations"]["lockstep.dev/problem"]
