"""Answers of proxies in front of the API server: 404 with a page of their own does not say that an object is gone."""

import asyncio

import pytest

from builders.served import gang
from coschedule import GangKey
from fake_cluster import pod_gangs
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.pages import PAGES
from fake_cluster.pod_gangs import BINDING
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


async def test_gang_of_pods_that_is_bound_in_part_keeps_its_pods_and_gets_the_rest():
    async with operator_over() as (api, _):
        of_second = ("POST", BINDING, "b")
        api.fault = lambda it: PAGES["page in HTML"] if it.verb == "GET" or it == of_second else None
        pod_gangs.create(api, "a", "b", undo="Evict")
        await until(lambda: pod_gangs.bound(api))
        # Refused bindings are tried for a minute only, but a proxy's page is no refusal.
        await asyncio.sleep(600)
        api.fault = lambda _: None
        await until(lambda: pod_gangs.is_placed(api))

        assert pod_gangs.attempts(api) == {"a": "1", "b": "1"}
        assert api.requests.count(of_second) < 10
