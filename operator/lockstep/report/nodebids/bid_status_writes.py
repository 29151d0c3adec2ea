"""Writes to bids what the operator plans on their nodes, and which pods there are members."""

import asyncio
import logging
from collections.abc import Callable, Mapping

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.nodebid.bid_status import bid_plan_manifest
from lockstep.belief.state import State
from lockstep.facts.cluster.bid_plan import BidPlan
from lockstep.report.nodebids.bid_plans import Guests, finding_guests, plan_of_bid

# In seconds, as often as an agent measures: it counts a new member as local work until it is reported.
_PAUSE_SECONDS = 10.0
_NOT_FOUND = 404

log = logging.getLogger(__name__)


async def keep_bid_plans_written(client: KubeClient, state: State, now: Callable[[], float]) -> None:
    """Write changed plans to the statuses of agents' bids, one after the other, until cancelled."""
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        for node, guests in (await _guests(state)).items():
            bid = state.bids.get(node)
            if bid is None:
                continue
            plan = plan_of_bid(state, bid, guests, now())
            # Thousands of unchanged bids must not delay the cycle either.
            await (_write(client, node, plan) if plan != bid.planned else asyncio.sleep(0))


async def _guests(state: State) -> Mapping[str, Guests]:
    """The pods on all nodes; the event loop does other work between the steps."""
    finding = finding_guests(state)
    while True:
        try:
            next(finding)
        except StopIteration as end:
            guests: Mapping[str, Guests] = end.value
            return guests
        await asyncio.sleep(0)


async def _write(client: KubeClient, node: str, plan: BidPlan) -> None:
    """Write one status. A refused one is tried again in the next round, since rights may change."""
    try:
        said = await client.patch(paths.bid_status(node), bid_plan_manifest(plan), Urgency.REPORT)
    except ApiUnavailableError as error:
        log.warning("the status of bid %s could not be written: %s", node, error)
        return
    if not said.is_success and said.code != _NOT_FOUND:
        log.error("the API server does not accept the status of bid %s: %s", node, said.message)
