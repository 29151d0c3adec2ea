"""Members of placed gangs that no watch has shown to a new leader yet."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import pytest

from builders.served import gang
from fake_cluster.api import GET, Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    end,
    is_placed,
    pod_place,
    pods_of,
    running_operator,
    status_of,
    watching_operator,
)

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def leading_after(api, other):
    """An operator that stands by while ``other`` is awaited and leads then. No watch shows it a pod."""
    async with watching_operator(api) as parts:
        parts.state.stand_by()
        api.store.silent.add("pods")
        async with running_operator(api):
            await other()
        parts.state.lead()
        tasks = [asyncio.create_task(parts.cycle.run())]
        try:
            yield parts
        finally:
            await end(tasks)
            await parts.cycle.stop()


async def placed_gang(api):
    await until(lambda: is_placed(api))


async def test_gang_whose_members_a_new_leader_has_not_seen_yet_runs_on():
    async with api_with(gangs=[gang("g")]) as api, leading_after(api, partial(placed_gang, api)):
        placed = pods_of(api, "g")
        assert len(placed) == 2
        await asyncio.sleep(60)
        assert is_placed(api)
        assert status_of(api)["attempt"] == 1
        assert pods_of(api, "g") == placed


async def test_member_that_is_gone_ends_the_attempt_once_the_api_server_has_listed_the_others():
    async with api_with(gangs=[gang("g")]) as api:

        async def other():
            await placed_gang(api)
            api.store.remove(pod_place("g-1-1"))
            api.fault = lambda request: Refusal(code=403) if request[:2] == (GET, "pods") else None

        async with leading_after(api, other):
            await asyncio.sleep(60)
            assert status_of(api)["attempt"] == 1
            api.fault = lambda _: None
            await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api))
            assert {it["metadata"]["name"] for it in pods_of(api, "g")} == {"g-2-0", "g-2-1"}
