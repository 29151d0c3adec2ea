"""The periodic list makes belief about GangJobs and NodeBids equal to the API server's."""

import asyncio

import pytest

from fake_cluster.api import FakeApi, Refusal
from fake_cluster.facts import bid_fact, gang_fact
from fake_cluster.jumping import now, until
from fake_cluster.manifests import bid, gang
from fake_cluster.scripted import ScriptedServer, page, status
from fake_cluster.store import Place
from lockstep.kube import ApiUnavailableError, KubeClient
from lockstep.state import State
from lockstep.watch.own_kinds import (
    RELIST_SECONDS,
    apply_bid,
    apply_gang,
    keep_own_kinds_listed,
    list_own_kinds,
    remove_bid,
    remove_gang,
)

pytestmark = pytest.mark.asyncio


@pytest.fixture
def wakes():
    return []


@pytest.fixture
def state(wakes):
    return State(lambda: wakes.append(1))


async def list_from(script, state):
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        await list_own_kinds(client, state)
    return server


async def test_everything_is_listed_in_pages(state):
    script = [page(gang("a"), following="to-b"), page(gang("b")), page(bid("n1"), following="x"), page(bid("n2"))]
    server = await list_from(script, state)

    assert {key.name for key in state.gangs} == {"a", "b"}
    assert set(state.bids) == {"n1", "n2"}
    assert [one.query.get("continue") for one in server.asked] == [None, "to-b", None, "x"]


async def test_ghosts_are_dropped(state):
    state.apply_gang(gang_fact("ghost"))
    state.apply_bid(bid_fact("ghost"))
    await list_from([page(gang("a")), page(bid("n1"))], state)

    assert {key.name for key in state.gangs} == {"a"}
    assert set(state.bids) == {"n1"}


async def test_gang_of_the_same_name_replaces_its_ghost(state):
    state.apply_gang(gang_fact("g", uid="ghost", version="90"))
    await list_from([page(gang("g", uid="new", version="95")), page()], state)

    assert state.gangs["default", "g"].uid == "new"


async def test_list_that_is_older_than_a_watch_is_no_news(state, wakes):
    apply_gang(state, gang("g", version="20", status={"attempt": 2}))
    apply_bid(state, bid("n1", version="20", slots=2))
    count = len(wakes)
    await list_from([page(gang("g", version="10")), page(bid("n1", version="10"))], state)

    assert state.gangs["default", "g"].status.attempt == 2
    assert state.bids["n1"].slots == 2
    assert len(wakes) == count


async def test_list_that_says_nothing_new_wakes_nobody(state, wakes):
    await list_from([page(gang("g")), page(bid("n1"))], state)
    count = len(wakes)
    await list_from([page(gang("g")), page(bid("n1"))], state)

    assert len(wakes) == count


async def test_list_that_expires_between_pages_begins_again(state):
    script = [page(gang("a"), following="x"), status(410), page(gang("b")), page()]
    await list_from(script, state)

    assert {key.name for key in state.gangs} == {"b"}


async def test_list_that_is_refused_drops_nothing(state):
    state.apply_gang(gang_fact("g"))
    with pytest.raises(ApiUnavailableError, match="gangjobs can't be listed: forbidden"):
        await list_from([status(403, "forbidden")], state)

    assert set(state.gangs) == {("default", "g")}


async def test_gang_that_comes_while_the_list_is_made_is_kept(state):
    async with (
        FakeApi(now) as api,
        KubeClient(api.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        api.fault = lambda _: apply_gang(state, gang("newcomer"))
        await list_own_kinds(client, state)

    assert set(state.gangs) == {("default", "newcomer")}


async def test_deleted_gang_and_bid_are_forgotten(state):
    apply_gang(state, gang("g"))
    apply_bid(state, bid("n1"))
    remove_gang(state, gang("g"))
    remove_bid(state, bid("n1"))

    assert (state.gangs, state.bids) == ({}, {})


async def test_deletion_of_an_earlier_gang_of_that_name_is_no_news(state):
    apply_gang(state, gang("g", uid="second"))
    remove_gang(state, gang("g", uid="first"))

    assert ("default", "g") in state.gangs


async def test_lists_go_on_after_trouble(state):
    async with FakeApi(now) as api:
        api.store.add("gangjobs", gang("g"))
        async with KubeClient(api.configuration, concurrency=1, observer=lambda *_: None) as client:
            api.fault = lambda _: Refusal(code=403)
            task = asyncio.create_task(keep_own_kinds_listed(client, state))
            await until(lambda: api.requests)
            began = now()
            api.fault = lambda _: None
            await until(lambda: state.gangs)
            api.store.remove(Place("gangjobs", "default", "g"))
            await until(lambda: not state.gangs)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    assert now() - began <= 2 * RELIST_SECONDS + 5
