"""MPIJobs: a launcher and its workers, which the MPI operator makes together, or the launcher last."""

from collections.abc import Iterator
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

# The operator has no option for it.
HEALTH_PORT = 8080
FAST = ("--kube-api-qps=100", "--kube-api-burst=200", "--controller-queue-rate-limit=100")
AT_STARTUP, WORKERS_FIRST = "AtStartup", "WaitForWorkersReady"
WORKERS = 3


class MpiJobs(Owners):
    """MPIJobs whose launcher comes with the workers; ``launcher`` says when it comes."""

    group, plural = "kubeflow.org/v2beta1", "mpijobs"
    launcher = AT_STARTUP

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        template = self.gangs.template(name)
        replicas = {
            "Launcher": {"replicas": 1, "template": template},
            "Worker": {"replicas": size - 1, "template": template},
        }
        spec = {"mpiReplicaSpecs": replicas, "launcherCreationPolicy": self.launcher}
        return {"apiVersion": self.group, "kind": "MPIJob", "metadata": {"name": name}, "spec": spec}

    def losses(self, name: str) -> dict[str, Any]:
        statuses = self.status(name).get("replicaStatuses") or {}
        return {role: one.get("failed", 0) for role, one in statuses.items()}

    def suspend(self, name: str) -> None:
        self.patch(name, {"runPolicy": {"suspend": True}})

    def resume(self, name: str) -> None:
        self.patch(name, {"runPolicy": {"suspend": False}})


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The MPI operator, which leaves scheduling to others."""
    folder = tmp_path_factory.mktemp("mpi-operator")
    definition = module_folder(Tool.MPI_OPERATOR) / "manifests" / "base" / "kubeflow.org_mpijobs.yaml"
    install_kinds(plane, definition)
    command = [plane.program(Tool.MPI_OPERATOR), "--lock-namespace=default", *FAST]
    with controller_process(plane, command, log=folder / "log", ready=f"{HEALTH_PORT}/healthz"):
        yield


@pytest.fixture
def mpijobs(controller: None, stage: Stage) -> Iterator[MpiJobs]:
    mpijobs = MpiJobs(stage.gangs)
    yield mpijobs
    mpijobs.close()


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

    says = f"{WORKERS} of the {WORKERS + 1} pods"
    eventually(lambda: says in stage.gangs.condition("heat", "Planned").get("message", ""))
    assert stage.gangs.bound("heat") == 0
