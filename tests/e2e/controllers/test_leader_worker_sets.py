"""LeaderWorkerSets: a StatefulSet of leaders, each with a StatefulSet of workers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builders.manifests import bid
from e2e.controllers import scenes
from e2e.controllers.configured_controller import Layout, configured_controller
from e2e.controllers.killed import KILLS
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from eventually import eventually
from live.places import are_bound_anew
from lockstep.facts.gang.source import Source, made_name
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
    source = Source.LEADER_WORKER_SET
    groups = 1
    startup = "LeaderCreated"

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        template = {"size": size, "workerTemplate": self.template(name, restartPolicy="Always")}
        return {
            "apiVersion": self.group,
            "kind": "LeaderWorkerSet",
            "metadata": {"name": name},
            "spec": {"replicas": self.groups, "startupPolicy": self.startup, "leaderWorkerTemplate": template},
        }

    def gang(self, name: str) -> str:
        return self.gang_of_group(name, 0) if self.is_made else name

    def gang_of_group(self, name: str, group: int) -> str:
        """The Gang that the operator makes for one group."""
        return made_name(self.source, f"{name}.{group}")

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


@pytest.fixture
def made_sets(sets: LeaderWorkerSets) -> LeaderWorkerSets:
    """LeaderWorkerSets for which the operator makes Gangs."""
    sets.is_made = True
    return sets


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_group_of_a_leader_and_workers_is_a_gang(stage, sets, scene):
    scene(stage, sets)


def test_group_that_is_made_anew_is_placed_whole_again(stage, sets):
    stage.arena.add_nodes(2, cpu="2")
    stage.submit(sets, "heat", scenes.SIZE)
    stage.check_whole("heat")
    before = stage.gangs.places("heat")

    # A worker may be gone before the controller sees that it is deleted; then its group is not made anew.
    stage.arena.delete_pod("heat-0")

    eventually(lambda: are_bound_anew(stage.gangs.places("heat"), before, scenes.SIZE))


@pytest.mark.usefixtures("evicting")
@pytest.mark.parametrize("scene", [scenes.begun_anew, *KILLS], ids=scenes.named)
def test_group_that_is_bound_in_part_is_made_anew(stage, made_sets, allowed_evictions, scene):
    allowed_evictions.add(f"create {stage.arena.core}/pods/heat-0/eviction")

    scene(stage, made_sets)


@pytest.mark.usefixtures("evicting")
@pytest.mark.parametrize("startup", ["LeaderCreated", "LeaderReady"])
def test_group_that_has_to_leave_a_node_is_made_anew(stage, made_sets, allowed_evictions, startup):
    made_sets.startup = startup
    allowed_evictions.add(f"create {stage.arena.core}/pods/heat-0/eviction")
    stage.arena.add_nodes(scenes.SIZE + 1, cpu="1")
    made_sets.create("heat", scenes.SIZE)
    gang = made_sets.gang("heat")
    eventually(lambda: stage.gangs.bound(gang) == scenes.SIZE)
    before = stage.gangs.places(gang)
    left = min(before.values())

    stage.arena.create(bid(left, onReturn="Evict", gracePeriodSeconds=0, ownerPresent=True))

    eventually(lambda: are_bound_anew(stage.gangs.places(gang), before, scenes.SIZE))
    assert left not in stage.gangs.nodes_of(gang)


def test_groups_of_one_object_are_one_gang(stage, sets):
    sets.groups = 2
    stage.arena.add_nodes(2, cpu="2")
    stage.gangs.submit("heat", scenes.SIZE)

    sets.create("heat", scenes.SIZE // 2)

    stage.check_whole("heat")


@pytest.mark.parametrize("scene", [scenes.placed_as_planned, *scenes.MADE], ids=scenes.named)
def test_gang_of_a_group_is_made(stage, made_sets, scene):
    scene(stage, made_sets)


def test_workers_that_wait_for_their_leader_are_placed_beside_it(stage, made_sets):
    stage.arena.add_nodes(2, cpu="4")
    made_sets.groups, made_sets.startup = 2, "LeaderReady"

    made_sets.create("heat", scenes.SIZE)

    for group in range(2):
        stage.until_all_beside(made_sets.gang_of_group("heat", group))


def test_each_group_has_a_list_of_its_own_hosts(stage, made_sets):
    stage.arena.add_nodes(2, cpu="2")
    made_sets.groups = 2
    manifest = made_sets.manifest("heat", 2)
    manifest["metadata"]["annotations"] = {"lockstep.dev/hosts": "ConfigMap"}

    made_sets.api.request("POST", made_sets.path, manifest)

    for gang in (made_sets.gang_of_group("heat", group) for group in range(2)):
        eventually(lambda gang=gang: stage.gangs.bound(gang) == 2)
        there = made_sets.api.request("GET", f"{stage.arena.core}/configmaps/{gang}.hosts")
        listed = [tuple(line.split()[1:]) for line in there["data"]["members"].splitlines()]
        assert sorted(listed) == [(pod["metadata"]["name"], pod["spec"]["nodeName"]) for pod in stage.gangs.pods(gang)]


def test_example_of_a_leaderworkerset_is_placed(stage, made_sets):
    scenes.as_in_the_example(stage, made_sets, 3)
    eventually(lambda: stage.gangs.bound(made_sets.gang_of_group("heat", 1)) == 3)
