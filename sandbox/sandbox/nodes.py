"""Nodes that exist only as objects. Callers describe them, and they are Ready at once."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sandbox.api import Client

GENERIC_ALLOCATABLE: Mapping[str, str] = {"cpu": "8", "memory": "16Gi", "pods": "110"}
CREATORS = 4


class TaintEffect(StrEnum):
    """What a taint does to pods that do not tolerate it."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """A taint of a node."""

    key: str
    effect: TaintEffect
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """The description of a node to create. ``allocatable`` has quantities by resource name."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, str] = field(default_factory=lambda: dict(GENERIC_ALLOCATABLE))


def generic_nodes(count: int) -> list[Node]:
    """Return ``count`` nodes that differ only in their names, such as n01 to n12. The names sort by number."""
    width = max(2, len(str(count)))
    return [Node(name=f"n{number:0{width}}") for number in range(1, count + 1)]


def create_nodes(nodes: Iterable[Node], client: Client, server: str) -> None:
    """Create all nodes, in any order. They are Ready, and have only the given taints."""
    wanted = list(nodes)

    def create(share: Sequence[Node]) -> None:
        with client.connect(server) as connection:
            for node in share:
                connection.request("POST", "/api/v1/nodes", manifest(node))

    with ThreadPoolExecutor(max_workers=CREATORS) as creators:
        for done in [creators.submit(create, wanted[first::CREATORS]) for first in range(CREATORS)]:
            done.result()


def manifest(node: Node) -> dict[str, Any]:
    """Return the object to create. It has a status, which the API server keeps for new nodes."""
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    identity = {"kubernetes.io/hostname": node.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "SandboxNodeReady",
        "message": "created Ready by the sandbox",
        "lastHeartbeatTime": now,
        "lastTransitionTime": now,
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, "labels": identity | dict(node.labels)},
        "spec": {"taints": [{"key": t.key, "value": t.value, "effect": str(t.effect)} for t in node.taints]},
        "status": {
            "allocatable": dict(node.allocatable),
            "capacity": dict(node.allocatable),
            "addresses": [{"type": "Hostname", "address": node.name}],
            "conditions": [ready],
        },
    }
