"""Lists that are older than what the cache knows: of a server that is behind, or was set back."""

import asyncio

import pytest

from builders.served import bid, gang
from fake_cluster.jumping import until
from fake_cluster.own_lists import apply_bid, apply_gang, list_from, listing, open_streams
from fake_cluster.scripted import page
from lockstep.watch.own_lists import RELIST_SECONDS, Lists

pytestmark = pytest.mark.asyncio


async def test_list_that_is_older_than_a_watch_is_asked_for_again(state, wakes):
    apply_gang(state, gang("g", version="20", status={"attempt": 2}))
    apply_bid(state, bid("n1", version="20", slots=2))
    count = len(wakes)
    past = [page(gang("g", version="10")), page(bid("n1", version="10"))]
    now = [page(gang("g", version="20"), version="20"), page(bid("n1", version="20"), version="20")]
    await list_from([past[0], now[0], past[1], now[1]], state)

    assert state.gangs["default", "g"].status.attempt == 2
    assert state.bids["n1"].slots == 2
    assert len(wakes) == count


@pytest.mark.parametrize("version", [pytest.param("10", id="long ago"), pytest.param("30", id="and busy since")])
async def test_server_that_was_set_back_is_accepted(state, version):
    apply_gang(state, gang("g", version="20", status={"attempt": 2}))
    apply_gang(state, gang("ghost", version="15"))
    apply_bid(state, bid("n1", version="20", slots=2))
    gangs, bids = ([page(it, version=version)] * 3 for it in (gang("g", version="10"), bid("n1", version="10")))
    await list_from([*gangs, *bids] if version == "10" else [gangs[0], bids[0]], state)

    assert {key.name: fact.status.attempt for key, fact in state.gangs.items()} == {"g": 0}
    assert state.bids["n1"].slots is None


async def test_list_of_an_api_server_that_was_set_back_is_accepted_and_logged(state):
    lists = Lists()
    await list_from([page(gang("g"), version="30"), page(version="30")], state, lists)
    assert not lists.were_set_back

    # Nothing that is known is as new as the last list was.
    older = [page(gang("other"), version="20")] * 3
    await list_from([*older, page(version="30")], state, lists)

    assert {key.name for key in state.gangs} == {"other"}
    assert lists.were_set_back


async def test_watches_are_notified_when_the_api_server_was_set_back(state):
    streams = open_streams()
    async with listing(state, streams) as api:
        api.store.add("gangjobs", gang("g"))
        await until(lambda: state.gangs)
        await asyncio.sleep(RELIST_SECONDS)
        assert not streams.outdated.is_set()

        api.store.version -= 100
        streams.watch_answered("gangjobs", 0)
        streams.watch_answered("gangjobs", 200)
        await until(streams.outdated.is_set, seconds=10)
