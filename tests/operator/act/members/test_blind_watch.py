"""A watch of pods that has missed something: the task that waits for it asks the API server, and decides."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import REFUSED
from fake_cluster.jumping import until
from fake_cluster.rig import is_placed, operator_over, pod_place, pods_of, status_of

pytestmark = pytest.mark.asyncio


def lists_of_members(api):
    return sum(request[:2] == ("GET", "pods") and not request.name for request in api.requests)


@pytest.fixture
def blind():
    """Run an operator whose pods watch is silent from now on; gives the API server and the parts."""
    return operator_over(node("n1"), node("n2"))


async def test_gang_is_placed_though_no_watch_shows_its_members(blind):
    async with blind as (api, parts):
        api.store.silent.add("pods")
        api.store.create("gangjobs", gang("g", size=3))

        await until(lambda: is_placed(api), seconds=10)
        assert len(parts.state.pods) == 3
        assert parts.state.ledger.assumed == 0


async def test_member_that_was_made_and_deleted_in_a_gap_undoes_the_attempt(blind):
    async with blind as (api, _):
        api.store.silent.add("pods")

        def remove_one(request):
            if request == ("POST", "pods/binding", "g-1-2") and api.store.get(pod_place("g-1-1"))["spec"].get(
                "nodeName"
            ):
                api.store.remove(pod_place("g-1-1"))
                api.store.silent.clear()

        api.fault = remove_one
        api.store.create("gangjobs", gang("g", size=3))

        await until(lambda: is_placed(api), seconds=60)
        assert status_of(api)["attempt"] == 2
        assert sorted(it["metadata"]["name"] for it in pods_of(api, "g")) == ["g-2-0", "g-2-1", "g-2-2"]


async def test_attempt_is_undone_though_no_watch_shows_that_its_pods_go(blind):
    async with blind as (api, parts):
        refusals = iter([REFUSED])
        api.fault = lambda request: next(refusals, None) if request.resource == "pods/binding" else None
        api.store.silent.add("pods")
        api.store.create("gangjobs", gang("g", size=3))

        await until(lambda: is_placed(api), seconds=60)
        assert {it["metadata"]["name"] for it in pods_of(api, "g")} == {"g-2-0", "g-2-1", "g-2-2"}
        assert {key.name for key in parts.state.pods} == {"g-2-0", "g-2-1", "g-2-2"}


async def test_pod_that_a_gap_swallowed_is_forgotten_with_the_next_list(blind):
    async with blind as (api, parts):
        api.store.silent.add("pods")
        api.store.create("gangjobs", gang("g", size=3))
        await until(lambda: is_placed(api), seconds=10)

        for it in pods_of(api, "g"):
            api.store.remove(pod_place(it["metadata"]["name"]))
        # The streams end, as after a time-out; what comes then is a list.
        api.store.silent.clear()
        api.store.expire()
        await until(lambda: status_of(api).get("attempt") == 2 and is_placed(api), seconds=60)
        assert {key.name for key in parts.state.pods} == {"g-2-0", "g-2-1", "g-2-2"}


async def test_nothing_is_asked_while_the_watch_delivers(blind):
    async with blind as (api, _):
        before = lists_of_members(api)
        api.store.create("gangjobs", gang("g", size=3))
        await until(lambda: is_placed(api))
        await asyncio.sleep(300)

        assert lists_of_members(api) == before
