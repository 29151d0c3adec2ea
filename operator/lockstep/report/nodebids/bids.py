"""Writes the condition of NodeBids that do not count, that count again, or that have a very high duty cycle."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus

from lockstep.api.client.client import KubeClient
from lockstep.api.nodebid.bid import answer_manifest
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
            answer = state.bids.answer(node)
            if bid is not None and answer is not None:
                await _answer(client, state, bid, answer, now())


async def _answer(client: KubeClient, state: State, bid: BidFact, answer: BidCondition, now: float) -> None:
    """Write one status for the version that was read. A newer version gets its status when it is seen."""
    body = {
        "metadata": {"resourceVersion": bid.resource_version},
        "status": {"conditions": [answer_manifest(bid, answer, now=now)]},
    }
    expected = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
    if await patch_bid_status(client, bid.node, body, expected=expected):
        state.changes.answered(bid.node)
