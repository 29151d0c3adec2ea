"""Gangs that run for long leave a node in 32 to short gangs, which then start at once."""

import asyncio

import pytest

from builders.served import node
from fake_cluster.elastic import elastic, rigid, run
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, is_placed, running_operator, status_of

pytestmark = pytest.mark.asyncio

NODES = tuple(node(f"n{number:02}", cpu="1") for number in range(33))


async def test_short_gang_starts_at_once_beside_longer_ones_that_run_and_wait():
    async with api_with(*NODES) as api, running_operator(api):
        await run(api, elastic(least=32, most=33, work={"serialTime": "4000h"}))
        api.store.create("gangjobs", rigid("long", size=1, takes="2h"))
        await until(lambda: "plan" in status_of(api, "long"))
        await asyncio.sleep(60)
        assert not is_placed(api, "long")

        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        began = now()
        await until(lambda: is_placed(api, "short"))

        assert now() - began < 5
        assert not is_placed(api, "long")
        assert status_of(api)["size"] == 32


async def test_longer_gang_starts_beside_the_node_that_is_left_by_its_promise():
    async with api_with(*NODES) as api, running_operator(api):
        await run(api, elastic(least=32, most=33, work={"serialTime": "4000h"}))
        api.store.create("gangjobs", rigid("long", size=1, takes="2h"))
        await until(lambda: "plan" in status_of(api, "long"))
        await until(lambda: is_placed(api, "long"), seconds=12 * 3600)
