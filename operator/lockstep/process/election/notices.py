"""Watches the lease, so that a change is noticed before the next read.

Nothing depends on this: if the watch fails, the lease is still read in intervals.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.lease import read_lease
from lockstep.watch.informer import WatchError, decode_event

_PAUSE_SECONDS = 1.0


class LeaseNotices:
    """Reports changes of one lease, except changes after which ``identity`` holds the lease."""

    def __init__(self, client: KubeClient, namespace: str, name: str, *, identity: str) -> None:
        self._client = client
        self._target = paths.leases_of(namespace)
        self._params = {"fieldSelector": f"metadata.name={name}", "allowWatchBookmarks": "true"}
        self._identity = identity
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def coming(self) -> AsyncIterator[None]:
        """Watch the lease while the block runs."""
        watching = asyncio.create_task(self._keep_watching())
        try:
            yield
        finally:
            watching.cancel()

    async def wait(self, *, at_most_seconds: float) -> None:
        """Return after a reported change of the lease, or after ``at_most_seconds``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_seconds):
                await self._changed.wait()
        self._changed.clear()

    async def _keep_watching(self) -> None:
        while True:
            with suppress(ApiUnavailableError, WatchError):
                await self._watch()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _watch(self) -> None:
        async with self._client.watch(self._target, self._params) as lines:
            if lines.code != 200:
                return
            async for batch in lines.batches():
                if any(self._is_of_others(line) for line in batch):
                    self._changed.set()

    def _is_of_others(self, line: bytes) -> bool:
        kind, manifest = decode_event(line)
        if kind == "ERROR":
            raise WatchError(str(manifest.get("message")))
        return kind == "DELETED" or (kind != "BOOKMARK" and read_lease(manifest).holder != self._identity)
