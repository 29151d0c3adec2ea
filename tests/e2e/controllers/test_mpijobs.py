"""MPIJobs: a launcher and its workers, which the MPI operator makes together, or the launcher last."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.killed import KILLS
from e2e.controllers.kinds import install_pod_groups
from e2e.controllers.kubeflow.mpi_operator import mpi_operator
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from eventually import eventually
from live.examples import apply_example
from lockstep.facts.gang.source import Source
from sandbox import Sandbox
from sandbox.binaries import Tool

POD_GROUPS = ("--gang-scheduling=lockstep",)
AT_STARTUP, WORKERS_FIRST = "AtStartup", "WaitForWorkersReady"
WORKERS = 3


class MpiJobs(Owners):
    """MPIJobs whose launcher comes with the workers; ``launcher`` says when it comes, ``policy`` is for PodGroups."""

    group, plural = "kubeflow.org/v2beta1", "mpijobs"
    source = Source.MPI_JOB
    launcher = AT_STARTUP
    policy: Mapping[str, Any] = {}

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        template = self.template(name)
        replicas = {
            "Launcher": {"replicas": 1, "template": template},
            "Worker": {"replicas": size - 1, "template": template},
        }
        run = {"schedulingPolicy": dict(self.policy)}
        spec = {"mpiReplicaSpecs": replicas, "launcherCreationPolicy": self.launcher, "runPolicy": run}
        return {"apiVersion": self.group, "kind": "MPIJob", "metadata": {"name": name}, "spec": spec}

    def losses(self, name: str) -> dict[str, Any]:
        statuses = self.status(name).get("replicaStatuses") or {}
        return {role: one.get("failed", 0) for role, one in statuses.items()}

    def suspend(self, name: str) -> None:
        self.patch(name, {"runPolicy": {"suspend": True}})

    def resume(self, name: str) -> None:
        self.patch(name, {"runPolicy": {"suspend": False}})


@pytest.fixture(scope="module", params=[()], ids=["no-pod-groups"])
def controller(
    request: pytest.FixtureRequest, plane: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """The MPI operator. Without options, it makes no PodGroups."""
    install_pod_groups(plane, Tool.MPI_OPERATOR)
    with mpi_operator(plane, tmp_path_factory.mktemp("mpi-operator"), *request.param):
        yield


@pytest.fixture
def mpijobs(controller: None, stage: Stage) -> Iterator[MpiJobs]:
    mpijobs = MpiJobs(stage.gangs)
    yield mpijobs
    mpijobs.close()


@pytest.fixture
def made_mpijobs(mpijobs: MpiJobs) -> MpiJobs:
    """MPIJobs for which the operator makes Gangs."""
    mpijobs.is_made = True
    return mpijobs


@pytest.fixture
def grouped_mpijobs(made_mpijobs: MpiJobs) -> MpiJobs:
    """MPIJobs for whose PodGroups the operator makes Gangs."""
    made_mpijobs.source = Source.POD_GROUP
    return made_mpijobs


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_mpijob_is_a_gang_with_its_launcher(stage, mpijobs, scene):
    scene(stage, mpijobs)


@pytest.mark.parametrize("policy", [AT_STARTUP, WORKERS_FIRST])
def test_launcher_joins_a_gang_of_the_workers(stage, mpijobs, policy):
    mpijobs.launcher = policy
    stage.arena.add_nodes(2, cpu="2")
    stage.gangs.submit("heat", WORKERS)

    mpijobs.create("heat", WORKERS + 1)

    eventually(lambda: stage.gangs.bound("heat") == WORKERS + 1)
    stage.gangs.until("heat", "Placed")


def test_workers_are_placed_where_the_launcher_has_no_room(stage, mpijobs):
    mpijobs.launcher = WORKERS_FIRST
    stage.arena.add_nodes(1, cpu=str(WORKERS))
    stage.gangs.submit("heat", WORKERS)
    mpijobs.create("heat", WORKERS + 1)
    eventually(lambda: len(stage.gangs.pods("heat")) == WORKERS + 1)
    assert stage.gangs.bound("heat") == WORKERS

    stage.arena.add_nodes(1, cpu="1")

    eventually(lambda: stage.gangs.bound("heat") == WORKERS + 1)


def test_gang_that_counts_a_launcher_that_comes_last_says_what_it_waits_for(stage, mpijobs):
    mpijobs.launcher = WORKERS_FIRST
    stage.arena.add_nodes(2, cpu="2")
    stage.gangs.submit("heat", WORKERS + 1)

    mpijobs.create("heat", WORKERS + 1)

    says = f"{WORKERS} of the {WORKERS + 1} needed pods"
    eventually(lambda: says in stage.gangs.condition("heat", "Planned").get("message", ""))
    assert stage.gangs.bound("heat") == 0


@pytest.mark.parametrize("scene", [scenes.placed_as_planned, *scenes.SUSPENDABLE, *KILLS], ids=scenes.named)
def test_gang_of_an_mpijob_is_made(stage, made_mpijobs, scene):
    scene(stage, made_mpijobs)


def test_launcher_that_comes_last_is_placed_beside_the_workers(stage, made_mpijobs):
    made_mpijobs.launcher = WORKERS_FIRST
    stage.arena.add_nodes(2, cpu="2")

    gang = stage.submit(made_mpijobs, "heat", WORKERS + 1)

    stage.until_all_beside(gang, first=WORKERS, size=WORKERS + 1)


@pytest.mark.parametrize("controller", [POD_GROUPS], indirect=True, ids=["pod-groups"])
@pytest.mark.parametrize("scene", [*scenes.SUSPENDABLE, *KILLS], ids=scenes.named)
def test_gang_of_the_pod_group_of_an_mpijob_is_made(stage, grouped_mpijobs, scene):
    scene(stage, grouped_mpijobs)


@pytest.mark.parametrize("controller", [POD_GROUPS], indirect=True, ids=["pod-groups"])
def test_launcher_that_comes_last_is_placed_beside_a_pod_group_of_the_workers(stage, grouped_mpijobs):
    grouped_mpijobs.launcher, grouped_mpijobs.policy = WORKERS_FIRST, {"minAvailable": WORKERS}
    stage.arena.add_nodes(2, cpu="2")

    gang = stage.submit(grouped_mpijobs, "heat", WORKERS + 1)

    stage.until_all_beside(gang, first=WORKERS, size=WORKERS + 1)


def test_example_of_an_mpijob_is_placed(stage, made_mpijobs):
    scenes.as_in_the_example(stage, made_mpijobs, 4)


def test_example_of_a_pod_group_is_placed(stage, mpijobs):
    assert mpijobs
    stage.arena.add_nodes(1, cpu="4")

    apply_example(stage.arena, "podgroup")

    eventually(lambda: stage.gangs.bound("podgroup.heat") == 3)


def test_mpijobs_whose_launchers_come_last_do_not_wait_for_each_other(stage, made_mpijobs):
    made_mpijobs.launcher = WORKERS_FIRST

    scenes.rivals_in_steps(stage, made_mpijobs)
