"""Lists of GangJobs and NodeBids into a cache, from pages that a test writes or from a fake API server."""

import asyncio
from contextlib import asynccontextmanager

from fake_cluster.clients import api_and_client
from fake_cluster.scripted import ScriptedServer
from lockstep.api.client.client import KubeClient
from lockstep.watch.kinds import bids_kind, gangs_kind
from lockstep.watch.own_lists import Lists, keep_own_kinds_listed, list_own_kinds
from lockstep.watch.streams import Streams


def apply_gang(state, manifest):
    """Show a gang to the cache, as a watch does."""
    gangs_kind(state).accept(manifest)


def remove_gang(state, manifest):
    """Show that a gang is gone."""
    kind = gangs_kind(state)
    kind.drop(kind.key(manifest))


def apply_bid(state, manifest):
    """Show a bid to the cache, as a watch does."""
    bids_kind(state).accept(manifest)


def remove_bid(state, manifest):
    """Show that a bid is gone."""
    kind = bids_kind(state)
    kind.drop(kind.key(manifest))


async def list_from(script, state, lists=None):
    """List both kinds once. The answers to all requests are in ``script``; returns the server that gave them."""
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        await list_own_kinds(client, state, Lists() if lists is None else lists)
    return server


@asynccontextmanager
async def listing(state, streams):
    """A fake API server whose gangs and bids are listed again and again."""
    async with api_and_client() as (api, client):
        task = asyncio.create_task(keep_own_kinds_listed(client, state, streams))
        yield api
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def open_streams():
    """Watches that are all open."""
    streams = Streams(("gangjobs",))
    streams.watch_answered("gangjobs", 200)
    return streams
