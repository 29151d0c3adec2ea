"""Jobs of one kind of Kubeflow in the tests' namespace, as their user sees them."""

import json
from contextlib import suppress
from typing import Any

from e2e.cluster import Cluster, CommandError, Manifest
from e2e.gangs import NAMESPACE
from e2e.nodes.conftest import POOL_TAINT
from lockstep.api.names import SIZE_LABEL

JOB_NAME = "training.kubeflow.org/job-name"
# What the user adds. Pods tolerate the taint of the pool themselves, whichever scheduler places them.
ADDED = {"schedulerName": "lockstep", "tolerations": [{"key": POOL_TAINT.key, "operator": "Exists"}]}


class KubeflowJobs:
    """The jobs, and the pods that their controller makes; ``kind`` is the kind's name in lower case."""

    def __init__(self, cluster: Cluster, kind: str) -> None:
        self._cluster = cluster
        self._kind = kind

    def submit(self, job: Manifest) -> None:
        """Apply a job."""
        self._cluster.apply(job, namespace=NAMESPACE)

    def delete_all(self) -> None:
        """Delete all jobs, and return once none of their pods is left."""
        self._cluster.delete(self._kind, "--all", f"--namespace={NAMESPACE}")
        self._cluster.until(lambda: not self._cluster.items("pods", f"--namespace={NAMESPACE}"))

    def until_succeeded(self, name: str) -> None:
        """Wait until the controller says that a job has succeeded."""

        def probe() -> bool:
            conditions = self.status(name).get("conditions", [])
            assert ("Succeeded", "True") in [(one["type"], one["status"]) for one in conditions], (
                f"{name}: {conditions}"
            )
            return True

        self._cluster.until(probe)

    def status(self, name: str) -> dict[str, Any]:
        """Return the status of a job; empty while it has none."""
        found: dict[str, Any] = self._cluster.get(self._kind, name, f"--namespace={NAMESPACE}").get("status", {})
        return found

    def pods(self, name: str) -> dict[str, Manifest]:
        """Return the pods of a job that are not deleted, by names without what was added to make these unique."""
        found = self._cluster.items("pods", f"--namespace={NAMESPACE}", f"--selector={JOB_NAME}={name}")
        staying = [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]
        return {pod["spec"].get("hostname") or pod["metadata"]["name"]: pod for pod in staying}

    def uids(self, name: str) -> set[str]:
        """Return which pods of a job are not deleted."""
        return {pod["metadata"]["uid"] for pod in self.pods(name).values()}

    def written(self, name: str, pod: str) -> str:
        """Return what a pod has written; empty while there is nothing to see."""
        with suppress(CommandError, KeyError):
            return self.log(self.pods(name)[pod])
        return ""

    def sizes(self, name: str) -> dict[str, int]:
        """Return by pod how many pods of its gang were on nodes when it was placed, itself included."""
        return {pod: int(one["metadata"]["annotations"][SIZE_LABEL]) for pod, one in self.pods(name).items()}

    def failed(self, name: str) -> int:
        """Return how many failures the controller has counted."""
        return sum(one.get("failed", 0) for one in self.status(name)["replicaStatuses"].values())

    def restarts(self, name: str) -> dict[str, int]:
        """Return by pod how often its containers were started again."""
        return {
            pod: sum(container["restartCount"] for container in one["status"]["containerStatuses"])
            for pod, one in self.pods(name).items()
        }

    def log(self, pod: Manifest) -> str:
        """Return what a pod has written."""
        return self._cluster.kubectl("logs", pod["metadata"]["name"], f"--namespace={NAMESPACE}")

    def last_words(self) -> str:
        """Return how all pods are, and what each has written last."""
        pods = self._cluster.items("pods", f"--namespace={NAMESPACE}")
        logs = ("logs", f"--namespace={NAMESPACE}", "--all-containers", "--ignore-errors", "--tail=20")
        return "\n".join(
            f"--- {pod['metadata']['name']}: {json.dumps(pod['status'])}\n"
            + self._cluster.kubectl(*logs, pod["metadata"]["name"])
            for pod in pods
        )


def replicas(count: int, template: Manifest, **more: Any) -> Manifest:
    """Return so many replicas of a template, with what their user adds for Lockstep."""
    return {"replicas": count, "template": {**template, "spec": {**template["spec"], **ADDED}}, **more}
