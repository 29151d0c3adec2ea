"""The cluster of the table: 5,000 nodes of three kinds in 50 racks; one node in ten is tainted."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from bench_cluster import NAMESPACE, admin_client
from scale.contenders import Contender, pod_manifest
from scale.observer import Observer

from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.facts.pods.pod import PodKey
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Node, Options, Sandbox, Taint, TaintEffect, start

OTHERS = "others"
CPU = 32
_ALLOCATABLE = {"cpu": str(CPU), "memory": "256Gi", "pods": "110"}
_RACKS = 50
_TAINTED_ONE_IN = 10
_TAINT = Taint(key="reserved", effect=TaintEffect.NO_SCHEDULE)
_AT_ONCE = 1_000


class Other(NamedTuple):
    """A pod of others."""

    key: PodKey
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A cluster on which one contender runs. ``nodes`` are the names of those without a taint.

    ``folder`` marks the processes of the contender's controllers, as that of the sandbox marks its components.
    """

    contender: Contender
    sandbox: Sandbox
    operator: OperatorProcess | None
    folder: Path
    nodes: list[str]


def untainted(count: int) -> list[str]:
    """The names of the nodes that all pods may use, of so many."""
    return [node.name for node in _nodes(count) if not node.taints]


@contextmanager
def ground(contender: Contender, count: int) -> Iterator[Ground]:
    """A control plane that has just started, with so many nodes and the contender."""
    options = Options(name="scale", addons=contender.addons, state=Path(mkdtemp()), flags=dict(contender.flags))
    with start(options) as sandbox:
        install(sandbox)
        for namespace in (NAMESPACE, OTHERS):
            sandbox.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        sandbox.create_nodes(_nodes(count))
        folder = Path(mkdtemp())
        with contender.running(sandbox, folder) as operator:
            yield Ground(contender=contender, sandbox=sandbox, operator=operator, folder=folder, nodes=untainted(count))


@asynccontextmanager
async def observed(sandbox: Sandbox) -> AsyncIterator[tuple[KubeClient, Observer]]:
    """A client with all rights, and an observer whose watch is open."""
    async with admin_client(sandbox) as client:
        observer = Observer()
        watch = asyncio.create_task(observer.watch(client))
        await observer.opened.wait()
        yield client, observer
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch


async def fill(client: KubeClient, nodes: list[str], each: int, cpu: int) -> list[Other]:
    """Put so many pods of others on each node; returns them, node by node."""
    names = [(f"p{number}-{node}", node) for node in nodes for number in range(each)]
    others: list[Other] = []
    for first in range(0, len(names), _AT_ONCE):
        made = (pod_manifest(name, cpu, {"nodeName": node}) for name, node in names[first : first + _AT_ONCE])
        answers = await asyncio.gather(*(client.create(paths.pods_of(OTHERS), pod) for pod in made))
        assert all(answer.is_success for answer in answers), answers[0]
        created = (answer.body["metadata"] for answer in answers)
        others += [Other(PodKey(OTHERS, metadata["name"]), metadata["uid"]) for metadata in created]
    return others


async def end(client: KubeClient, others: list[Other]) -> None:
    """Remove pods of others at once: no kubelet has to agree."""
    await asyncio.gather(*(client.delete(paths.pod(one.key), uid=one.uid, grace_seconds=0) for one in others))


def _nodes(count: int) -> list[Node]:
    return [_node(number, len(str(count))) for number in range(1, count + 1)]


def _node(number: int, width: int) -> Node:
    is_tainted = number % _TAINTED_ONE_IN == 0
    kind = "reserved" if is_tainted else "new" if number % 3 else "old"
    labels = {"kind": kind, "topology.kubernetes.io/rack": f"rack-{number % _RACKS}"}
    taints = (_TAINT,) if is_tainted else ()
    return Node(name=f"n{number:0{width}}", labels=labels, taints=taints, allocatable=_ALLOCATABLE)
