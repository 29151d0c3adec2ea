"""TrainJobs: Kubeflow's Trainer makes a JobSet of each, from a runtime that names Lockstep as its scheduler.

A runtime with a policy for coscheduling has it make a PodGroup too, for which the operator makes the Gang.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.configured_controller import Layout, configured_controller
from e2e.controllers.jobset import JobSets, jobset_controller
from e2e.controllers.killed import KILLS
from e2e.controllers.kinds import install_pod_groups
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from live.pod_gangs import MEMBER_OF, PodGangs
from lockstep.facts.gang.source import Source
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
    """TrainJobs of a runtime without PodGroups, each of which adds the Gang's name to its pods, or of one with them."""

    group, plural = "trainer.kubeflow.org/v1alpha1", "trainjobs"
    source = Source.POD_GROUP

    def __init__(self, gangs: PodGangs) -> None:
        super().__init__(gangs)
        runtimes = self.path.replace(self.plural, "trainingruntimes")
        self.api.request("POST", runtimes, self._runtime("plain"))
        self.api.request("POST", runtimes, self._runtime("grouped", podGroupPolicy={"coscheduling": {}}))

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        runtime = "grouped" if self.is_made else "plain"
        spec = {
            "runtimeRef": {"name": runtime, "kind": "TrainingRuntime"},
            "trainer": {"numNodes": size},
            "runtimePatches": [] if self.is_made else [_patch(name)],
        }
        return {"apiVersion": self.group, "kind": "TrainJob", "metadata": {"name": name}, "spec": spec}

    def losses(self, name: str) -> dict[str, Any]:
        return JobSets(self.gangs).losses(name)

    def _runtime(self, name: str, **more: Any) -> dict[str, Any]:
        pod = self.gangs.template("")["spec"]
        containers = [{**container, "name": NODE} for container in pod["containers"]]
        job = _node({"spec": {**pod, "containers": containers}})
        job["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
        return {
            "apiVersion": self.group,
            "kind": "TrainingRuntime",
            "metadata": {"name": name},
            "spec": {"mlPolicy": {"numNodes": 1}, "template": {"spec": {"replicatedJobs": [job]}}, **more},
        }


def _patch(gang: str) -> dict[str, Any]:
    labels = {"metadata": {"labels": {MEMBER_OF: gang}}}
    patch = {"template": {"spec": {"replicatedJobs": [_node(labels)]}}}
    return {"manager": "example.com/user", "trainingRuntimeSpec": patch}


def _node(pod: dict[str, Any]) -> dict[str, Any]:
    return {"name": NODE, "template": {"spec": {"template": pod}}}


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Trainer, and what it needs: JobSet, and the kind of PodGroups."""
    install_pod_groups(plane, Tool.TRAINER)
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


@pytest.fixture
def made_trainjobs(trainjobs: TrainJobs) -> TrainJobs:
    """TrainJobs for which the operator makes Gangs."""
    trainjobs.is_made = True
    return trainjobs


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_trainjob_is_a_gang(stage, trainjobs, scene):
    scene(stage, trainjobs)


@pytest.mark.parametrize("scene", [*scenes.SUSPENDABLE, *KILLS], ids=scenes.named)
def test_gang_of_the_pod_group_of_a_trainjob_is_made(stage, made_trainjobs, scene):
    scene(stage, made_trainjobs)


def test_example_of_a_trainjob_is_placed(stage, made_trainjobs):
    scenes.as_in_the_example(stage, made_trainjobs, 4)
