"""Answers of proxies in front of the API server: 404 with a page of their own does not say that an object is gone."""

import asyncio

import pytest

from builders.served import gang
from coschedule import GangKey
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import DEFAULT, gang_place, is_placed, operator_over, pods_of, set_phases, status_of

pytestmark = pytest.mark.asyncio

KEY = GangKey(DEFAULT, "g")


def page(request):
    """A proxy's page in the place of each answer about gangs."""
    return Refusal(code=404, message="404 page not found") if request.resource.startswith("gangjobs") else None


async def test_gang_whose_status_a_proxy_does_not_find_runs_on():
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until(lambda: is_placed(api))
        api.fault = page
        set_phases(api, "g", "Running")
        there = pods_of(api, "g")
        await asyncio.sleep(10)
        assert pods_of(api, "g") == there

        api.fault = lambda _: None
        await until(lambda: "startedAt" in status_of(api))
        assert (pods_of(api, "g"), status_of(api)["attempt"]) == (there, 1)


async def test_members_stay_until_the_api_server_says_that_their_gang_is_gone():
    async with operator_over(gangs=[gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        api.fault = page
        there = pods_of(api, "g")
        parts.state.remove_gang(KEY, parts.state.gangs[KEY].uid)
        await asyncio.sleep(10)
        assert pods_of(api, "g") == there

        api.store.remove(gang_place("g"))
        api.fault = lambda _: None
        await until(lambda: not pods_of(api, "g"))
