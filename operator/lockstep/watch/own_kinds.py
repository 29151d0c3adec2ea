"""GangJobs and NodeBids into the state, from events and from a periodic list.

The list is there because kopf 1.45 drops deletions that happen while it lists again after an expired watch: what such
a gap swallowed is found here within two minutes.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from coschedule.cluster.snapshot import GangKey
from lockstep import paths
from lockstep.kube import ApiUnavailableError, KubeClient, Target
from lockstep.state import State
from lockstep.watch.gangjob import parse_gang
from lockstep.watch.informer import PAGE_SIZE
from lockstep.watch.parse import parse_bid

Manifest = Mapping[str, Any]

RELIST_SECONDS = 120.0
_GONE = 410

log = logging.getLogger(__name__)


def apply_gang(state: State, manifest: Manifest) -> None:
    """A GangJob is there, or has changed."""
    state.apply_gang(parse_gang(manifest, state.gangs.get(_gang_key(manifest))))


def remove_gang(state: State, manifest: Manifest) -> None:
    """A GangJob is gone."""
    state.remove_gang(_gang_key(manifest), manifest["metadata"]["uid"])


def apply_bid(state: State, manifest: Manifest) -> None:
    """A NodeBid is there, or has changed."""
    state.apply_bid(parse_bid(manifest))


def remove_bid(state: State, manifest: Manifest) -> None:
    """A NodeBid is gone."""
    state.remove_bid(manifest["metadata"]["name"])


async def list_own_kinds(client: KubeClient, state: State) -> None:
    """Make the state's gangs and bids equal to the API server's. Raises ``ApiUnavailableError``."""
    gangs = {gang.key: gang.uid for gang in state.gangs.values()}
    there = {(_gang_key(item), item["metadata"]["uid"]): item for item in await _list_all(client, paths.ALL_GANGS)}
    for (key, _), item in there.items():
        known = state.gangs.get(key)
        if known is None or known.resource_version != item["metadata"]["resourceVersion"]:
            apply_gang(state, item)
    # Only what was known before the list began can be missed in it; what came meanwhile is not in it either.
    for key, uid in gangs.items():
        if (key, uid) not in there:
            state.remove_gang(key, uid)
    await _list_bids(client, state)


async def _list_bids(client: KubeClient, state: State) -> None:
    known = set(state.bids)
    there = {item["metadata"]["name"]: item for item in await _list_all(client, paths.ALL_BIDS)}
    for name, item in there.items():
        bid = state.bids.get(name)
        if bid is None or bid.resource_version != item["metadata"]["resourceVersion"]:
            apply_bid(state, item)
    for name in known - set(there):
        state.remove_bid(name)


async def keep_own_kinds_listed(client: KubeClient, state: State) -> None:
    """List again and again until cancelled."""
    while True:
        await asyncio.sleep(RELIST_SECONDS)
        try:
            await list_own_kinds(client, state)
        except ApiUnavailableError as error:
            log.warning("the periodic list failed: %s", error)


async def _list_all(client: KubeClient, target: Target) -> list[Manifest]:
    """Every object, page by page; a list that expired between two pages begins again."""
    items: list[Manifest] = []
    following = ""
    while True:
        params = {"limit": PAGE_SIZE, **({"continue": following} if following else {})}
        answer = await client.get(target, params)
        if answer.code == _GONE:
            items, following = [], ""
            continue
        if not answer.is_success:
            raise ApiUnavailableError(f"{target.resource} can't be listed: {answer.message}")
        items += answer.body["items"]
        following = answer.body["metadata"].get("continue", "")
        if not following:
            return items


def _gang_key(manifest: Manifest) -> GangKey:
    return GangKey(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
