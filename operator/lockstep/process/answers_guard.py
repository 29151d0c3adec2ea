"""Deletes the APIService of answers for tenants when its server is dead.

While a registered API does not answer, Kubernetes deletes no namespace, since that API might still have objects in it.
"""

import asyncio
import logging
from collections.abc import Callable

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.answers_service import APISERVICE, dead_since

DEAD_SECONDS = 60.0
"""Seconds for which the server must have been dead before its APIService is deleted."""

_PAUSE_SECONDS = 10.0

log = logging.getLogger(__name__)


async def keep_dead_answers_unregistered(client: KubeClient, monotonic: Callable[[], float]) -> None:
    """Check the APIService repeatedly until cancelled, and delete it when its server is dead.

    A server that still runs registers itself again.
    """
    guard = _Guard(client, monotonic)
    while True:
        await guard.check()
        await asyncio.sleep(_PAUSE_SECONDS)


class _Guard:
    """Counts, by our clock, the seconds since this process first saw that the server is dead.

    The APIService also states since when the server is dead, but this time does not count. It comes from the API
    server's clock, and may be from before an outage of the API server itself.
    """

    def __init__(self, client: KubeClient, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._monotonic = monotonic
        self._death: tuple[str, float] | None = None
        self._seen_at = 0.0

    async def check(self) -> None:
        """Delete the APIService if its server has been dead for ``DEAD_SECONDS``."""
        try:
            await self._check(await self._client.get(paths.apiservice(APISERVICE)))
        except ApiUnavailableError as error:
            self._death = None
            log.warning("APIService %s can't be checked: %s", APISERVICE, error)

    async def _check(self, there: Answer) -> None:
        since = dead_since(there.body) if there.is_success else None
        death = None if since is None else (there.body["metadata"]["uid"], since)
        now = self._monotonic()
        if death != self._death:
            self._death, self._seen_at = death, now
        if death is None or now - self._seen_at < DEAD_SECONDS:
            return
        # An APIService that has changed since this read may have a server that answers, so the version is a
        # precondition.
        metadata = there.body["metadata"]
        target, version = paths.apiservice(APISERVICE), metadata["resourceVersion"]
        answer = await self._client.delete(target, uid=metadata["uid"], version=version)
        if answer.is_success:
            log.warning(
                "APIService %s had no working server for %.0f s, and was deleted", APISERVICE, now - self._seen_at
            )
