"""LeaderWorkerSets: a StatefulSet of leaders, each with a StatefulSet of workers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.configured_controller import Layout, configured_controller
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from eventually import eventually
from sandbox import Sandbox
from sandbox.binaries import Tool

LAYOUT = Layout(
    api_version="config.lws.x-k8s.io/v1alpha1",
    certificates="internalCertManagement",
    takes_folder=True,
    kinds=Path("config/crd/bases"),
    webhooks=Path("config/webhook"),
)


class LeaderWorkerSets(Owners):
    """LeaderWorkerSets of one group, or of ``groups``. They can't be suspended: without groups, they have no pods."""

    group, plural = "leaderworkerset.x-k8s.io/v1", "leaderworkersets"
    groups = 1

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        template = {"size": size, "workerTemplate": self.gangs.template(name, restartPolicy="Always")}
        return {
            "apiVersion": self.group,
            "kind": "LeaderWorkerSet",
            "metadata": {"name": name},
            "spec": {"replicas": self.groups, "leaderWorkerTemplate": template},
        }

    def losses(self, name: str) -> dict[str, Any]:
        """Nothing: it makes groups anew for ever, and counts none."""
        del name
        return {}

    def suspend(self, name: str) -> None:
        self.patch(name, {"replicas": 0})

    def resume(self, name: str) -> None:
        self.patch(name, {"replicas": self.groups})


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The controller of LeaderWorkerSets."""
    with configured_controller(plane, Tool.LEADER_WORKER_SET, LAYOUT, tmp_path_factory.mktemp("lws")):
        yield


@pytest.fixture
def sets(controller: None, stage: Stage) -> Iterator[LeaderWorkerSets]:
    sets = LeaderWorkerSets(stage.gangs)
    yield sets
    sets.close()


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_group_of_a_leader_and_workers_is_a_gang(stage, sets, scene):
    scene(stage, sets)


def test_group_that_is_made_anew_is_placed_whole_again(stage, sets):
    stage.arena.add_nodes(2, cpu="2")
    stage.submit(sets, "heat", scenes.SIZE)
    stage.check_whole("heat")
    before = stage.uids("heat")

    stage.arena.delete_pod(stage.gangs.pods("heat")[-1]["metadata"]["name"])

    eventually(lambda: stage.gangs.bound("heat") == scenes.SIZE and not before & stage.uids("heat"))


def test_groups_of_one_object_are_one_gang(stage, sets):
    sets.groups = 2
    stage.arena.add_nodes(2, cpu="2")
    stage.gangs.submit("heat", scenes.SIZE)

    sets.create("heat", scenes.SIZE // 2)

    stage.check_whole("heat")
