"""The request that writes the status of a NodeBid, and the log line if it fails."""

import logging
from collections.abc import Mapping
from typing import Any

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError, served
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency

log = logging.getLogger(__name__)


async def patch_bid_status(
    client: KubeClient,
    node: str,
    body: Mapping[str, Any],
    urgency: Urgency = Urgency.ACT,
    *,
    is_of_version: bool = False,
) -> bool:
    """Write the status of a node's bid. Returns whether the API server answered.

    A refusal is logged, unless the bid is gone. If the body ``is_of_version``, the write applies to one version of
    the bid. Then the API server also refuses it if the bid has changed, and this refusal is not logged.
    """
    try:
        answer = served(await client.patch(paths.bid_status(node), body, urgency), "it is not found")
    except ApiUnavailableError as error:
        log.warning("the status of bid %s could not be written: %s", node, error)
        return False
    is_expected = answer.is_gone_or_changed if is_of_version else answer.is_absence
    if not answer.is_success and not is_expected:
        log.error("the API server refuses the status of bid %s: %s", node, answer.message)
    return True
