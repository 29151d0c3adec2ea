"""A burst of gangs: for how long each gang is incomplete, when half of them are bound, and the operator's memory."""

import argparse
import asyncio
import statistics
from collections.abc import Iterator, Mapping
from time import monotonic

import orjson
import uvloop
from bench_cluster import NAMESPACE, admin_client, bare_cluster, operator
from rich.console import Console

from builders.manifests import gang
from lockstep.api.client import paths
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from sandbox import Sandbox

GANGS, SIZE, NODES = 625, 16, 5_000
_TARGET = Target(f"/apis/lockstep.dev/v1alpha1/namespaces/{NAMESPACE}/gangjobs", "gangjobs")
_LONGEST_SECONDS = 1_800


class Seen:
    """When the first pod of each gang was seen, and when each pod was seen on a node, in seconds of one clock."""

    def __init__(self) -> None:
        self.first: dict[str, float] = {}
        self.bound: dict[str, dict[str, float]] = {}

    def note(self, line: bytes, now: float) -> None:
        """Note what an event shows of a pod."""
        pod = orjson.loads(line)["object"]
        name = pod["metadata"]["name"]
        of = name.partition("-")[0]
        self.first.setdefault(of, now)
        if pod["spec"].get("nodeName"):
            self.bound.setdefault(of, {}).setdefault(name, now)

    @property
    def pods_bound(self) -> int:
        """How many pods are on nodes."""
        return sum(map(len, self.bound.values()))


def main() -> None:
    """Submit all gangs at once, wait until all are bound, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gangs", type=int, default=GANGS)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--nodes", type=int, default=NODES)
    asked = parser.parse_args()
    with bare_cluster(asked.nodes) as sandbox, operator(sandbox) as process:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            began, seen = runner.run(_burst(sandbox, asked.gangs, asked.size))
        console = Console()
        console.print(f"{asked.gangs} gangs of {asked.size} on {asked.nodes} nodes")
        for line in _figures(seen, began):
            console.print(line)
        console.print(f"memory of the operator: {process.peak_resident_bytes() / 2**20:.0f} MiB at most")


async def _burst(sandbox: Sandbox, gangs: int, size: int) -> tuple[float, Seen]:
    async with admin_client(sandbox) as client:
        seen, opened = Seen(), asyncio.Event()
        watch = asyncio.create_task(_watch(client, seen, opened, gangs * size))
        await opened.wait()
        began = monotonic()
        made = (gang(f"g{number}", size=size, cpu="100m", work={"serialTime": "1h"}) for number in range(gangs))
        answers = await asyncio.gather(*(client.create(_TARGET, one) for one in made))
        assert all(answer.is_success for answer in answers), answers[0]
        await asyncio.wait_for(watch, timeout=_LONGEST_SECONDS)
    return began, seen


async def _watch(client: KubeClient, seen: Seen, opened: asyncio.Event, pods: int) -> None:
    # A server that has only just started ends its first watches; each begins with everything that is there.
    while seen.pods_bound < pods:
        async with client.watch(paths.pods_of(NAMESPACE), {}) as lines:
            opened.set()
            async for batch in lines.batches():
                now = monotonic()
                for line in batch:
                    seen.note(line, now)
                if seen.pods_bound == pods:
                    return


def _figures(seen: Seen, began: float) -> Iterator[str]:
    whole = {of: max(times.values()) for of, times in seen.bound.items()}
    ends = sorted(whole.values())
    yield f"all were bound after {ends[-1] - began:.1f} s, half of them after {ends[len(ends) // 2] - began:.1f} s"
    yield f"a gang was incomplete for {_spread({of: end - seen.first[of] for of, end in whole.items()})}"


def _spread(seconds: Mapping[str, float]) -> str:
    values = sorted(seconds.values())
    return f"{statistics.median(values):.2f} s in the median, {values[int(0.99 * len(values))]:.2f} s at p99"


if __name__ == "__main__":
    main()
