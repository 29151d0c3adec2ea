"""Deletes the APIService of answers for tenants when its server is dead.

Kubernetes deletes no namespace while any registered API does not answer, since it could not say what is left there.
"""

import asyncio
import logging
from collections.abc import Callable

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.answers_service import APISERVICE, dead_since

DEAD_SECONDS = 60.0
"""How long the API server may have found no answer there."""

_PAUSE_SECONDS = 10.0

log = logging.getLogger(__name__)


async def keep_dead_answers_unregistered(client: KubeClient, now: Callable[[], float]) -> None:
    """Check the APIService again and again. A server that lives registers itself again."""
    while True:
        await _check(client, now())
        await asyncio.sleep(_PAUSE_SECONDS)


async def _check(client: KubeClient, now: float) -> None:
    try:
        there = await client.get(paths.apiservice(APISERVICE))
        since = dead_since(there.body) if there.is_success else None
        if since is None or now - since < DEAD_SECONDS:
            return
        # One that has changed since may lead to a server that answers.
        metadata = there.body["metadata"]
        target, version = paths.apiservice(APISERVICE), metadata["resourceVersion"]
        answer = await client.delete(target, uid=metadata["uid"], version=version)
    except ApiUnavailableError as error:
        log.warning("APIService %s can't be checked: %s", APISERVICE, error)
        return
    if answer.is_success:
        log.warning("APIService %s had no server that answers for %.0f s: deleted", APISERVICE, now - since)
