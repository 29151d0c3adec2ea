"""GangJobs and NodeBids into the state, from events and from a periodic list.

The list is there because kopf 1.45 drops deletions that happen while it lists again after an expired watch, and pauses
for seconds after a watch was refused. So we list as soon as one of its watches has ended or is open again, often while
one is not open, and every two minutes otherwise. A list also tells when the API server was set back; then kopf has to
begin anew.
"""

import asyncio
import logging
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.versions import is_older, newest
from lockstep.belief.state import State
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import bids_kind, gangs_kind
from lockstep.watch.list_age import ListAge
from lockstep.watch.pages import GONE, ListError, pages
from lockstep.watch.reader import Reader
from lockstep.watch.streams import Streams

Manifest = Mapping[str, Any]

RELIST_SECONDS = 120.0
# While a watch is not open, only lists bring news: as often as is bearable, for a list of many gangs takes long.
_BLIND_SECONDS = 0.5
_PAUSE_SHARE = 4.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Lists:
    """What the lists so far have told: the version of the last one of each kind, and whether one was older than that.

    Then the API server was set back.
    """

    versions: dict[str, str] = field(default_factory=dict)
    were_set_back: bool = False


async def list_own_kinds(client: KubeClient, state: State, lists: Lists) -> None:
    """Make the state's gangs and bids equal to the API server's. Raises ``ApiUnavailableError``."""
    for kind in (gangs_kind(state), bids_kind(state)):
        await _believe_list(client, kind, lists)


async def _believe_list(client: KubeClient, kind: WatchedKind[Any], lists: Lists) -> None:
    """Believe a list, of which nothing is kept but the keys.

    What came while it was under way may be newer than the list. What did not is as the list says, even where the list
    says an older version or nothing: then the API server was set back.
    """
    resource = kind.target.resource
    seen = newest((lists.versions.get(resource, ""), *(kind.version(key) or "" for key in kind.believed())))
    age, version = ListAge(seen), ""
    while not version:
        version = await _believe_pages(client, kind, age)
    lists.versions[resource] = version
    lists.were_set_back |= is_older(version, seen)


async def _believe_pages(client: KubeClient, kind: WatchedKind[Any], age: ListAge) -> str:
    """Believe a list page by page; returns its version, or nothing where it has to begin again.

    It begins again where it expires between two pages: what was believed of it until then was true. Nothing of a list
    from the past is believed.
    """
    before, there, version = {key: kind.version(key) for key in kind.believed()}, set(), ""
    reader = Reader(kind)
    try:
        async for page in pages(client, kind.target):
            if not version and not age.is_believed(page["metadata"]["resourceVersion"]):
                log.warning("a list of %s is older than what was known before, listing again", kind.target.resource)
                await asyncio.sleep(_BLIND_SECONDS)
                return ""
            version = str(page["metadata"]["resourceVersion"])
            there.update(await _believe_page(reader, kind, page["items"] or (), before))
    except ListError as error:
        if error.code == GONE and version:
            return ""
        raise ApiUnavailableError(f"{kind.target.resource} can't be listed: {error}") from error
    for key, was in before.items():
        if key not in there and kind.version(key) == was:
            kind.drop(key)
    return version


async def _believe_page(
    reader: Reader[Any], kind: WatchedKind[Any], items: Sequence[Manifest], before: Mapping[Hashable, str | None]
) -> list[Hashable]:
    """Believe the objects of one page; returns their keys. ``before`` has the versions known before the list."""
    for item in items:
        key, version = kind.key(item), item["metadata"]["resourceVersion"]
        seen, was = kind.version(key), before.get(key)
        if seen == version:
            continue
        read = await reader.read(item)
        known = kind.version(key)
        if known == was and known is not None and is_older(version, known):
            kind.drop(key)
        is_deleted = known is None and (version == was or seen is not None)
        if known != version and not is_deleted:
            kind.take(read)
    return [kind.key(item) for item in items]


async def list_own_kinds_at_last(client: KubeClient, state: State) -> None:
    """List both kinds once, as soon as the API server answers: it knew us when we started, so it will again."""
    while True:
        try:
            return await list_own_kinds(client, state, Lists())
        except ApiUnavailableError as error:
            log.warning("the first list failed, listing again: %s", error)
            await asyncio.sleep(_BLIND_SECONDS)


async def keep_own_kinds_listed(client: KubeClient, state: State, streams: Streams) -> None:
    """List again and again until cancelled: when a watch may have missed something, and now and then."""
    lists, trouble = Lists(), ""
    while True:
        began = monotonic()
        streams.opened.clear()
        trouble = await _list_or_warn(client, state, lists, told=trouble)
        is_whole = not trouble
        if is_whole:
            streams.listed()
        if lists.were_set_back:
            streams.outdated.set()
            lists.were_set_back = False
        await asyncio.sleep(_BLIND_SECONDS)
        await _until_open(streams, _PAUSE_SHARE * (monotonic() - began))
        if is_whole:
            await _until_due(streams)


async def _list_or_warn(client: KubeClient, state: State, lists: Lists, *, told: str) -> str:
    """List; returns what went wrong, which is logged unless it was ``told`` the last time."""
    try:
        await list_own_kinds(client, state, lists)
    except ApiUnavailableError as error:
        if str(error) != told:
            log.warning("the periodic list failed: %s", error)
        return str(error)
    return ""


async def _until_open(streams: Streams, seconds: float) -> None:
    """Pause, but not for what a list has to add to watches that have opened since it began."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await streams.opened.wait()


async def _until_due(streams: Streams) -> None:
    if not streams.all_open:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(RELIST_SECONDS):
            await streams.changed.wait()
    streams.changed.clear()
