"""Keeps the return times of node owners in the statuses of bids, so that the next leader continues grace periods."""

import asyncio
from collections.abc import Callable

from lockstep.api.client.client import KubeClient
from lockstep.api.nodebid.bid_status import owner_back_manifest
from lockstep.api.times import as_formatted
from lockstep.belief.state import State
from lockstep.report.nodebids.bid_patches import patch_bid_status

# In seconds: at most this part of a grace period is repeated after a change of the leader. A grace period is a minute
# by default.
_PAUSE_SECONDS = 5.0


async def keep_owner_returns_written(client: KubeClient, state: State, now: Callable[[], float]) -> None:
    """Write changed return times, one bid after the other, until cancelled."""
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        for bid in list(state.bids.values()):
            since = as_formatted(state.owners.back_since(bid, now()))
            if since != bid.owner_back_since:
                # A refused write is tried again in the next round, because rights may change.
                await patch_bid_status(client, bid.node, owner_back_manifest(since))
