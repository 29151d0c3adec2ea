"""Suspended RayClusters with a range of sizes, on an API server that knows the kind. The tests are their controller."""

import pytest

from eventually import eventually
from live.kinds_of_owners import StubKind, install_kinds
from live.pod_gangs import PodGangs

API, GANG = "ray.io/v1", "raycluster.heat"


@pytest.fixture(scope="module")
def operator(sources, with_sources):
    """An operator that may size RayClusters, and was there before their kind was; one for all tests of the file."""
    with with_sources("pods,raycluster,sizedraycluster") as process:
        install_kinds(sources, [StubKind(API, "RayCluster", "rayclusters")])
        yield process


class RayCluster:
    """The RayCluster heat, of a head and a group of workers."""

    def __init__(self, arena):
        self.arena = arena
        self.gangs = PodGangs(arena)
        self.folder = f"/apis/{API}/namespaces/{arena.namespace}/rayclusters"

    def create(self, **workers):
        """Create it suspended, with a range."""
        template = self.gangs.template("")
        spec = {
            "suspend": True,
            "headGroupSpec": {"template": template},
            "workerGroupSpecs": [{"groupName": "all", "replicas": 1, "template": template, **workers}],
        }
        metadata = {"name": "heat", "annotations": {"lockstep.dev/size": "3-9"}}
        body = {"apiVersion": API, "kind": "RayCluster", "metadata": metadata, "spec": spec}
        return self.arena.api.request("POST", self.folder, body)

    def read(self):
        """The object."""
        return self.arena.api.request("GET", f"{self.folder}/heat")

    def change(self, **fields):
        """Change some of its fields."""
        self.arena.api.request("PATCH", f"{self.folder}/heat", fields)

    def is_resumed_with(self, replicas):
        """Whether it is resumed, with so many replicas."""
        spec = self.read()["spec"]
        return (spec["suspend"], spec["workerGroupSpecs"][0]["replicas"]) == (False, replicas)

    def make_pods(self, *names):
        """Create pods as KubeRay labels them."""
        found = self.read()["metadata"]
        owner = {"apiVersion": API, "kind": "RayCluster", "name": "heat", "uid": found["uid"], "controller": True}
        waits = {"name": "waits", "image": "ray:2", "resources": {"requests": {"cpu": "200m", "memory": "256Mi"}}}
        for name in names:
            template = self.gangs.template("", **({} if name == "head" else {"initContainers": [waits]}))
            metadata = {"name": name, "labels": {"ray.io/cluster": "heat"}, "ownerReferences": [owner]}
            self.arena.create({"apiVersion": "v1", "kind": "Pod", **template, "metadata": metadata})


@pytest.fixture
def cluster(arena, operator):
    """The RayCluster of the test's own."""
    assert operator
    cluster = RayCluster(arena)
    yield cluster
    cluster.gangs.close()


def test_suspended_ray_cluster_gets_its_replicas_and_is_resumed(arena, cluster):
    arena.add_nodes(2, cpu="3")
    cluster.create(numOfHosts=2)
    # Six processors are enough for a head and two replicas of two.
    eventually(lambda: cluster.is_resumed_with(2))

    cluster.make_pods("head", "w1", "w2", "w3", "w4")

    cluster.gangs.until(GANG, "Placed")
    assert cluster.gangs.bound(GANG) == 5
    assert cluster.read()["metadata"]["annotations"]["lockstep.dev/sized"] == "5"


def test_ray_cluster_that_can_get_no_size_says_so(arena, cluster):
    arena.add_nodes(1, cpu="8")
    cluster.create(maxReplicas=1)

    says = cluster.gangs.until(GANG, "Accepted", "False", "InvalidSpec")

    assert "no number of replicas" in says["message"]
    assert cluster.read()["spec"]["suspend"] is True


def test_ray_cluster_that_a_user_suspends_after_its_start_stays_suspended(arena, cluster):
    arena.add_nodes(1, cpu="3")
    cluster.create()
    eventually(lambda: cluster.is_resumed_with(2))
    cluster.make_pods("head", "w1", "w2")
    cluster.gangs.until(GANG, "Placed")

    cluster.change(spec={"suspend": True})
    arena.add_nodes(1, cpu="3")
    cluster.gangs.submit("next", 1)
    cluster.gangs.create_pods("next", "a")
    cluster.gangs.until("next", "Placed")

    assert cluster.read()["spec"]["suspend"] is True


def test_ray_cluster_that_kueue_queues_meanwhile_is_left_alone(arena, cluster):
    arena.add_nodes(1, cpu="1")
    cluster.create()
    cluster.gangs.until(GANG, "Planned", "False", "NotEnoughRoom")

    cluster.change(metadata={"labels": {"kueue.x-k8s.io/queue-name": "q"}})
    cluster.gangs.until(GANG, "Planned", "False", "AwaitsPods")
    arena.add_nodes(1, cpu="8")
    cluster.gangs.submit("next", 1)
    cluster.gangs.create_pods("next", "a")
    # That is planned later, with the room that the RayCluster would have had.
    cluster.gangs.until("next", "Placed")

    assert cluster.read()["spec"]["suspend"] is True


def test_ray_cluster_of_the_same_name_gets_a_size_of_its_own(arena, cluster):
    arena.add_nodes(1, cpu="1")
    cluster.create()
    cluster.gangs.until(GANG, "Planned", "False", "NotEnoughRoom")
    arena.api.request("DELETE", f"{cluster.folder}/heat")

    cluster.create(minReplicas=4)
    arena.add_nodes(1, cpu="4")

    eventually(lambda: cluster.is_resumed_with(4))
