"""Which rights the process has: judged from a status on that it may not write, and noted of kopf's watches."""

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


def noting_watches(rights: Rights, observer: RequestObserver) -> RequestObserver:
    """Tells ``observer`` of every request, and ``rights`` of the watches among them: for those of a framework."""

    def answered(verb: str, resource: str, code: int, seconds: float) -> None:
        observer(verb, resource, code, seconds)
        if verb == WATCH:
            rights.watch_answered(Need("watch", resource, ""), code)

    return answered


async def _may_write(client: KubeClient) -> bool:
    """Whether statuses may be written in all namespaces; where nobody may ask that, single denials are all there is."""
    answer = await client.review(paths.OWN_ACCESS_REVIEWS, _REVIEW)
    return not answer.is_success or is_allowed(answer.body)
