"""Writes the operator's plan for each node to its bid, with the pods that are members there."""

import asyncio
from collections.abc import Callable, Mapping

from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.nodebid.bid_status import bid_plan_manifest
from lockstep.belief.state import State
from lockstep.report.nodebids.bid_patches import patch_bid_status
from lockstep.report.nodebids.bid_plans import Guests, finding_guests, plan_of_bid

# In seconds, as often as an agent measures: it counts a new member as local work until the status reports the member.
_PAUSE_SECONDS = 10.0


async def keep_bid_plans_written(client: KubeClient, state: State, now: Callable[[], float]) -> None:
    """Write changed plans to the statuses of agents' bids, one after the other, until cancelled."""
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        for node, guests in (await _guests(state)).items():
            bid = state.bids.get(node)
            if bid is None:
                continue
            plan = plan_of_bid(state, bid, guests, now())
            # Thousands of bids, even if unchanged, must not delay the cycle.
            await asyncio.sleep(0)
            if plan != bid.planned:
                # A refused write is tried again in the next round, because rights may change.
                await patch_bid_status(client, node, bid_plan_manifest(plan), Urgency.REPORT)


async def _guests(state: State) -> Mapping[str, Guests]:
    """The pods on the nodes whose bids agents write. The event loop does other work between the steps."""
    finding = finding_guests(state)
    while True:
        try:
            next(finding)
        except StopIteration as end:
            guests: Mapping[str, Guests] = end.value
            return guests
        await asyncio.sleep(0)
