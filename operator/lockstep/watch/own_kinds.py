"""GangJobs and NodeBids into the state, from events and from a periodic list.

The list is there because kopf 1.45 drops deletions that happen while it lists again after an expired watch, and pauses
for seconds after a watch was refused. So we list as soon as one of its watches has ended or is open again, often while
one is not open, and every two minutes otherwise. A list also tells when the API server was set back; then kopf has to
begin anew.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from coschedule.cluster.snapshot import GangKey
from lockstep import paths
from lockstep.facts import BidFact, GangFact
from lockstep.kube import ApiUnavailableError, KubeClient, Target
from lockstep.state import State
from lockstep.versions import is_older, newest
from lockstep.watch.doubtful import doubtful_bid, doubtful_gang
from lockstep.watch.gangjob import parse_gang
from lockstep.watch.informer import PAGE_SIZE, collector_off
from lockstep.watch.kind import Kind
from lockstep.watch.list_age import ListAge
from lockstep.watch.parse import parse_bid
from lockstep.watch.streams import Streams

Manifest = Mapping[str, Any]

RELIST_SECONDS = 120.0
# While a watch is not open, only lists bring news: as often as is bearable, for a list of many gangs takes long.
_BLIND_SECONDS = 0.5
_PAUSE_SHARE = 4.0
# Whoever else has something to do, as the answer to a probe, waits for so many objects at most: some 20 ms.
_AT_A_TIME = 200
_GONE = 410

log = logging.getLogger(__name__)


def gangs_kind(state: State) -> Kind[GangFact]:
    """All GangJobs."""
    return Kind(
        target=paths.ALL_GANGS,
        key=_gang_identity,
        parse=lambda it: parse_gang(it, state.gangs.get(_gang_key(it))),
        apply=state.apply_gang,
        remove=lambda it: state.remove_gang(*it),
        doubts=state.doubts,
        doubtful=doubtful_gang,
        counts_as="a gang that is refused",
    )


def bids_kind(state: State) -> Kind[BidFact]:
    """All NodeBids."""
    return Kind(
        target=paths.ALL_BIDS,
        key=lambda it: it["metadata"]["name"],
        parse=parse_bid,
        apply=state.apply_bid,
        remove=state.remove_bid,
        doubts=state.doubts,
        doubtful=doubtful_bid,
        counts_as="a node that is not offered",
    )


def apply_gang(state: State, manifest: Manifest) -> None:
    """A GangJob is there, or has changed."""
    gangs_kind(state).believe(manifest)


def remove_gang(state: State, manifest: Manifest) -> None:
    """A GangJob is gone."""
    gangs_kind(state).drop(_gang_identity(manifest))


def apply_bid(state: State, manifest: Manifest) -> None:
    """A NodeBid is there, or has changed."""
    bids_kind(state).believe(manifest)


def remove_bid(state: State, manifest: Manifest) -> None:
    """A NodeBid is gone."""
    bids_kind(state).drop(manifest["metadata"]["name"])


@dataclass(slots=True)
class Lists:
    """What the lists so far have told: the version of the last one of each kind, and whether one was older than that.

    Then the API server was set back.
    """

    versions: dict[str, str] = field(default_factory=dict)
    were_set_back: bool = False


async def list_own_kinds(client: KubeClient, state: State, lists: Lists) -> None:
    """Make the state's gangs and bids equal to the API server's. Raises ``ApiUnavailableError``."""
    gangs = {(gang.key, gang.uid): gang.resource_version for gang in state.gangs.values()}
    kind = gangs_kind(state)
    await _believe_list(client, kind, lists, gangs, lambda it: _known_version(state.gangs.get(it[0]), it[1]))
    bids = {name: bid.resource_version for name, bid in state.bids.items()}
    await _believe_list(client, bids_kind(state), lists, bids, lambda it: _known_version(state.bids.get(it)))


async def _believe_list(
    client: KubeClient, kind: Kind[Any], lists: Lists, before: Mapping[Any, str], now: Callable[[Any], str | None]
) -> None:
    """Believe a list. ``before`` is what was known when it was asked for, ``now`` the version that is known by then.

    What came in between may be newer than the list. What did not is as the list says, even where the list says an
    older version or nothing: then the API server was set back.
    """
    resource = kind.target.resource
    seen = newest((lists.versions.get(resource, ""), *before.values()))
    items, lists.versions[resource] = await _list_from_the_present(client, kind.target, seen)
    lists.were_set_back |= is_older(lists.versions[resource], seen)
    there = {kind.key(item): item for item in items}
    for number, (key, item) in enumerate(there.items(), 1):
        version, known, was = item["metadata"]["resourceVersion"], now(key), before.get(key)
        if known == was and known is not None and is_older(version, known):
            kind.drop(key)
        is_deleted = known is None and version == was
        if known != version and not is_deleted:
            kind.believe(item)
        if number % _AT_A_TIME == 0:
            await asyncio.sleep(0)
    for key, was in before.items():
        if key not in there and now(key) == was:
            kind.drop(key)


def _known_version(known: GangFact | BidFact | None, uid: str | None = None) -> str | None:
    """The version that is known of an object, if that very one is."""
    if known is None or (isinstance(known, GangFact) and known.uid != uid):
        return None
    return known.resource_version


async def list_own_kinds_at_last(client: KubeClient, state: State) -> None:
    """Do so as soon as the API server answers: it knew us when we started, so it will again."""
    while True:
        try:
            return await list_own_kinds(client, state, Lists())
        except ApiUnavailableError as error:
            log.warning("the first list failed, listing again: %s", error)
            await asyncio.sleep(_BLIND_SECONDS)


async def keep_own_kinds_listed(client: KubeClient, state: State, streams: Streams) -> None:
    """List again and again until cancelled: when a watch may have missed something, and now and then."""
    lists = Lists()
    while True:
        began = monotonic()
        is_whole = await _list_or_warn(client, state, lists)
        if lists.were_set_back:
            streams.outdated.set()
            lists.were_set_back = False
        await asyncio.sleep(max(_BLIND_SECONDS, _PAUSE_SHARE * (monotonic() - began)))
        if is_whole:
            await _until_due(streams)


async def _list_or_warn(client: KubeClient, state: State, lists: Lists) -> bool:
    try:
        await list_own_kinds(client, state, lists)
    except ApiUnavailableError as error:
        log.warning("the periodic list failed: %s", error)
        return False
    return True


async def _until_due(streams: Streams) -> None:
    if not streams.all_open:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(RELIST_SECONDS):
            await streams.changed.wait()
    streams.changed.clear()


async def _list_from_the_present(client: KubeClient, target: Target, newest_known: str) -> tuple[list[Manifest], str]:
    """Every object, in a list that is to be believed though versions as new as that are known, and its version."""
    age = ListAge(newest_known)
    while True:
        items, version = await _list_all(client, target)
        if age.is_believed(version):
            return items, version
        log.warning("a list of %s is older than what was known before, listing again", target.resource)
        await asyncio.sleep(_BLIND_SECONDS)


async def _list_all(client: KubeClient, target: Target) -> tuple[list[Manifest], str]:
    """Every object, page by page, and the list's version; a list that expired between two pages begins again."""
    items: list[Manifest] = []
    following = ""
    while True:
        params = {"limit": PAGE_SIZE, **({"continue": following} if following else {})}
        # The collector would walk the half-decoded page again and again.
        with collector_off():
            answer = await client.get(target, params)
        if answer.code == _GONE and following:
            items, following = [], ""
            continue
        if not answer.is_success or "items" not in answer.body:
            raise ApiUnavailableError(f"{target.resource} can't be listed: {answer.message}")
        items += answer.body["items"] or ()
        metadata = answer.body["metadata"]
        following = metadata.get("continue", "")
        if not following:
            return items, str(metadata["resourceVersion"])


def _gang_identity(manifest: Manifest) -> tuple[GangKey, str]:
    """Which gang: one of the same name, before or after it, is another one."""
    return _gang_key(manifest), manifest["metadata"]["uid"]


def _gang_key(manifest: Manifest) -> GangKey:
    return GangKey(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
