"""RayClusters: a head and its workers. These also have a container of KubeRay's own, so their needs differ."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.controller_process import controller_process
from e2e.controllers.killed import KILLS
from e2e.controllers.kinds import install_kinds
from e2e.controllers.module_folder import module_folder
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from eventually import eventually
from live.examples import apply_example
from live.places import are_bound_anew, places_of
from lockstep.facts.gang.source import Source
from sandbox import Sandbox
from sandbox.binaries import Tool
from sandbox.ports import LOOPBACK, KeptPort

KINDS = Path("config/crd/bases")
ELASTIC = {
    "lockstep.dev/elastic": "Members",
    "lockstep.dev/restart-time": "1s",
    "lockstep.dev/min-interval": "1s",
}


class RayClusters(Owners):
    """RayClusters with one group of workers; it is scaled by Ray where ``most`` is the highest number of these."""

    group, plural = "ray.io/v1", "rayclusters"
    source = Source.RAY_CLUSTER
    most = 0

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        return {
            "apiVersion": self.group,
            "kind": "RayCluster",
            "metadata": {"name": name},
            "spec": {
                "headGroupSpec": self._group(name),
                "workerGroupSpecs": [self._workers(name, size - 1, size - 1)],
                "enableInTreeAutoscaling": bool(self.most),
            },
        }

    def scale(self, name: str, least: int, workers: int) -> None:
        """Ask for so many workers, as Ray's autoscaler does."""
        self.patch(name, {"workerGroupSpecs": [self._workers(name, least, workers)]})

    def losses(self, name: str) -> dict[str, Any]:
        conditions = self.status(name).get("conditions") or []
        return {one["type"]: one["reason"] for one in conditions if one["type"] == "ReplicaFailure"}

    def _workers(self, name: str, least: int, count: int) -> dict[str, Any]:
        numbers = {"replicas": count, "minReplicas": least, "maxReplicas": self.most or count}
        return {**self._group(name), "groupName": "workers", **numbers}

    def _group(self, name: str) -> dict[str, Any]:
        return {"rayStartParams": {}, "template": self.template(name, restartPolicy="Always")}


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """KubeRay."""
    folder, health = tmp_path_factory.mktemp("kuberay"), KeptPort()
    install_kinds(plane, module_folder(Tool.RAY_OPERATOR) / KINDS)
    options = ["--enable-leader-election=false", "--metrics-addr=0"]
    command = [
        plane.program(Tool.RAY_OPERATOR),
        *options,
        f"--health-probe-bind-address={LOOPBACK}:{health.number}",
    ]
    with controller_process(plane, command, log=folder / "log", ready=f"{health.number}/readyz"):
        yield


@pytest.fixture
def clusters(controller: None, stage: Stage) -> Iterator[RayClusters]:
    clusters = RayClusters(stage.gangs)
    yield clusters
    clusters.close()


@pytest.fixture
def made_clusters(clusters: RayClusters) -> RayClusters:
    """RayClusters for which the operator makes Gangs."""
    clusters.is_made = True
    return clusters


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_ray_cluster_is_a_gang_with_its_head(stage, clusters, scene):
    scene(stage, clusters)


def test_worker_that_is_made_anew_joins_the_others(stage, clusters):
    stage.arena.add_nodes(2, cpu="2")
    stage.submit(clusters, "heat", scenes.SIZE)
    stage.check_whole("heat")
    before = stage.gangs.places("heat")

    deleted = stage.gangs.pods("heat")[-1]
    stage.arena.delete_pod(deleted["metadata"]["name"])

    lost = deleted["metadata"]["uid"]
    eventually(lambda: are_bound_anew(stage.gangs.places("heat"), {lost}, scenes.SIZE))
    assert before.keys() - stage.gangs.places("heat").keys() == {lost}


@pytest.mark.parametrize("scene", [scenes.placed_as_planned, *scenes.SUSPENDABLE, *KILLS], ids=scenes.named)
def test_gang_of_a_ray_cluster_is_made(stage, made_clusters, scene):
    scene(stage, made_clusters)


def test_workers_that_the_autoscaler_adds_are_placed_beside_the_others(stage, made_clusters):
    stage.arena.add_nodes(2, cpu="3")
    made_clusters.most = scenes.SIZE
    gang = stage.submit(made_clusters, "heat", 2)
    stage.check_whole(gang, 2)

    # The head is no real one, so it has no autoscaler.
    made_clusters.scale("heat", 1, scenes.SIZE - 1)

    stage.until_all_beside(gang, first=2)


