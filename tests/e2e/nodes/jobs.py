"""GangJobs whose members run real programs: how their owner writes them, and what the owner sees of them."""

import re
import time
from typing import Any

from e2e.cluster import Cluster, CommandError, Manifest
from e2e.gangs import NAMESPACE, Gangs
from e2e.members.image import NAME as IMAGE

REQUEST = {"cpu": "50m", "memory": "32Mi"}


class Jobs(Gangs):
    """The GangJobs of the tests' namespace; ``submit`` remembers when each was submitted."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._cluster = cluster
        self._submitted: dict[str, float] = {}

    def submit_job(self, job: Manifest) -> None:
        """Apply a GangJob."""
        self._submitted[job["metadata"]["name"]] = time.time()
        self._cluster.apply(job, namespace=NAMESPACE)

    def patch(self, name: str, spec: Manifest) -> None:
        """Change fields of a GangJob's spec."""
        self._cluster.patch("gangjob", name, {"spec": spec}, namespace=NAMESPACE)

    def run_in(self, pod: str, *command: str) -> None:
        """Run a command in a member's container; it may end with the container."""
        self._cluster.kubectl("exec", pod, f"--namespace={NAMESPACE}", "--", *command)

    def log(self, pod: str) -> str:
        """Return what a member has written; empty while there is nothing to see."""
        try:
            return self._cluster.kubectl("logs", pod, f"--namespace={NAMESPACE}", "--container=member")
        except CommandError:
            return ""

    def logs(self, name: str) -> dict[str, str]:
        """Return what the members that are there have written, by pod."""
        return {pod: self.log(pod) for pod in sorted(self.names(name))}

    def names(self, name: str) -> set[str]:
        """Return the names of the members."""
        return {pod["metadata"]["name"] for pod in self.pods(name)}

    def until_on(self, name: str, node: str) -> set[str]:
        """Wait until all members that are to stay run on one node; return their names."""

        def probe() -> set[str]:
            staying = [pod for pod in self.pods(name) if "deletionTimestamp" not in pod["metadata"]]
            where = {(pod["spec"].get("nodeName"), pod["status"]["phase"]) for pod in staying}
            assert where == {(node, "Running")}, f"{name}: {where}"
            return {pod["metadata"]["name"] for pod in staying}

        names: set[str] = self._cluster.until(probe)
        return names

    def started(self, name: str, members: int) -> list[float]:
        """Wait until the first instruction of so many members is in their logs; return when each was, in order."""

        def probe() -> list[float]:
            texts = self.logs(name).values()
            found = sorted(float(at) for text in texts for at in re.findall(r"^started (\S+)", text, re.MULTILINE)[:1])
            assert len(found) == members, f"{name}: {len(found)} of {members} members have begun"
            return found

        times: list[float] = self._cluster.until(probe)
        return times

    def since_submission(self, name: str, at: float) -> float:
        """Return how long after the submission something was, in seconds."""
        return at - self._submitted[name]


def job(name: str, **spec: Any) -> Manifest:
    """Return a GangJob with this spec."""
    return {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangJob", "metadata": {"name": name}, "spec": spec}


def size(members: int) -> Manifest:
    """Return a size that does not vary."""
    return {"min": members, "max": members}


def template(*command: str, grace_seconds: int = 1, **container: Any) -> Manifest:
    """Return the template of members that run a command of the members' image."""
    member = {
        "name": "member",
        "image": IMAGE,
        "imagePullPolicy": "Never",
        "command": list(command),
        "resources": {"requests": REQUEST},
        **container,
    }
    return {"spec": {"terminationGracePeriodSeconds": grace_seconds, "containers": [member]}}
