"""RayClusters: a head and its workers. These also have a container of KubeRay's own, so their needs differ."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.controller_process import controller_process
from e2e.controllers.kinds import install_kinds
from e2e.controllers.module_folder import module_folder
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from eventually import eventually
from sandbox import Sandbox
from sandbox.binaries import Tool
from sandbox.ports import LOOPBACK, KeptPort

KINDS = Path("config/crd/bases")


class RayClusters(Owners):
    """RayClusters with one group of workers."""

    group, plural = "ray.io/v1", "rayclusters"

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        common = {"rayStartParams": {}, "template": self.gangs.template(name, restartPolicy="Always")}
        count = size - 1
        workers = {**common, "groupName": "workers", "replicas": count, "minReplicas": count, "maxReplicas": count}
        return {
            "apiVersion": self.group,
            "kind": "RayCluster",
            "metadata": {"name": name},
            "spec": {"headGroupSpec": common, "workerGroupSpecs": [workers]},
        }

    def losses(self, name: str) -> dict[str, Any]:
        conditions = self.status(name).get("conditions") or []
        return {one["type"]: one["reason"] for one in conditions if one["type"] == "ReplicaFailure"}


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


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_ray_cluster_is_a_gang_with_its_head(stage, clusters, scene):
    scene(stage, clusters)


def test_worker_that_is_made_anew_joins_the_others(stage, clusters):
    stage.arena.add_nodes(2, cpu="2")
    stage.submit(clusters, "heat", scenes.SIZE)
    stage.check_whole("heat")
    before = stage.uids("heat")

    stage.arena.delete_pod(stage.gangs.pods("heat")[-1]["metadata"]["name"])

    eventually(lambda: stage.gangs.bound("heat") == scenes.SIZE and before - stage.uids("heat"))
    assert len(before & stage.uids("heat")) == scenes.SIZE - 1
