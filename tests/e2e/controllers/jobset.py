"""JobSet: its controller, and its objects."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from e2e.controllers.configured_controller import Layout, configured_controller
from e2e.controllers.owners import Owners
from live.pod_gangs import PodGangs
from lockstep.facts.gang.source import Source
from sandbox import Sandbox
from sandbox.binaries import Tool

RESTARTS = 3
LAYOUT = Layout(
    api_version="config.jobset.x-k8s.io/v1alpha1",
    certificates="internalCertManagement",
    takes_folder=True,
    kinds=Path("config/components/crd/bases"),
    webhooks=Path("config/components/webhook"),
)


def jobset_controller(sandbox: Sandbox, folder: Path) -> AbstractContextManager[None]:
    """Run the controller of JobSets; ``folder`` is an empty one for it."""
    return configured_controller(sandbox, Tool.JOBSET, LAYOUT, folder)


class JobSets(Owners):
    """JobSets with a driver, and with workers in ``copies`` Jobs; ``more`` goes over their spec.

    The workers may wait until the driver is what ``waits_for`` says.
    """

    group, plural = "jobset.x-k8s.io/v1alpha2", "jobsets"
    source = Source.JOB_SET
    copies = 1
    waits_for = ""

    def __init__(self, gangs: PodGangs, **more: Any) -> None:
        super().__init__(gangs)
        self.more = more

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        workers = self._jobs(name, "workers", size - 1, self.copies)
        if self.waits_for:
            workers["dependsOn"] = [{"name": "driver", "status": self.waits_for}]
        jobs = [self._jobs(name, "driver", 1, 1), workers]
        spec = {"replicatedJobs": jobs, "failurePolicy": {"maxRestarts": RESTARTS}, **self.more}
        return {"apiVersion": self.group, "kind": "JobSet", "metadata": {"name": name}, "spec": spec}

    def losses(self, name: str) -> dict[str, Any]:
        status = self.status(name)
        failed = [one["failed"] for one in status.get("replicatedJobsStatus") or []]
        return {"restarts": status.get("restarts", 0), "failed": sum(failed)}

    def _jobs(self, gang: str, name: str, size: int, copies: int) -> dict[str, Any]:
        pods = {"parallelism": size, "completions": size, "backoffLimit": 0, "template": self.template(gang)}
        return {"name": name, "replicas": copies, "template": {"spec": pods}}
