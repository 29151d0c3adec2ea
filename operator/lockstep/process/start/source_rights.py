"""Checks at the start that the operator has the rights that its sources need."""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.review import is_allowed, own_access_review
from lockstep.api.client.rights import Need, Rights
from lockstep.api.names import GROUP, PODS_GANGS
from lockstep.facts.gang.source import Source

# The roles may be installed at the same time as the operator, as the kinds may: 5 s.
_TRIES = 25
_PAUSE_SECONDS = 0.2
_NEEDS: Mapping[Source, tuple[Need, ...]] = {
    Source.PODS: (
        *(Need(verb, PODS_GANGS, "") for verb in ("get", "list", "watch")),
        Need("patch", f"{PODS_GANGS}/status", ""),
    ),
}


async def check_source_rights(client: KubeClient, rights: Rights, sources: Collection[Source]) -> None:
    """Record each right that the sources need and that the API server does not give within 5 s.

    What is missing stops nothing: GangJobs are placed without it.
    """
    missing = [need for source in Source if source in sources for need in _NEEDS[source]]
    # Without an answer the rights stay unknown, and the requests that need them find out.
    with suppress(ApiUnavailableError):
        for _ in range(_TRIES):
            missing = await _still_missing(client, missing)
            if not missing:
                return
            await asyncio.sleep(_PAUSE_SECONDS)
        for need in missing:
            rights.deny(need, "--sources asks for it")


async def _still_missing(client: KubeClient, needs: Iterable[Need]) -> list[Need]:
    return [need for need in needs if not await _has(client, need)]


async def _has(client: KubeClient, need: Need) -> bool:
    """Whether we have that right; True if the review itself is refused."""
    resource, _, subresource = need.resource.partition("/")
    review = own_access_review(verb=need.verb, group=GROUP, resource=resource, subresource=subresource)
    answer = await client.review(paths.OWN_ACCESS_REVIEWS, review)
    return not answer.is_success or is_allowed(answer.body)
