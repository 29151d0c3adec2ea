"""GangJobs whose members run real programs: how their owner writes them, and what the owner sees of them."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from e2e.cluster import Cluster, CommandError, Manifest
from e2e.gangs import NAMESPACE, PODS, Gangs
from e2e.members.image import NAME as IMAGE
from e2e.reading import ReadError
from lockstep.api.quantities import epoch_seconds

REQUEST = {"cpu": "50m", "memory": "32Mi"}
# What users of Open MPI give it who run as root in a container.
AS_ROOT = [{"name": f"OMPI_ALLOW_RUN_AS_ROOT{suffix}", "value": "1"} for suffix in ("", "_CONFIRM")]
ENDED_WITH_ITS_CONTAINER = "exit code 137"


def resources_in_force(pod: Manifest) -> Manifest:
    """Return what a member's container has by its kubelet; to ask before the kubelet has said it is to ask again."""
    statuses = pod["status"].get("containerStatuses") or [{}]
    assert "resources" in statuses[0], f"{pod['metadata']['name']}: {pod['status']}"
    resources: Manifest = statuses[0]["resources"]
    return resources


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

    def delete(self, name: str) -> None:
        """Delete a GangJob."""
        self._cluster.delete("gangjob", name, f"--namespace={NAMESPACE}")

    def add(self, manifest: Manifest) -> None:
        """Apply what a GangJob needs beside itself."""
        self._cluster.apply(manifest, namespace=NAMESPACE)

    def annotate(self, pod: str, annotations: Manifest) -> None:
        """Give a member annotations."""
        self._cluster.patch("pod", pod, {"metadata": {"annotations": annotations}}, namespace=NAMESPACE)

    def run(self, pod: str, *command: str) -> str:
        """Run a command in a member's container, and return what it wrote."""
        return self._cluster.kubectl("exec", pod, f"--namespace={NAMESPACE}", "--container=member", "--", *command)

    def kill(self, pod: str, program: str) -> None:
        """Kill a program in a member's container; where that ends with it, so does the command that did it."""
        try:
            self.run(pod, "pkill", "-KILL", "-f", f"{program}$")
        except CommandError as error:
            if ENDED_WITH_ITS_CONTAINER not in str(error):
                raise

    def log(self, pod: str, container: str = "member") -> str:
        """Return what a member has written; empty while there is nothing to see."""
        try:
            return self._cluster.read_text(f"{PODS}/{pod}/log?container={container}")
        except ReadError:
            return ""

    def printed_logs(self, name: str) -> str:
        """Return what ``lockstep logs`` prints of a gang."""
        command = [sys.executable, "-m", "lockstep", "logs", f"gj/{name}", f"--namespace={NAMESPACE}"]
        command.append(f"--kubeconfig={self._cluster.kubeconfig}")
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout

    def last_words(self, lines: int = 20) -> str:
        """Return how all members are, and what each has written last."""
        pods = self._cluster.read(PODS)["items"]
        words = [f"--- {pod['metadata']['name']}: {json.dumps(pod['status'])}" for pod in pods]
        tails = (self.log(pod["metadata"]["name"]).splitlines()[-lines:] for pod in pods)
        return "\n".join("\n".join([word, *tail]) for word, tail in zip(words, tails, strict=True))

    def logs(self, name: str) -> dict[str, str]:
        """Return what the members that are there have written, by pod."""
        return {pod["metadata"]["name"]: self.log(pod["metadata"]["name"]) for pod in self.staying(name)}

    def staying(self, name: str) -> list[Manifest]:
        """Return the members that are not deleted, by rank."""
        pods = [pod for pod in self.pods(name) if "deletionTimestamp" not in pod["metadata"]]
        return sorted(pods, key=lambda pod: _rank(pod["metadata"]["name"]))

    def until_on(self, name: str, node: str) -> set[str]:
        """Wait until all members that are to stay run on one node; return their names."""

        def probe() -> set[str]:
            staying = self.staying(name)
            where = {(pod["spec"].get("nodeName"), pod["status"]["phase"]) for pod in staying}
            assert where == {(node, "Running")}, f"{name}: {where}"
            return {pod["metadata"]["name"] for pod in staying}

        names: set[str] = self._cluster.until(probe)
        return names

    def until_asked_to_end(self, name: str, role: str) -> float:
        """Wait until all members of a role are asked to end and still run. Return when they are to be killed."""

        def probe() -> float:
            pods = [pod for pod in self.pods(name) if pod["metadata"]["labels"]["lockstep.dev/role"] == role]
            times = [pod["metadata"].get("deletionTimestamp") for pod in pods if pod["status"]["phase"] == "Running"]
            assert times, f"{name}: none of its members runs"
            assert all(times), f"{name}: {times.count(None)} of {len(times)} members are not asked to end"
            return max(epoch_seconds(time) for time in times)

        seconds: float = self._cluster.until(probe)
        return seconds

    def until_written(self, name: str, word: str) -> None:
        """Wait until one of the members has written that word."""
        self._cluster.until(lambda: any(word in text for text in self.logs(name).values()))

    def until_gone(self, name: str) -> None:
        """Wait until none of the members is left."""
        self._cluster.until(lambda: not self.pods(name))

    def until_ended(self, name: str) -> None:
        """Wait until none of the members runs."""
        self._cluster.until(lambda: not [pod for pod in self.pods(name) if pod["status"]["phase"] == "Running"])

    def started_by_rank(self, name: str, members: int, attempt: int = 1) -> list[float]:
        """Wait until the first instruction of so many members is in their logs; return when each was, by rank."""

        def probe() -> list[float]:
            logs = self.logs(name).items()
            texts = [text for pod, text in logs if pod.startswith(f"{name}-{attempt}-") and "started" in text]
            assert len(texts) >= members, f"{name}: {len(texts)} of {members} members have begun"
            return [number_after("started", text) for text in texts]

        times: list[float] = self._cluster.until(probe)
        return times

    def start_of(self, name: str, members: int) -> dict[str, float]:
        """Return what is measured of the start of so many members, once all have begun."""
        times = self.started_by_rank(name, members)
        return {
            "from apply to the last member's first instruction": max(times) - self._submitted[name],
            "from the first member's to the last one's": max(times) - min(times),
        }


def job(name: str, **spec: Any) -> Manifest:
    """Return a GangJob with this spec."""
    return {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangJob", "metadata": {"name": name}, "spec": spec}


def role(name: str, members: int, template: Manifest, **more: Any) -> Manifest:
    """Return a role of so many members."""
    return {"name": name, "size": size(members), "template": template, **more}


def size(members: int) -> Manifest:
    """Return a size that does not vary."""
    return {"min": members, "max": members}


def template(*command: str, grace_seconds: int = 1, first: Sequence[Manifest] = (), **container: Any) -> Manifest:
    """Return the template of members that run a command of the members' image."""
    containers = [_container(command=list(command), **{"name": "member", **container})]
    before = [_container(**one) for one in first]
    return {
        "spec": {"terminationGracePeriodSeconds": grace_seconds, "initContainers": before, "containers": containers}
    }


def number_after(word: str, text: str) -> float:
    """Return the first number that follows a word at the beginning of a line, where torchrun puts a name before it."""
    found = re.search(rf"^(?:\[\w+\]:)?{word} (\S+)", text, re.MULTILINE)
    assert found is not None, f"nothing is {word} in {text!r}"
    return float(found.group(1))


def _container(**fields: Any) -> Manifest:
    return {"image": IMAGE, "imagePullPolicy": "Never", "resources": {"requests": REQUEST}, **fields}


def _rank(pod: str) -> int:
    return int(pod.rpartition("-")[2])
