"""Writes to NodeBids why a bid does not count, and when it counts again; others get no condition."""

import asyncio
import logging
from collections.abc import Callable

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.nodebid.bid import answer_manifest
from lockstep.belief.state import State
from lockstep.facts.cluster.node import BidCondition, BidFact

_PAUSE_SECONDS = 1.0
_NOT_FOUND = 404
_CONFLICT = 409

log = logging.getLogger(__name__)


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
    """Write one status for the version that was read; a newer version is answered when it is seen."""
    body = {
        "metadata": {"resourceVersion": bid.resource_version},
        "status": {"conditions": [answer_manifest(bid, answer, now=now)]},
    }
    try:
        said = await client.patch(paths.bid_status(bid.node), body)
    except ApiUnavailableError as error:
        log.warning("the status of bid %s could not be written: %s", bid.node, error)
        return
    state.changes.answered(bid.node)
    if not said.is_success and said.code not in (_NOT_FOUND, _CONFLICT):
        log.error("the API server does not accept the status of bid %s: %s", bid.node, said.message)
