"""What the operator costs on a large cluster: time until ready, memory, and what it does when nothing happens."""

import asyncio
from time import monotonic, sleep

from bench_cluster import NAMESPACE, admin_client, bare_cluster, operator
from rich.console import Console
from throughput import POD_SPEC

from eventually import eventually
from lockstep.api import paths
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Sandbox

NODES = 5000
PODS = 50_000
IDLE_SECONDS = 60


def measure(console: Console) -> None:
    """Fill a cluster with running pods of others, start the operator, and leave it alone for a minute."""
    with bare_cluster(NODES) as sandbox:
        console.print(f"Creating {PODS} pods on {NODES} nodes …")
        asyncio.run(_fill(sandbox))
        began = monotonic()
        with operator(sandbox) as running:
            seconds = monotonic() - began
            line = eventually(lambda: _ready_line(running))
            console.print(f"ready after {seconds:.1f} s: {line.split('ready: ')[1]}")
            now, most = running.resident_bytes(), running.peak_resident_bytes()
            console.print(f"resident memory: {now / 2**20:.0f} MiB, at most {most / 2**20:.0f} MiB")
            _watch_idle(console, running)


def _watch_idle(console: Console, running: OperatorProcess) -> None:
    cpu, writes = running.cpu_seconds(), running.writes()
    # The measurement is of time passing: there is no condition to wait for.
    sleep(IDLE_SECONDS)
    share = (running.cpu_seconds() - cpu) / IDLE_SECONDS
    console.print(f"idle for {IDLE_SECONDS} s: {running.writes() - writes:.0f} writes, {share:.2%} of a core")


def _ready_line(running: OperatorProcess) -> str:
    """What its log says of the first lists; '' as long as it does not."""
    return next((line for line in running.log_text().splitlines() if "ready: " in line), "")


async def _fill(sandbox: Sandbox) -> None:
    async with admin_client(sandbox) as client:
        target = paths.pods_of(NAMESPACE)

        async def create(number: int) -> None:
            spec = {**POD_SPEC, "nodeName": f"n{number % NODES + 1:04d}"}
            spec["containers"] = [{**POD_SPEC["containers"][0], "resources": {"requests": {"cpu": "100m"}}}]
            metadata = {"name": f"p{number}", "namespace": NAMESPACE}
            answer = await client.create(
                target, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
            )
            assert answer.is_success, answer

        for first in range(0, PODS, 1000):
            await asyncio.gather(*(create(number) for number in range(first, first + 1000)))
