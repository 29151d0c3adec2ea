"""The periodic list makes belief about GangJobs and NodeBids equal to the API server's."""

import asyncio
import itertools
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from builders.facts import bid_fact, gang_fact
from builders.served import bid, gang
from fake_cluster.api import Refusal
from fake_cluster.clients import api_and_client
from fake_cluster.jumping import now, until
from fake_cluster.scripted import ScriptedServer, page, status
from fake_cluster.store import Place
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.belief.nodes.failed_nodes import NodeFailure
from lockstep.belief.state import State
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.watch import own_lists
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import bids_kind, gangs_kind
from lockstep.watch.own_lists import (
    RELIST_SECONDS,
    Lists,
    keep_own_kinds_listed,
    list_own_kinds,
    list_own_kinds_at_last,
)
from lockstep.watch.reader import BYTES_OF_TURN
from lockstep.watch.streams import Streams

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def _one_clock(monkeypatch):
    """Lists take as long as the clock says that jumps."""
    monkeypatch.setattr(own_lists, "monotonic", now)


@pytest.fixture
def wakes():
    return []


@pytest.fixture
def state(wakes):
    return State(lambda: wakes.append(1))


def apply_gang(state, manifest):
    gangs_kind(state).accept(manifest)


def remove_gang(state, manifest):
    kind = gangs_kind(state)
    kind.drop(kind.key(manifest))


def apply_bid(state, manifest):
    bids_kind(state).accept(manifest)


def remove_bid(state, manifest):
    kind = bids_kind(state)
    kind.drop(kind.key(manifest))


async def list_from(script, state, lists=None):
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        await list_own_kinds(client, state, Lists() if lists is None else lists)
    return server


async def test_everything_is_listed_in_pages(state):
    script = [page(gang("a"), following="to-b"), page(gang("b")), page(bid("n1"), following="x"), page(bid("n2"))]
    server = await list_from(script, state)

    assert {key.name for key in state.gangs} == {"a", "b"}
    assert set(state.bids) == {"n1", "n2"}
    assert [one.query.get("continue") for one in server.asked] == [None, "to-b", None, "x"]


async def test_ghosts_are_dropped(state):
    state.apply_gang(gang_fact("ghost"))
    state.bids.apply(bid_fact("ghost"))
    await list_from([page(gang("a")), page(bid("n1"))], state)

    assert {key.name for key in state.gangs} == {"a"}
    assert set(state.bids) == {"n1"}


async def test_gang_of_pods_of_others_stays_though_no_list_of_gangjobs_has_it(state):
    key = pod_gang_key("default", "job.heat")
    state.apply_gang(gang_fact(key.name, uid="heat"))
    state.failed_nodes.record_without_volumes("heat", ["n1"], 0.0)
    await list_from([page(gang("a")), page()], state)

    assert set(state.gangs) == {("default", "a"), key}
    assert state.failed_nodes.of("heat", NodeFailure.VOLUMES) == {"n1"}


async def test_gang_of_the_same_name_replaces_its_ghost(state):
    state.apply_gang(gang_fact("g", uid="ghost", version="90"))
    await list_from([page(gang("g", uid="new", version="95"), version="95"), page()], state)

    assert state.gangs["default", "g"].uid == "new"


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


async def test_list_that_says_nothing_new_wakes_no_waiter(state, wakes):
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


async def test_list_that_has_expired_before_it_began_is_no_answer(state):
    with pytest.raises(ApiUnavailableError):
        await list_from([status(410)], state)


async def test_first_list_is_asked_for_until_it_is_given(state):
    script = [status(403), page(gang("a")), page(), page(gang("a")), page()]
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        await list_own_kinds_at_last(client, state)

    assert {key.name for key in state.gangs} == {"a"}


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


async def test_deleted_gang_and_bid_are_forgotten(state):
    apply_gang(state, gang("g"))
    apply_bid(state, bid("n1"))
    remove_gang(state, gang("g"))
    remove_bid(state, bid("n1"))

    assert (state.gangs, state.bids) == ({}, {})


async def test_deletion_of_an_earlier_gang_of_that_name_is_no_change(state):
    apply_gang(state, gang("g", uid="second"))
    remove_gang(state, gang("g", uid="first"))

    assert ("default", "g") in state.gangs


@asynccontextmanager
async def listing(state, streams):
    """A fake API server whose gangs and bids are listed again and again."""
    async with api_and_client() as (api, client):
        task = asyncio.create_task(keep_own_kinds_listed(client, state, streams))
        yield api
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def open_streams():
    """Watches that are all open."""
    streams = Streams(("gangjobs",))
    streams.watch_answered("gangjobs", 200)
    return streams


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
