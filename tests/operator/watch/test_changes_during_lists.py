"""Objects that change, come or go while a list is under way."""

import asyncio
from itertools import pairwise

import pytest

from builders.served import bid, gang
from fake_cluster.clients import api_and_client
from fake_cluster.own_lists import apply_bid, apply_gang, list_from, remove_bid, remove_gang
from fake_cluster.scripted import page
from fake_cluster.store import Place
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import gangs_kind
from lockstep.watch.own_lists import Lists, list_own_kinds
from lockstep.watch.reader import BYTES_OF_TURN

pytestmark = pytest.mark.asyncio


async def test_gang_that_comes_while_the_list_is_made_is_kept(state):
    async with api_and_client() as (api, client):
        api.fault = lambda _: apply_gang(state, gang("newcomer"))
        await list_own_kinds(client, state, Lists())

    assert set(state.gangs) == {("default", "newcomer")}


async def list_while(state, action, *, is_listed):
    """Know a bid; list, and do something while the list is under way, which has the bid or not."""
    async with api_and_client() as (api, client):
        api.store.create("nodebids", bid("n1"))
        apply_bid(state, *api.store.objects("nodebids"))
        if not is_listed:
            api.store.remove(Place("nodebids", "", "n1"))
        api.fault = lambda request: action() if request.resource == "nodebids" else None
        await list_own_kinds(client, state, Lists())


async def test_bid_that_is_made_anew_while_a_list_is_under_way_is_kept(state):
    def action():
        remove_bid(state, bid("n1"))
        apply_bid(state, bid("n1", version="900", slots=3))

    await list_while(state, action, is_listed=False)

    assert state.bids["n1"].slots == 3


async def test_bid_that_is_deleted_while_a_list_is_under_way_stays_away(state):
    await list_while(state, lambda: remove_bid(state, bid("n1")), is_listed=True)

    assert state.bids == {}


async def test_gang_that_is_changed_and_deleted_while_a_list_is_under_way_stays_away(state):
    """The watch shows the change and the deletion between the list's moment and the page with the gang."""
    apply_gang(state, gang("g", version="5"))

    async with api_and_client() as (api, client):
        api.store.create("gangjobs", gang("g"))
        [changed] = api.store.objects("gangjobs")
        assert gangs_kind(state).key(changed) == gangs_kind(state).key(gang("g"))
        assert changed["metadata"]["resourceVersion"] != "5"
        api.fault = lambda request: remove_gang(state, changed) if request.resource == "gangjobs" else None
        await list_own_kinds(client, state, Lists())

    assert state.gangs == {}


async def test_large_gang_that_is_deleted_while_a_list_reads_it_stays_away(state, monkeypatch):
    apply_gang(state, gang("g", version="5"))
    large = gang("g", version="6", annotations={"text": "x" * BYTES_OF_TURN})
    read = WatchedKind.read

    def read_when_it_is_gone(kind, manifest):
        remove_gang(state, manifest)
        return read(kind, manifest)

    monkeypatch.setattr(WatchedKind, "read", read_when_it_is_gone)
    await list_from([page(large), page()], state)

    assert state.gangs == {}


async def test_long_list_lets_others_have_their_turn(state):
    sizes = [0]

    async def others():
        while True:
            sizes.append(len(state.gangs))
            await asyncio.sleep(0)

    turns = asyncio.create_task(others())
    await list_from([page(*(gang(f"g{i}") for i in range(1000))), page()], state)
    turns.cancel()

    assert len(state.gangs) == 1000
    assert max(after - before for before, after in pairwise(sizes)) <= 200
