"""JobSets: several Jobs of one object, whose pods are one gang."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from e2e.controllers import scenes
from e2e.controllers.controller_process import controller_process
from e2e.controllers.module_folder import module_folder
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage
from e2e.controllers.webhooks import Webhooks
from sandbox import Sandbox
from sandbox.binaries import Tool
from sandbox.ports import LOOPBACK, KeptPort

RESTARTS = 3


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
    """The controller of JobSets, with its webhooks."""
    folder, module, health = tmp_path_factory.mktemp("jobset"), module_folder(Tool.JOBSET), KeptPort()
    plane.kubectl("apply", "--server-side", "-f", str(module / "config" / "components" / "crd" / "bases"))
    webhooks = Webhooks(folder / "certificates")
    configuration = write_configuration(folder, webhooks, health.number)
    command = [plane.program(Tool.JOBSET), f"--config={configuration}"]
    ready = f"{health.number}/readyz"
    with controller_process(plane, command, log=folder / "log", ready=ready):
        webhooks.register(plane, module / "config" / "components" / "webhook")
        yield


def write_configuration(folder: Path, webhooks: Webhooks, health: int) -> Path:
    document = {
        "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "metrics": {"bindAddress": "0"},
        "health": {"healthProbeBindAddress": f"{LOOPBACK}:{health}"},
        "webhook": {"host": LOOPBACK, "port": webhooks.port, "certDir": str(webhooks.folder)},
    }
    path = folder / "configuration.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


@pytest.fixture
def jobsets(controller: None, stage: Stage) -> Iterator[JobSets]:
    jobsets = JobSets(stage.gangs)
    yield jobsets
    jobsets.close()


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_jobset_is_a_gang(stage, jobsets, scene):
    scene(stage, jobsets)
