"""Reads GangJobs that are too large to be parsed from the event of a watch: they are requested again, one at a time.

kopf passes on events as fast as they come. If large GangJobs waited for the thread that parses them, each would keep
its decoded body in memory, which may have more than 10 MB. So only names wait. If a GangJob changes often, only its
newest version is read. Namespaces take turns. So a tenant that rewrites large GangJobs all the time delays the first
GangJob of another tenant by a single read.
"""

import asyncio
import logging
from collections.abc import Hashable

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError, exists
from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.belief.common.fair_queue import FairQueue, Rank
from lockstep.facts.gang.gang import GangFact
from lockstep.logs.fields import about
from lockstep.watch.kind import WatchedKind
from lockstep.watch.reader import Reader

_PAUSE_SECONDS = 1.0
_RANK = Rank(0, 0)

log = logging.getLogger(__name__)


class LargeGangs:
    """Reads large gangs one by one, each in the state that the API server has when its turn comes."""

    def __init__(self, client: KubeClient, kind: WatchedKind[GangFact]) -> None:
        self._client = client
        self._kind = kind
        self._reader = Reader(kind)
        self._due = FairQueue()
        self._identities: dict[GangKey, Hashable] = {}
        self._under_way: Hashable | None = None
        self._noted = asyncio.Event()

    def note(self, manifest: Manifest) -> None:
        """Add a large gang that is new or has changed."""
        metadata = manifest["metadata"]
        self._put(GangKey(metadata["namespace"], metadata["name"]), self._kind.key(manifest))
        self._noted.set()

    def forget(self, manifest: Manifest) -> None:
        """Remove a gang that is gone. If the gang is being read, the result of this read is ignored."""
        metadata, identity = manifest["metadata"], self._kind.key(manifest)
        gang = GangKey(metadata["namespace"], metadata["name"])
        if self._identities.get(gang) == identity:
            del self._identities[gang]
            self._due.drop(gang)
        if self._under_way == identity:
            self._under_way = None

    async def keep_reading(self) -> None:
        """Read gangs until cancelled. Namespaces take turns; gangs of a namespace are read in the order of arrival."""
        while True:
            await self._noted.wait()
            self._noted.clear()
            while gang := self._due.take(lambda _: False):
                await self._read(gang, self._identities.pop(gang))

    def _put(self, gang: GangKey, identity: Hashable) -> None:
        self._identities[gang] = identity
        self._due.put(gang, _RANK)

    async def _read(self, gang: GangKey, identity: Hashable) -> None:
        self._under_way = identity
        try:
            answer = await self._client.get(paths.gang(gang))
            is_there = exists(answer, f"GangJob {gang.name}")
        except ApiUnavailableError as error:
            log.warning("the gang can't be read, and is read again: %s", error, extra=about(gang))
            if self._under_way is not None and gang not in self._due:
                self._put(gang, identity)
            await asyncio.sleep(_PAUSE_SECONDS)
            return
        if is_there and self._kind.key(answer.body) == identity:
            read = await self._reader.read(answer.body)
            if self._under_way is not None:
                self._kind.take(read)
