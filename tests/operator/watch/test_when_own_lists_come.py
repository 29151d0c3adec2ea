"""When GangJobs and NodeBids are listed: now and then, and soon while a watch is not open."""

import asyncio
import itertools

import pytest

from builders.served import gang
from fake_cluster.api import Refusal
from fake_cluster.clients import api_and_client
from fake_cluster.jumping import now, until
from fake_cluster.own_lists import listing, open_streams
from fake_cluster.store import Place
from lockstep.watch import own_lists
from lockstep.watch.own_lists import RELIST_SECONDS, keep_own_kinds_listed
from lockstep.watch.streams import Streams

pytestmark = pytest.mark.asyncio


async def test_lists_go_on_after_trouble(state):
    async with listing(state, open_streams()) as api:
        api.store.add("gangjobs", gang("g"))
        api.fault = lambda _: Refusal(code=403)
        await until(lambda: api.requests)
        began = now()
        api.fault = lambda _: None
        await until(lambda: state.gangs)
        api.store.remove(Place("gangjobs", "default", "g"))
        await until(lambda: not state.gangs)

    assert now() - began <= 2 * RELIST_SECONDS + 5


async def test_list_that_failed_is_tried_again_soon(state):
    async with listing(state, open_streams()) as api:
        api.store.add("gangjobs", gang("g"))
        api.fault = lambda _: Refusal(code=403)
        await until(lambda: len(api.requests) >= 3, seconds=10)
        api.fault = lambda _: None
        began = now()
        await until(lambda: state.gangs)

    assert now() - began <= 2


async def test_lists_come_often_while_a_watch_is_not_open(state):
    async with listing(state, Streams(("gangjobs",))) as api:
        await until(lambda: api.requests)
        began = now()
        api.store.add("gangjobs", gang("g"))
        await until(lambda: state.gangs)

    assert now() - began <= 1


@pytest.mark.parametrize("is_open", [False, True])
async def test_list_comes_at_once_when_a_watch_ends_or_opens(state, is_open):
    streams = open_streams()
    async with listing(state, streams) as api:
        await until(lambda: api.requests)
        await asyncio.sleep(5)
        began = now()
        api.store.add("gangjobs", gang("g"))
        streams.watch_answered("gangjobs", 0)
        if is_open:
            streams.watch_answered("gangjobs", 200)
        await until(lambda: state.gangs)

    assert now() - began <= 2


async def test_changes_at_the_moment_of_a_stop_keep_nothing_going(state):
    streams = open_streams()
    async with api_and_client() as (api, client):
        task = asyncio.create_task(keep_own_kinds_listed(client, state, streams))
        await until(lambda: api.requests)
        await asyncio.sleep(5)
        streams.watch_answered("gangjobs", 0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(1)

        assert task.cancelled()


async def test_watch_that_opens_after_a_long_list_is_followed_by_a_list_at_once(state, monkeypatch):
    monkeypatch.setattr(own_lists, "monotonic", itertools.count(step=1000).__next__)
    streams = open_streams()
    async with listing(state, streams) as api:
        await until(lambda: api.requests)
        await asyncio.sleep(5)
        streams.watch_answered("gangjobs", 0)
        streams.watch_answered("gangjobs", 200)
        api.store.add("gangjobs", gang("g"))
        began = now()
        await until(lambda: state.gangs)

    assert now() - began <= 2


async def test_lists_are_rare_while_every_watch_is_open(state):
    async with listing(state, open_streams()) as api:
        await until(lambda: api.requests)
        await asyncio.sleep(5)
        count = len(api.requests)
        await asyncio.sleep(RELIST_SECONDS - 10)

        assert len(api.requests) == count
