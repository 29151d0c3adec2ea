"""Asks, from a status that we have no right to write on, whether we may write any at all, until we may."""

import asyncio
from contextlib import suppress

from lockstep.api import paths
from lockstep.api.client import ApiUnavailableError, KubeClient
from lockstep.api.names import GANGS, GROUP
from lockstep.api.pauses import pause_after
from lockstep.api.review import is_allowed, own_access_review
from lockstep.api.rights import Rights

_REVIEW = own_access_review(verb="patch", group=GROUP, resource=GANGS, subresource="status")


async def keep_rights_judged(client: KubeClient, rights: Rights) -> None:
    """Judge whenever ``rights`` are doubted, and then again after 1, 2, 4 … 60 s; until cancelled."""
    tries = 0
    while True:
        await rights.doubted.wait()
        # Where there is no answer nobody knows, and whoever wants to write waits as for any other.
        with suppress(ApiUnavailableError):
            rights.judged(may_write=await _may_write(client))
        tries = tries + 1 if rights.doubted.is_set() else 0
        if tries:
            await asyncio.sleep(pause_after(tries - 1))


async def _may_write(client: KubeClient) -> bool:
    """Whether statuses may be written in all namespaces; where nobody may ask that, single denials are all there is."""
    answer = await client.review(paths.OWN_ACCESS_REVIEWS, _REVIEW)
    return not answer.is_success or is_allowed(answer.body)
