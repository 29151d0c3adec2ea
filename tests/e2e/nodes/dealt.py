"""Gangs whose members do pieces of work on real kubelets, and what they have left in the folder that they share."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from e2e.cluster import Cluster, Manifest
from e2e.gangs import PODS
from e2e.kubelet_node import KubeletNode
from e2e.nodes.jobs import job, template

DEALER = "lockstep-dealer"
NODE = {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}


class Try(NamedTuple):
    """A piece that was begun, on which node and by which pod."""

    piece: int
    node: str
    pod: str


class Effects:
    """The effects of the pieces of a gang, in a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    @property
    def lengths(self) -> dict[int, float]:
        """The length of each piece that is done, in seconds."""
        return {int(file.name): float(file.read_text()) for file in self.folder.iterdir() if file.name.isdecimal()}

    @property
    def tries(self) -> list[Try]:
        """Each piece that was begun, as often as it was."""
        names = (file.name.split(".") for file in (self.folder / "tries").iterdir())
        return [Try(int(name[0]), name[1], name[2]) for name in names if name[0].isdecimal()]

    @property
    def first_try(self) -> float:
        """When the first piece was begun."""
        return min(file.stat().st_mtime for file in (self.folder / "tries").iterdir())

    def hurry(self) -> None:
        """Let all pieces that are still to come take no time."""
        (self.folder / "hurry").touch()

    def hang(self, rank: int) -> None:
        """Let the member of that rank do no more, as a program that hangs."""
        (self.folder / f"hang.{rank}").touch()

    def are_of(self, pieces: int) -> bool:
        """Whether each of so many pieces has its effect, and nothing else has one."""
        return self.lengths.keys() == {*range(pieces)}

    def bound(self, slowdowns: Mapping[str, float], nodes: list[str]) -> float:
        """The total length of the pieces over the total speed of a member on each of the nodes."""
        return sum(self.lengths.values()) / sum(1 / slowdowns[node] for node in nodes)


def pieces_job(name: str, effects: Effects, slowdowns: Mapping[str, float], **spec: Any) -> Manifest:
    """Return a gang whose members do pieces; a length takes so many times as long on each node."""
    command = [f"{node}={slowdown:g}" for node, slowdown in slowdowns.items()]
    mount = {"name": "done", "mountPath": "/done"}
    runs = template("pieces", "/done", *command, env=[NODE], volumeMounts=[mount])
    runs["spec"]["volumes"] = [{"name": "done", "hostPath": {"path": str(effects.folder)}}]
    runs["spec"]["restartPolicy"] = "OnFailure"
    return job(name, load="Pieces", template=runs, **spec)


def kill(cluster: Cluster, nodes: Mapping[str, KubeletNode], pod: str, container: str) -> None:
    """Kill a container as a crash would, and wait until its kubelet has started it again."""
    before = container_status(cluster, pod, container)
    where = cluster.read(f"{PODS}/{pod}")["spec"]["nodeName"]
    nodes[where].kill_container(before["containerID"].rpartition("/")[2])

    def is_back() -> bool:
        now = container_status(cluster, pod, container)
        assert now["restartCount"] > before["restartCount"], json.dumps(now)
        return "running" in now["state"]

    cluster.until(is_back)


def container_status(cluster: Cluster, pod: str, container: str) -> Manifest:
    """Return what the kubelet says of a container."""
    status = cluster.read(f"{PODS}/{pod}")["status"]
    found: Manifest = next(
        one
        for one in [*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])]
        if one["name"] == container
    )
    return found
