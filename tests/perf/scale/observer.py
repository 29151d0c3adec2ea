"""What one observer sees of the pods of gangs: when each was on a node."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Collection
from time import monotonic

import orjson
from bench_cluster import NAMESPACE

from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient

LONGEST_SECONDS = 1_800.0


class Observer:
    """Times in seconds of one clock: when each gang was submitted, and when each of its pods was seen on a node."""

    def __init__(self) -> None:
        self.submitted: dict[str, float] = {}
        self.bound: dict[str, dict[str, float]] = {}
        self._nodes: dict[str, Counter[str]] = {}
        self.opened = asyncio.Event()
        self._changed = asyncio.Event()

    @property
    def pods(self) -> int:
        """How many pods are on nodes."""
        return sum(map(len, self.bound.values()))

    def whole(self, gang: str, size: int) -> bool:
        """Whether all pods of a gang are on nodes."""
        return len(self.bound.get(gang, ())) == size

    def nodes_of(self, gang: str) -> Counter[str]:
        """How many of its pods are on each node."""
        return self._nodes[gang]

    def landing(self, gangs: Collection[str]) -> list[float]:
        """How long each of these gangs took from its submission to its last bind, rising."""
        ends = {gang: max(self.bound[gang].values()) for gang in gangs if gang in self.bound}
        return sorted(end - self.submitted[gang] for gang, end in ends.items())

    def spread(self, gangs: Collection[str]) -> list[float]:
        """For how long each of these gangs was bound in part, rising."""
        bound = (self.bound[gang].values() for gang in gangs if gang in self.bound)
        return sorted(max(times) - min(times) for times in bound)

    async def until(self, is_met: Callable[[], bool], seconds: float = LONGEST_SECONDS) -> bool:
        """Wait for what pods show; returns whether it was met in that time."""
        try:
            async with asyncio.timeout(seconds):
                while not is_met():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def watch(self, client: KubeClient) -> None:
        """Watch until cancelled. A server that has just started ends its first watches; each begins with all pods."""
        while True:
            async with client.watch(paths.pods_of(NAMESPACE), {}) as lines:
                self.opened.set()
                async for batch in lines.batches():
                    now = monotonic()
                    for line in batch:
                        self._note(line, now)
                    self._changed.set()

    def _note(self, line: bytes, now: float) -> None:
        # Creations are half of the events: they need not be decoded to be passed over.
        if b'"nodeName"' not in line:
            return
        pod = orjson.loads(line)["object"]
        name = pod["metadata"]["name"]
        gang = name.partition("-")[0]
        if name not in self.bound.setdefault(gang, {}):
            self.bound[gang][name] = now
            self._nodes.setdefault(gang, Counter())[pod["spec"]["nodeName"]] += 1


def quantile(rising: list[float], share: float) -> float:
    """The value below which that share of the values lies; inf without values."""
    return rising[min(int(share * len(rising)), len(rising) - 1)] if rising else math.inf
