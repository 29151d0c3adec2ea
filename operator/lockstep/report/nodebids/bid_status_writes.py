"""Tells the agents of nodes what the planner makes of their bids, and which pods on the node are members of gangs."""

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

# As often as an agent looks at its node: until it knows of a new member, that one counts as local work.
_PAUSE_SECONDS = 10.0
_NOT_FOUND = 404

log = logging.getLogger(__name__)


async def keep_agents_told(client: KubeClient, state: State, now: Callable[[], float]) -> None:
    """Write what has changed for an agent into its bid's status, one bid after the other, until cancelled."""
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        for node, guests in (await _guests(state)).items():
            bid = state.bids.get(node)
            if bid is None:
                continue
            plan = plan_of_bid(state, bid, guests, now())
            # Thousands that have not changed must not keep the cycle waiting either.
            await (_tell(client, node, plan) if plan != bid.planned else asyncio.sleep(0))


async def _guests(state: State) -> Mapping[str, Guests]:
    """Who runs where, of tens of thousands of pods: the event loop turns between the steps."""
    finding = finding_guests(state)
    while True:
        try:
            next(finding)
        except StopIteration as end:
            guests: Mapping[str, Guests] = end.value
            return guests
        await asyncio.sleep(0)


async def _tell(client: KubeClient, node: str, plan: BidPlan) -> None:
    """Write one status. What is refused is tried again in the next round: it may be about rights."""
    try:
        said = await client.patch(paths.bid_status(node), bid_plan_manifest(plan), Urgency.REPORT)
    except ApiUnavailableError as error:
        log.warning("the status of bid %s could not be written: %s", node, error)
        return
    if not said.is_success and said.code != _NOT_FOUND:
        log.error("the API server does not accept the status of bid %s: %s", node, said.message)
