"""A watch of pods that is behind: the room of a deleted gang's members is given to others only when they are gone."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import Odd, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import bound, gang_place, is_placed, operator_over, pod_place, pods_of

pytestmark = pytest.mark.asyncio

UNAVAILABLE = Refusal(code=503)
# A request without an answer is sent so often before it counts as failed.
TRIES = 6


async def deleted_unseen(api):
    """Delete a gang that fills the node as soon as it is bound; no watch shows its members."""
    api.store.silent.add("pods")
    api.store.create("gangjobs", gang("g", size=2, cpu="1"))
    await until(lambda: len(bound(pods_of(api, "g"))) == 2)
    api.store.remove(gang_place("g"))


async def most_members_bound(api, *, seconds=60):
    most = 0
    for _ in range(10 * seconds):
        await asyncio.sleep(0.1)
        most = max(most, sum("nodeName" in pod["spec"] for pod in api.store.objects("pods")))
    return most


def lists_of_members(api):
    return sum(request[:2] == ("GET", "pods") and not request.name for request in api.requests)


@pytest.fixture
def full():
    """Run an operator over a node for two members."""
    return operator_over(node("n1", cpu="2"))


@pytest.mark.parametrize("name", ["g", "next"], ids=["a gang of its name", "another gang"])
async def test_node_never_has_more_members_than_it_holds(full, name):
    async with full as (api, _):
        await deleted_unseen(api)

        api.store.create("gangjobs", gang(name, size=2, cpu="1"))
        # What the watch has missed it never shows.
        api.store.silent.clear()

        assert await most_members_bound(api) == 2
        assert is_placed(api, name)


async def test_room_of_members_that_are_gone_already_is_free_soon(full):
    async with full as (api, parts):
        await deleted_unseen(api)
        for name in ("g-1-0", "g-1-1"):
            api.store.remove(pod_place(name))
        asked = lists_of_members(api)

        api.store.create("gangjobs", gang("next", size=2, cpu="1"))

        await until(lambda: is_placed(api, "next"), seconds=10)
        assert lists_of_members(api) >= asked + 1
        assert parts.state.ledger.assumed == 0


async def test_room_is_free_soon_after_an_answer_that_is_no_list_of_pods(full):
    async with full as (api, parts):
        await deleted_unseen(api)
        for name in ("g-1-0", "g-1-1"):
            api.store.remove(pod_place(name))
        asked = []

        def first_is_odd(request):
            if request[:2] != ("GET", "pods"):
                return None
            asked.append(request)
            return Odd({"metadata": {}, "items": [{}]}) if len(asked) == 1 else None

        api.fault = first_is_odd
        api.store.create("gangjobs", gang("next", size=2, cpu="1"))

        await until(lambda: is_placed(api, "next"), seconds=60)
        assert parts.state.ledger.assumed == 0


async def test_room_counts_until_the_api_server_answers(full):
    async with full as (api, parts):
        await deleted_unseen(api)
        api.fault = lambda request: UNAVAILABLE if request[:2] == ("GET", "pods") else None

        await asyncio.sleep(60)
        assert parts.state.ledger.assumed == 2

        api.fault = lambda _: None
        await until(lambda: parts.state.ledger.assumed == 0)


async def test_first_pause_after_a_failed_check_is_the_shortest(full):
    async with full as (api, _):
        await deleted_unseen(api)
        asked_at = []

        def fault(request):
            if request[:2] != ("GET", "pods"):
                return None
            asked_at.append(now())
            return UNAVAILABLE

        api.fault = fault
        await until(lambda: len(asked_at) > TRIES)

        assert asked_at[TRIES] - asked_at[TRIES - 1] == pytest.approx(1, abs=0.2)


async def test_nothing_is_asked_about_members_that_watches_have_shown(full):
    async with full as (api, parts):
        api.store.create("gangjobs", gang("g", size=2, cpu="1"))
        await until(lambda: is_placed(api))
        asked = lists_of_members(api)

        api.store.remove(gang_place("g"))
        await asyncio.sleep(60)

        assert (lists_of_members(api), parts.state.ledger.assumed) == (asked, 0)
