"""Updates the cache with GangJobs and NodeBids by periodic lists, in addition to the events of kopf.

kopf 1.45 drops deletions that happen while it lists again after an expired watch, and pauses for seconds after a watch
was refused. So a list runs as soon as a watch has ended, and when all watches are open again. Lists run often while a
watch is not open, and every two minutes otherwise. A list also detects that the API server was restored to an earlier
state; then kopf must be started again.
"""

import asyncio
import logging
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import Any

from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.api.versions import is_older, newest
from lockstep.belief.state import State
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import bids_kind, gangs_kind
from lockstep.watch.list_age import ListAge
from lockstep.watch.pages import ListError, pages
from lockstep.watch.reader import Reader
from lockstep.watch.streams import Streams

RELIST_SECONDS = 120.0
# While a watch is not open, only lists show changes. After a list, there is a pause of these seconds. Then there is a
# pause of four times the duration of the list: more frequent lists of many gangs would cost too much.
_BLIND_SECONDS = 0.5
_PAUSE_SHARE = 4.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Lists:
    """The results of the lists so far.

    ``versions`` has the version of the last list of each kind. ``were_set_back`` is True if a list was older than the
    cache: then the API server was restored to an earlier state.
    """

    versions: dict[str, str] = field(default_factory=dict)
    were_set_back: bool = False


async def list_own_kinds(client: KubeClient, state: State, lists: Lists) -> None:
    """Make the cached GangJobs and NodeBids equal to the API server's. Raises ``ApiUnavailableError``."""
    for kind in (gangs_kind(state), bids_kind(state)):
        await _apply_list(client, kind, lists)


async def _apply_list(client: KubeClient, kind: WatchedKind[Any], lists: Lists) -> None:
    """Make the cached objects of one kind equal to a list; only the keys of the list are kept in memory.

    An object that changed during the list may be newer than the list, and stays. Other objects that the list lacks are
    removed. All others become equal to the list. If the list has an older version of an object, the API server was
    restored.
    """
    resource = kind.target.resource
    seen = newest((lists.versions.get(resource, ""), *(kind.version(key) or "" for key in kind.cached())))
    age, version = ListAge(seen), ""
    while not version:
        version = await _apply_pages(client, kind, age)
    lists.versions[resource] = version
    lists.were_set_back |= is_older(version, seen)


async def _apply_pages(client: KubeClient, kind: WatchedKind[Any], age: ListAge) -> str:
    """Apply a list page by page; returns the list's version, or '' if the list must start again.

    A list must start again in two cases. It expires between two pages: then the applied pages stay in the cache. Or it
    is older than the cache: then no page is applied. Raises ``ApiUnavailableError``.
    """
    before, there, version = {key: kind.version(key) for key in kind.cached()}, set(), ""
    reader = Reader(kind)
    try:
        async for page in pages(client, kind.target):
            if not version and not age.accept_or_count(page["metadata"]["resourceVersion"]):
                log.warning("a list of %s is older than the cache, and is requested again", kind.target.resource)
                await asyncio.sleep(_BLIND_SECONDS)
                return ""
            version = str(page["metadata"]["resourceVersion"])
            there.update(await _apply_page(reader, kind, page["items"] or (), before))
    except ListError as error:
        if error.code == HTTPStatus.GONE and version:
            return ""
        raise ApiUnavailableError(f"{kind.target.resource} can't be listed: {error}") from error
    for key, was in before.items():
        if key not in there and kind.version(key) == was:
            kind.drop(key)
    return version


async def _apply_page(
    reader: Reader[Any], kind: WatchedKind[Any], items: Sequence[Manifest], before: Mapping[Hashable, str | None]
) -> list[Hashable]:
    """Apply the objects of one page; returns their keys. ``before`` has the cached versions from before the list."""
    for item in items:
        key, version = kind.key(item), item["metadata"]["resourceVersion"]
        seen, was = kind.version(key), before.get(key)
        if seen == version:
            continue
        read = await reader.read(item)
        known = kind.version(key)
        kind.drop_if_set_back(key, version, was=was)
        # If the cache lacks an object that it had before, a watch has removed the object. If the object has been
        # created again, the same watch reports that.
        is_deleted = known is None and (was is not None or seen is not None)
        if known != version and not is_deleted:
            kind.take(read)
    return [kind.key(item) for item in items]


async def list_own_kinds_at_last(client: KubeClient, state: State) -> None:
    """List both kinds once. If a list fails, try again until both succeed."""
    while True:
        try:
            return await list_own_kinds(client, state, Lists())
        except ApiUnavailableError as error:
            log.warning("the first list failed, and is requested again: %s", error)
            await asyncio.sleep(_BLIND_SECONDS)


async def keep_own_kinds_listed(client: KubeClient, state: State, streams: Streams) -> None:
    """List both kinds repeatedly until cancelled: when a watch may have missed an event, and periodically."""
    lists, trouble = Lists(), ""
    while True:
        began = monotonic()
        streams.opened.clear()
        trouble = await _list_or_warn(client, state, lists, logged=trouble)
        seconds = monotonic() - began
        is_whole = not trouble
        if is_whole:
            streams.listed()
        if lists.were_set_back:
            streams.outdated.set()
            lists.were_set_back = False
        await asyncio.sleep(_BLIND_SECONDS)
        await _until_open(streams, _PAUSE_SHARE * seconds)
        if is_whole:
            await _until_due(streams)


async def _list_or_warn(client: KubeClient, state: State, lists: Lists, *, logged: str) -> str:
    """List both kinds; returns the error, or ''.

    The error is logged unless it equals ``logged``, the error of the previous list.
    """
    try:
        await list_own_kinds(client, state, lists)
    except ApiUnavailableError as error:
        if str(error) != logged:
            log.warning("the periodic list failed: %s", error)
        return str(error)
    return ""


async def _until_open(streams: Streams, seconds: float) -> None:
    """Pause for these seconds, or until all watches are open.

    When they are open, another list is needed at once: it shows what the watches missed before.
    """
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
