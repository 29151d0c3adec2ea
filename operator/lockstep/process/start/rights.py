"""Tracks the rights of the process.

It reviews them after a forbidden write, and records the answers to kopf's watches.
"""

import asyncio
from contextlib import suppress

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import WATCH, RequestObserver
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.review import is_allowed, own_access_review
from lockstep.api.client.rights import Need, Rights
from lockstep.api.names import GANGS, GROUP

_REVIEW = own_access_review(verb="patch", group=GROUP, resource=GANGS, subresource="status")


async def keep_rights_reviewed(client: KubeClient, rights: Rights) -> None:
    """Review the rights when a status write was forbidden, and again after 1, 2, 4 … 60 s; until cancelled."""
    tries = 0
    while True:
        await rights.needs_review.wait()
        # Without an answer the rights stay unknown, and writes wait.
        with suppress(ApiUnavailableError):
            rights.record_review(may_write=await _may_write(client))
        tries = tries + 1 if rights.needs_review.is_set() else 0
        if tries:
            await asyncio.sleep(pause_after(tries - 1))


def noting_watches(rights: Rights, observer: RequestObserver) -> RequestObserver:
    """An observer for kopf's requests: it reports all of them to ``observer``, and watches to ``rights`` too."""

    def answered(verb: str, resource: str, code: int, seconds: float) -> None:
        observer(verb, resource, code, seconds)
        if verb == WATCH:
            rights.watch_answered(Need("watch", resource, ""), code)

    return answered


async def _may_write(client: KubeClient) -> bool:
    """Whether the operator may write statuses in all namespaces; True if the review itself is refused."""
    answer = await client.review(paths.OWN_ACCESS_REVIEWS, _REVIEW)
    return not answer.is_success or is_allowed(answer.body)
