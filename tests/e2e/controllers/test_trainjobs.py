"""TrainJobs: Kubeflow's Trainer makes a JobSet of each, from a runtime that names Lockstep as its scheduler."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.configured_controller import Layout, configured_controller
from e2e.controllers.jobset import JobSets, jobset_controller
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from live.pod_gangs import MEMBER_OF, PodGangs
from sandbox import Sandbox
from sandbox.binaries import Tool

NODE = "node"
LAYOUT = Layout(
    api_version="config.trainer.kubeflow.org/v1alpha1",
    certificates="certManagement",
    takes_folder=False,
    kinds=Path("manifests/base/crds"),
    webhooks=Path("manifests/base/webhook"),
)


class TrainJobs(Owners):
    """TrainJobs of one runtime; each adds to its pods which Gang they belong to."""

    group, plural = "trainer.kubeflow.org/v1alpha1", "trainjobs"

    def __init__(self, gangs: PodGangs) -> None:
        super().__init__(gangs)
        self.api.request("POST", self.path.replace(self.plural, "trainingruntimes"), self._runtime())

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        labels = {"metadata": {"labels": {MEMBER_OF: name}}}
        patch = {"template": {"spec": {"replicatedJobs": [_node(labels)]}}}
        spec = {
            "runtimeRef": {"name": "plain", "kind": "TrainingRuntime"},
            "trainer": {"numNodes": size},
            "runtimePatches": [{"manager": "example.com/user", "trainingRuntimeSpec": patch}],
        }
        return {"apiVersion": self.group, "kind": "TrainJob", "metadata": {"name": name}, "spec": spec}

    def losses(self, name: str) -> dict[str, Any]:
        return JobSets(self.gangs).losses(name)

    def _runtime(self) -> dict[str, Any]:
        pod = self.gangs.template("")["spec"]
        containers = [{**container, "name": NODE} for container in pod["containers"]]
        job = _node({"spec": {**pod, "containers": containers}})
        job["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
        return {
            "apiVersion": self.group,
            "kind": "TrainingRuntime",
            "metadata": {"name": "plain"},
            "spec": {"mlPolicy": {"numNodes": 1}, "template": {"spec": {"replicatedJobs": [job]}}},
        }


def _node(pod: dict[str, Any]) -> dict[str, Any]:
    return {"name": NODE, "template": {"spec": {"template": pod}}}


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Trainer, and JobSet, which it needs."""
    with (
        jobset_controller(plane, tmp_path_factory.mktemp("jobset")),
        configured_controller(plane, Tool.TRAINER, LAYOUT, tmp_path_factory.mktemp("trainer")),
    ):
        yield


@pytest.fixture
def trainjobs(controller: None, stage: Stage) -> Iterator[TrainJobs]:
    trainjobs = TrainJobs(stage.gangs)
    yield trainjobs
    trainjobs.close()


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_trainjob_is_a_gang(stage, trainjobs, scene):
    scene(stage, trainjobs)