def create_with_range(stage, clusters, sizes, **annotations):
    """Create a suspended RayCluster with a range."""
    manifest = clusters.manifest("heat", 2)
    manifest["metadata"]["annotations"] = {"lockstep.dev/size": sizes, **annotations}
    manifest["spec"]["suspend"] = True
    manifest["spec"]["workerGroupSpecs"][0]["maxReplicas"] = 8
    stage.gangs.api.request("POST", clusters.path, manifest)


def until_size(stage, size):
    """Wait until the RayCluster has so many pods on nodes and its Gang says so; return where they are."""
    return stage.gangs.until_size("raycluster.heat", size)


def places_of_head(stage):
    """Where the head is."""
    pods = stage.gangs.pods("raycluster.heat")
    return places_of(pod for pod in pods if pod["metadata"]["labels"]["ray.io/node-type"] == "head")


def test_ray_cluster_grows_while_it_runs_and_only_workers_that_are_named_leave(stage, made_clusters):
    stage.arena.add_nodes(2, cpu="2")
    create_with_range(stage, made_clusters, "2-9", **ELASTIC)
    first = until_size(stage, 4)
    stage.arena.add_nodes(1, cpu="2")
    grown = until_size(stage, 6)
    assert first.items() <= grown.items()

    stage.gangs.submit("waits", 2)
    stage.gangs.create_pods("waits", "left", "right")
    stage.gangs.until("waits", "Placed")
    assert until_size(stage, 4).items() <= grown.items()
    assert made_clusters.losses("heat") == {}

    head = places_of_head(stage)
    left = min(node for node in stage.gangs.nodes_of("raycluster.heat") if node not in head.values())
    before = stage.gangs.places("raycluster.heat")
    stage.arena.api.request("PATCH", f"/api/v1/nodes/{left}", {"spec": {"taints": [scenes.LOST]}})
    staying = {uid: node for uid, node in before.items() if node != left}
    assert until_size(stage, len(staying)) == staying
    assert head.items() <= staying.items()


def drain(stage, node):
    """Close a node, and evict the RayCluster's pods on it."""
    api, pods = stage.arena.api, f"{stage.arena.core}/pods"
    api.request("PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
    for one in stage.gangs.pods("raycluster.heat"):
        name = one["metadata"]["name"]
        if one["spec"].get("nodeName") == node:
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
            api.request("POST", f"{pods}/{name}/eviction", eviction)


def test_ray_cluster_whose_node_is_drained_goes_on_with_the_workers_that_run(stage, made_clusters):
    stage.arena.add_nodes(2, cpu="2")
    create_with_range(stage, made_clusters, "2-9", **ELASTIC)
    before = until_size(stage, 4)
    left = min({*before.values()} - {*places_of_head(stage).values()})

    drain(stage, left)

    staying = {uid: node for uid, node in before.items() if node != left}
    assert until_size(stage, len(staying)) == staying
    assert made_clusters.losses("heat") == {}


def test_suspended_ray_cluster_with_a_range_gets_as_many_workers_as_find_room(stage, made_clusters):
    stage.arena.add_nodes(2, cpu="2")

    create_with_range(stage, made_clusters, "2-9")

    stage.check_whole("raycluster.heat", 4)
    found = stage.gangs.api.request("GET", f"{made_clusters.path}/heat")
    assert found["metadata"]["annotations"]["lockstep.dev/sized"] == "4"


def test_example_of_a_raycluster_is_placed(stage, made_clusters):
    scenes.as_in_the_example(stage, made_clusters, 4)


def test_example_of_a_raycluster_that_waits_for_a_size_gets_as_many_workers_as_pay(stage, made_clusters):
    stage.arena.add_nodes(3, cpu="4")

    apply_example(stage.arena, "sizedraycluster")

    stage.gangs.until(made_clusters.gang("heat"), "Placed")
    assert 3 <= stage.gangs.bound(made_clusters.gang("heat")) <= 7


def test_example_of_a_raycluster_that_changes_its_size_grows(stage, made_clusters):
    stage.arena.add_nodes(1, cpu="3")
    apply_example(stage.arena, "elasticraycluster")
    first = until_size(stage, 3)
    stage.arena.add_nodes(1, cpu="3")

    assert first.items() <= until_size(stage, 6).items()
