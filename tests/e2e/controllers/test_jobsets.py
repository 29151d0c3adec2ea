"""JobSets: several Jobs of one object, whose pods are one gang."""

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

RESTARTS = 3
LAYOUT = Layout(
    "config.jobset.x-k8s.io/v1alpha1", Path("config/components/crd/bases"), Path("config/components/webhook")
)


class JobSets(Owners):
    """JobSets with a driver and workers, each in a Job of its own."""

    group, plural = "jobset.x-k8s.io/v1alpha2", "jobsets"

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        jobs = [self._job(name, "driver", 1), self._job(name, "workers", size - 1)]
        spec = {"replicatedJobs": jobs, "failurePolicy": {"maxRestarts": RESTARTS}}
        return {
            "apiVersion": self.group,
            "kind": "JobSet",
            "metadata": {"name": name},
            "spec": spec,
        }

    def losses(self, name: str) -> dict[str, Any]:
        status = self.status(name)
        failed = [one["failed"] for one in status.get("replicatedJobsStatus") or []]
        return {"restarts": status.get("restarts", 0), "failed": sum(failed)}

    def _job(self, gang: str, name: str, size: int) -> dict[str, Any]:
        pods = {"parallelism": size, "completions": size, "backoffLimit": 0, "template": self.gangs.template(gang)}
        return {"name": name, "replicas": 1, "template": {"spec": pods}}


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The controller of JobSets."""
    with configured_controller(plane, Tool.JOBSET, LAYOUT, tmp_path_factory.mktemp("jobset")):
        yield


@pytest.fixture
def jobsets(controller: None, stage: Stage) -> Iterator[JobSets]:
    jobsets = JobSets(stage.gangs)
    yield jobsets
    jobsets.close()


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_jobset_is_a_gang(stage, jobsets, scene):
    scene(stage, jobsets)


def test_jobset_that_starts_anew_is_placed_whole_again(stage, jobsets):
    stage.arena.add_nodes(2, cpu="2")
    stage.submit(jobsets, "heat", scenes.SIZE)
    stage.check_whole("heat")
    before = stage.uids("heat")

    stage.arena.delete_pod(stage.gangs.pods("heat")[-1]["metadata"]["name"])

    eventually(lambda: stage.gangs.bound("heat") == scenes.SIZE and not before & stage.uids("heat"))
    assert jobsets.losses("heat")["restarts"] == 1
