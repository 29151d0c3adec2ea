"""Deployments and other owners whose pods are gangs of one: what tests create of them, and what they see."""

from typing import Any
from urllib.parse import quote

from eventually import eventually
from live.pod_gangs import Manifest, PodGangs

_PLURALS = {"Deployment": "deployments", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets"}


class Workloads:
    """The Deployments, StatefulSets and DaemonSets of an arena; ``gangs`` makes their templates."""

    def __init__(self, gangs: PodGangs) -> None:
        self.gangs = gangs
        self.api = gangs.api

    def create(self, kind: str, name: str, *, cpu: str = "1", pod: Manifest | None = None, **spec: Any) -> None:
        """Create an owner of that kind. Its pods have its name in the label ``app``."""
        labels = {"app": name}
        template = self.gangs.template("", cpu, restartPolicy="Always", **(pod or {}))
        template["metadata"]["labels"] = labels
        wanted = {"selector": {"matchLabels": labels}, "template": template, **spec}
        self.api.request("POST", self._folder(kind), {"metadata": {"name": name}, "spec": wanted})

    def scale(self, kind: str, name: str, replicas: int) -> None:
        """Change how many pods an owner keeps."""
        self.api.request("PATCH", f"{self._folder(kind)}/{name}", {"spec": {"replicas": replicas}})

    def pods(self, name: str) -> list[Manifest]:
        """The pods of an owner that are not being deleted, by name."""
        path = f"{self.gangs.arena.core}/pods?labelSelector={quote(f'app={name}')}"
        found = [pod for pod in self.api.request("GET", path)["items"] if "deletionTimestamp" not in pod["metadata"]]
        return sorted(found, key=lambda pod: str(pod["metadata"]["name"]))

    def until_bound(self, name: str, count: int) -> list[Manifest]:
        """Wait until an owner has so many pods, and all are on nodes; return them."""

        def probe() -> list[Manifest]:
            found = self.pods(name)
            is_bound = len(found) == count and all(pod["spec"].get("nodeName") for pod in found)
            return found if is_bound else []

        return eventually(probe)

    def made(self) -> set[str]:
        """The names of the Gangs that are there."""
        return {gang["metadata"]["name"] for gang in self.api.request("GET", self.gangs.path)["items"]}

    def owners(self, gang: str) -> list[str]:
        """The UIDs of the owners of a Gang; none while there is no such Gang."""
        found = [one["metadata"] for one in self.api.request("GET", self.gangs.path)["items"]]
        return [owner["uid"] for one in found if one["name"] == gang for owner in one["ownerReferences"]]

    def close(self) -> None:
        """Delete all owners and their pods."""
        for kind in _PLURALS:
            self.api.request("DELETE", f"{self._folder(kind)}?propagationPolicy=Background")

    def _folder(self, kind: str) -> str:
        return f"/apis/apps/v1/namespaces/{self.gangs.arena.namespace}/{_PLURALS[kind]}"
