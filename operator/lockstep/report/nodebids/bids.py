"""Writes the condition of NodeBids that do not count, that count again, or that have a very high duty cycle."""

import asyncio
from collections.abc import Callable

from lockstep.api.client.client import KubeClient
from lockstep.api.nodebid.bid import bid_condition_manifest
from lockstep.belief.state import State
from lockstep.facts.cluster.node import BidCondition, BidFact
from lockstep.report.nodebids.bid_patches import patch_bid_status

_PAUSE_SECONDS = 1.0


async def keep_bid_conditions_written(client: KubeClient, state: State, now: Callable[[], float]) -> None:
    """Write the condition of every bid that needs one, one after the other, until cancelled."""
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        for node in sorted(state.changes.bids):
            bid = state.bids.get(node)
            condition = state.bids.wanted_condition(node)
            if bid is not None and condition is not None:
                await _write(client, state, bid, condition, now())


async def _write(client: KubeClient, state: State, bid: BidFact, condition: BidCondition, now: float) -> None:
    """Write one status for the version that was read. A newer version gets its status when it is seen."""
    body = {
        "metadata": {"resourceVersion": bid.resource_version},
        "status": {"conditions": [bid_condition_manifest(bid, condition, now=now)]},
    }
    if await patch_bid_status(client, bid.node, body, is_of_version=True):
        state.changes.bid_reported(bid.node)
