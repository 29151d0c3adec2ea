"""PyTorchJobs: a master, and workers that have a container of the training operator's own, so their needs differ."""

from collections.abc import Iterator
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.killed import KILLS
from e2e.controllers.kubeflow.training_operator import CERTIFICATES, POD_GROUPS, training_operator
from e2e.controllers.own_certificates import mounted
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from lockstep.facts.gang.source import Source
from sandbox import Sandbox


class PyTorchJobs(Owners):
    """PyTorchJobs with one master."""

    group, plural = "kubeflow.org/v1", "pytorchjobs"
    source = Source.POD_GROUP

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        replicas = {"Master": self._replicas(name, 1), "Worker": self._replicas(name, size - 1)}
        spec = {"pytorchReplicaSpecs": replicas, "runPolicy": {"backoffLimit": 0}}
        return {"apiVersion": self.group, "kind": "PyTorchJob", "metadata": {"name": name}, "spec": spec}

    def losses(self, name: str) -> dict[str, Any]:
        statuses = self.status(name).get("replicaStatuses") or {}
        return {"failed": sum(one.get("failed", 0) for one in statuses.values())}

    def suspend(self, name: str) -> None:
        self.patch(name, {"runPolicy": {"suspend": True}})

    def resume(self, name: str) -> None:
        self.patch(name, {"runPolicy": {"suspend": False}})

    def _replicas(self, gang: str, count: int) -> dict[str, Any]:
        template = self.template(gang)
        containers = [{**container, "name": "pytorch"} for container in template["spec"]["containers"]]
        pod = {**template, "spec": {**template["spec"], "containers": containers}}
        return {"replicas": count, "restartPolicy": "Never", "template": pod}


@pytest.fixture(scope="module")
def certificates(plane: Sandbox) -> Iterator[None]:
    """What keeps the certificates of the training operator, which may start anew."""
    with mounted(plane, CERTIFICATES):
        yield


@pytest.fixture(scope="module", params=[()], ids=["no-pod-groups"])
def controller(
    request: pytest.FixtureRequest, plane: Sandbox, certificates: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """The training operator. Without options, it makes no PodGroups."""
    with training_operator(plane, tmp_path_factory.mktemp("training-operator"), *request.param):
        yield


@pytest.fixture
def pytorchjobs(controller: None, stage: Stage) -> Iterator[PyTorchJobs]:
    pytorchjobs = PyTorchJobs(stage.gangs)
    yield pytorchjobs
    pytorchjobs.close()


@pytest.fixture
def made_pytorchjobs(pytorchjobs: PyTorchJobs) -> PyTorchJobs:
    """PyTorchJobs for whose PodGroups the operator makes Gangs."""
    pytorchjobs.is_made = True
    return pytorchjobs


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_pytorchjob_is_a_gang_with_its_master(stage, pytorchjobs, scene):
    scene(stage, pytorchjobs)


@pytest.mark.parametrize("controller", [POD_GROUPS], indirect=True, ids=["pod-groups"])
@pytest.mark.parametrize("scene", [*scenes.SUSPENDABLE, *KILLS], ids=scenes.named)
def test_gang_of_the_pod_group_of_a_pytorchjob_is_made(stage, made_pytorchjobs, scene):
    scene(stage, made_pytorchjobs)


@pytest.mark.parametrize("controller", [POD_GROUPS], indirect=True, ids=["pod-groups"])
def test_example_of_a_pytorchjob_is_placed(stage, made_pytorchjobs):
    scenes.as_in_the_example(stage, made_pytorchjobs, 4)
