"""What the operator costs, by the size of the cluster: prints the rows of the table in docs/install.md.

Memory, CPU while nothing happens, CPU while gangs come, and behind the row how long it took to be ready.
"""

import asyncio
from collections.abc import Iterable, Mapping
from time import monotonic, sleep
from typing import Any, NamedTuple

from bench_cluster import NAMESPACE, admin_client, bare_cluster, operator
from rich.console import Console
from throughput import POD_SPEC

from builders.manifests import gang
from eventually import eventually
from lockstep.api.client import paths
from lockstep.api.client.answer import Target
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Sandbox, generic_nodes

IDLE_SECONDS = 60
FILL_SECONDS = 600
# To write the metrics of 10,000 gangs takes the operator a tenth of a second, which is no part of what is measured.
POLL_SECONDS = 2.0
# Of a very long queue some statuses are written at a time, and a plan and the pause after it take up to 3 s in between.
QUIET_SECONDS = 5.0
AT_ONCE = 1000
COMING = 100
COMING_SIZE = 16
GANGS = Target(f"/apis/lockstep.dev/v1alpha1/namespaces/{NAMESPACE}/gangjobs", "gangjobs")

Manifest = Mapping[str, Any]


class Size(NamedTuple):
    """A cluster with so many nodes, pods of others on them, and gangs that wait."""

    nodes: int
    pods: int
    gangs: int


SIZES = (Size(100, 1_000, 100), Size(1_000, 10_000, 1_000), Size(5_000, 50_000, 10_000))


def measure(console: Console) -> None:
    """Measure one size after the other, each on a control plane of its own."""
    console.print("| nodes | pods | gangs that wait | memory | CPU while idle | CPU for 100 gangs of 16 |")
    console.print("|---|---|---|---|---|---|")
    for size in SIZES:
        with bare_cluster(size.nodes) as sandbox:
            _measure(console, sandbox, size)


def _measure(console: Console, sandbox: Sandbox, size: Size) -> None:
    asyncio.run(create_all(sandbox, paths.pods_of(NAMESPACE), _pods(size)))
    # More than any node has: they wait for good, and delay no other gang.
    waiting = (_manifest(f"waiting-{number}", size=2, cpu="500") for number in range(size.gangs))
    asyncio.run(create_all(sandbox, GANGS, waiting))
    began = monotonic()
    with operator(sandbox) as running:
        ready = monotonic() - began
        eventually(lambda: _gangs(running, "pending") == size.gangs, seconds=FILL_SECONDS, every=POLL_SECONDS)
        until_quiet(running, seconds=QUIET_SECONDS)
        idle = _cpu_of(running, lambda: sleep(IDLE_SECONDS)) / IDLE_SECONDS
        coming = _cpu_of(running, lambda: _bring_gangs(sandbox, running))
        memory = f"{running.resident_bytes() / 2**20:.0f} MiB, at most {running.peak_resident_bytes() / 2**20:.0f} MiB"
    row = (f"{size.nodes:,}", f"{size.pods:,}", f"{size.gangs:,}", memory, f"{idle:.1%} of a core", f"{coming:.1f} s")
    console.print(f"| {' | '.join(row)} |  ready after {ready:.1f} s")


def _cpu_of(running: OperatorProcess, work: Any) -> float:
    before = running.cpu_seconds()
    work()
    return running.cpu_seconds() - before


def _bring_gangs(sandbox: Sandbox, running: OperatorProcess) -> None:
    came = (_manifest(f"came-{number}", size=COMING_SIZE, cpu="100m") for number in range(COMING))
    asyncio.run(create_all(sandbox, GANGS, came))
    eventually(lambda: _gangs(running, "placed") == COMING, seconds=FILL_SECONDS, every=POLL_SECONDS)


def until_quiet(running: OperatorProcess, *, seconds: float = 1.0) -> None:
    """Wait until every status says why its gang waits: until so many seconds pass without a write."""

    def is_quiet() -> bool:
        before = running.writes()
        sleep(seconds)
        return running.writes() == before

    eventually(is_quiet, seconds=FILL_SECONDS)


def _gangs(running: OperatorProcess, state: str) -> float:
    return running.metrics()[f'lockstep_gangs{{state="{state}"}}']


def _pods(size: Size) -> Iterable[Manifest]:
    """Pods of others, bound to nodes in turn."""
    container = {**POD_SPEC["containers"][0], "resources": {"requests": {"cpu": "100m"}}}
    names = [node.name for node in generic_nodes(size.nodes)]
    for number in range(size.pods):
        spec = {**POD_SPEC, "nodeName": names[number % size.nodes], "containers": [container]}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{number}"}, "spec": spec}


def _manifest(name: str, **shape: Any) -> Manifest:
    return gang(name, work={"serialTime": "1h"}, **shape)


async def create_all(sandbox: Sandbox, target: Target, manifests: Iterable[Manifest]) -> None:
    """Create objects of one kind, very many at once."""
    async with admin_client(sandbox) as client:
        batch: list[Manifest] = []
        for manifest in manifests:
            batch.append(manifest)
            if len(batch) == AT_ONCE:
                await _create_each(client, target, batch)
                batch = []
        await _create_each(client, target, batch)


async def _create_each(client: Any, target: Target, batch: Iterable[Manifest]) -> None:
    for answer in await asyncio.gather(*(client.create(target, manifest) for manifest in batch)):
        assert answer.is_success, answer
