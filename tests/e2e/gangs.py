"""Gangs in a namespace of the tests' own, as their owner sees them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from e2e.cluster import Cluster, Manifest

IMAGE = "registry.k8s.io/pause:3.10"
NAMESPACE = "lockstep-e2e"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
GANGJOBS = f"/apis/lockstep.dev/v1alpha1/namespaces/{NAMESPACE}/gangjobs"
NODEBIDS = "/apis/lockstep.dev/v1alpha1/nodebids"


class Gangs:
    """The GangJobs of the namespace, and their pods."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def apply(self, example: Path) -> None:
        """Apply a file of manifests."""
        self._cluster.kubectl("apply", f"--namespace={NAMESPACE}", f"--filename={example}")

    def submit(self, name: str, members: int) -> None:
        """Submit a gang of so many members that run until they are deleted."""
        self._cluster.apply(gang(name, members), namespace=NAMESPACE)

    def delete_all(self) -> None:
        """Delete all gangs, and what an example demands of members, and return once none of their pods is left."""
        self._cluster.delete("gangjobs,limitranges", "--all", f"--namespace={NAMESPACE}")
        self._cluster.until(lambda: not self._cluster.read(PODS)["items"])

    def until(self, name: str, kind: str, status: str, reason: str = "") -> None:
        """Wait until a condition has that status, and reason if one is given."""

        def probe() -> bool:
            found = self.condition(name, kind)
            assert found.get("status") == status, f"{name}: {found}"
            assert not reason or found["reason"] == reason, f"{name}: {found}"
            return True

        self._cluster.until(probe)

    def until_running(self, name: str) -> None:
        """Wait until all members were seen running."""
        self._cluster.until(lambda: self.status(name).get("startedAt"))

    def condition(self, name: str, kind: str) -> Manifest:
        """Return one condition of a gang; empty while there is none."""
        return next((one for one in self.status(name).get("conditions", []) if one["type"] == kind), {})

    def pods(self, name: str) -> list[Manifest]:
        """Return the members."""
        pods: list[Manifest] = self._cluster.read(f"{PODS}?labelSelector=lockstep.dev/gang%3D{name}")["items"]
        return pods

    def uids(self, name: str) -> set[str]:
        """Return who the members are."""
        return {pod["metadata"]["uid"] for pod in self.pods(name)}

    def nodes(self, name: str) -> list[str]:
        """Return where the members are, sorted."""
        return sorted(pod["spec"]["nodeName"] for pod in self.pods(name))

    def status(self, name: str) -> dict[str, Any]:
        """Return the status of a gang; empty while it has none."""
        status: dict[str, Any] = self._cluster.read(f"{GANGJOBS}/{name}").get("status", {})
        return status


def gang(name: str, members: int) -> Manifest:
    """Return a gang of so many small members that run until they are deleted."""
    container = {"name": "member", "image": IMAGE, "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}}
    return {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": "GangJob",
        "metadata": {"name": name},
        "spec": {"size": {"min": members, "max": members}, "template": {"spec": {"containers": [container]}}},
    }


def bids(nodes: Iterable[tuple[str, str]], *, slots: int = 1) -> list[Manifest]:
    """Return what nodes offer: so many members at a time, each at the speed given."""
    return [
        {
            "apiVersion": "lockstep.dev/v1alpha1",
            "kind": "NodeBid",
            "metadata": {"name": name},
            "spec": {"capacity": speed, "slots": slots},
        }
        for name, speed in nodes
    ]
