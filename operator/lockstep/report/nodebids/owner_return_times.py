"""Keeps in the status of bids since when node owners are back, so that the next leader continues grace periods."""

import asyncio
import logging
from collections.abc import Callable

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.nodebid.bid_status import owner_back_manifest
from lockstep.api.times import as_formatted
from lockstep.belief.state import State

# In seconds: at most so much of a grace period, which is a minute by default, restarts with the next leader.
_PAUSE_SECONDS = 5.0
_NOT_FOUND = 404

log = logging.getLogger(__name__)


async def keep_owner_returns_written(client: KubeClient, state: State, now: Callable[[], float]) -> None:
    """Write what has changed, one bid after the other, until cancelled."""
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        for bid in list(state.bids.values()):
            since = as_formatted(state.owners.back_since(bid, now()))
            if since != bid.owner_back_since:
                await _write(client, bid.node, since)


async def _write(client: KubeClient, node: str, since: float | None) -> None:
    """Write one status. A refused one is tried again in the next round, since rights may change."""
    try:
        said = await client.patch(paths.bid_status(node), owner_back_manifest(since))
    except ApiUnavailableError as error:
        log.warning("the status of bid %s could not be written: %s", node, error)
        return
    if not said.is_success and said.code != _NOT_FOUND:
        log.error("the API server does not accept the status of bid %s: %s", node, said.message)
