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
        """Watch until cancelled.

        The API server ends a watch whose events it cannot buffer. The next watch continues where the last one ended:
        a watch that began with all pods would cost the server more than the load itself.
        """
        version = ""
        while True:
            async with client.watch(paths.pods_of(NAMESPACE), {"resourceVersion": version} if version else {}) as lines:
                self.opened.set()
                async for batch in lines.batches():
                    now = monotonic()
                    for line in batch:
                        version = self._note(line, now)
                    self._changed.set()

    def _note(self, line: bytes, now: float) -> str:
        """Note where a pod is; return the version from which a watch continues, or "" after an error."""
        event = orjson.loads(line)
        if event["type"] == "ERROR":
            return ""
        metadata, node = event["object"]["metadata"], event["object"]["spec"].get("nodeName")
        name = metadata["name"]
        gang = name.partition("-")[0]
        if node is not None and name not in self.bound.setdefault(gang, {}):
            self.bound[gang][name] = now
            self._nodes.setdefault(gang, Counter())[node] += 1
        version: str = metadata["resourceVersion"]
        return version


def quantile(rising: list[float], share: float) -> float:
    """The value below which that share of the values lies; inf without values."""
    return rising[min(int(share * len(rising)), len(rising) - 1)] if rising else math.inf
