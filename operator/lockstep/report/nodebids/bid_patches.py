"""The request that writes the status of a NodeBid, and the log line if it fails."""

import logging
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency

log = logging.getLogger(__name__)


async def patch_bid_status(
    client: KubeClient,
    node: str,
    body: Mapping[str, Any],
    urgency: Urgency = Urgency.ACT,
    *,
    expected: Collection[HTTPStatus] = (HTTPStatus.NOT_FOUND,),
) -> bool:
    """Write the status of a node's bid. Returns whether the API server answered.

    A refusal is logged unless it is ``expected``: the bid may be gone, or have changed.
    """
    try:
        answer = await client.patch(paths.bid_status(node), body, urgency)
    except ApiUnavailableError as error:
        log.warning("the status of bid %s could not be written: %s", node, error)
        return False
    if not answer.is_success and answer.code not in expected:
        log.error("the API server refuses the status of bid %s: %s", node, answer.message)
    return True
