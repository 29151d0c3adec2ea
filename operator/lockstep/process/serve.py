"""Runs the operator: starts and stops watches, the cycle and the pages in order."""

import asyncio
import logging
import signal
from collections.abc import Iterable
from contextlib import AsyncExitStack, suppress
from time import monotonic
from typing import Any

from lockstep.api.client.configuration import Configuration
from lockstep.process.leading import Leadership
from lockstep.process.pages.listening import start_pages
from lockstep.process.parts import Access, Parts, make_access, make_health, make_leadership, make_parts
from lockstep.process.start.collector import collect_little, collect_what_stayed, find_what_became_garbage
from lockstep.process.start.first_answer import check_api
from lockstep.process.start.freed_memory import give_back_freed_memory
from lockstep.process.start.loop_watch import watch_loop
from lockstep.process.start.rights import keep_rights_reviewed
from lockstep.process.start.side_by_side import ended_before, until_first_ends
from lockstep.process.start.small_reads import read_little_at_a_time
from lockstep.process.start.source_rights import check_source_rights
from lockstep.process.stores.settings import Settings
from lockstep.watch.handlers import watch_own_kinds
from lockstep.watch.informer import Informer
from lockstep.watch.own_lists import keep_own_kinds_listed, list_own_kinds_at_last
from lockstep.watch.streams import Streams

_WATCHES_OPEN_SECONDS = 5.0

log = logging.getLogger(__name__)


async def serve(settings: Settings, configuration: Configuration) -> None:
    """Run until SIGTERM or SIGINT.

    Raises ``StartError`` if it can't start, ``LeaseLostError`` if it no longer leads, and the error of a task that ends
    unexpectedly.
    """
    stop = _stop_on_signals()
    read_little_at_a_time()
    access = make_access(settings, configuration)
    async with access.client as client, AsyncExitStack() as stack:
        if not await ended_before(stop, _check(access, settings)):
            return
        parts = make_parts(settings, access)
        await start_pages(stack, settings, make_health(parts), client)
        leadership = await make_leadership(stack, settings, parts)
        stack.push_async_callback(leadership.end)
        await _run(parts, leadership, stop)


async def _check(access: Access, settings: Settings) -> None:
    """Check the API server and the rights before the operator begins. Raises ``StartError``."""
    optional = {"sweeps": settings.sweeps, "fair_shares": settings.fair_shares}
    await check_api(access.client, access.client.configuration, settings.sources, **optional)
    await check_source_rights(access.client, access.rights, settings.sources, **optional)


def _stop_on_signals() -> asyncio.Event:
    """An event that SIGTERM and SIGINT set."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


async def _run(parts: Parts, leadership: Leadership, stop: asyncio.Event) -> None:
    """Watch, and lead after winning the election, until ``stop`` is set or one of these tasks ends unexpectedly."""
    access, state, streams = parts.access, parts.state, parts.streams
    await until_first_ends(
        stop,
        *(informer.run() for informer in parts.informers),
        keep_own_kinds_listed(access.client, state, streams),
        watch_own_kinds(state, access.client, streams, stop),
        _lead_when_ready(leadership, streams, parts.informers),
        keep_rights_reviewed(access.client, access.rights),
        watch_loop(access.metrics.loop_held.observe, monotonic),
        collect_what_stayed(),
        find_what_became_garbage(),
        give_back_freed_memory(),
    )


async def _lead_when_ready(leadership: Leadership, streams: Streams, informers: Iterable[Informer[Any]]) -> None:
    """Wait for the first list of every kind, then take part in the election. A plan needs complete facts."""
    state = leadership.state
    await list_own_kinds_at_last(leadership.client, state)
    for informer in informers:
        await informer.synced.wait()
    await _until_watches_open(streams)
    collect_little()
    log.info("ready: %d nodes, %d pods, %d gangs", len(state.nodes), len(state.pods), len(state.gangs))
    await leadership.take_part()


async def _until_watches_open(streams: Streams) -> None:
    """Wait for the watches of our own kinds.

    Otherwise a gang might be seen before a bid that is older than the gang. The wait is short if
    watches stay closed: periodic lists replace them.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_WATCHES_OPEN_SECONDS):
            await streams.delivered.wait()
