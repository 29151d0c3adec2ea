"""A list makes the cache's GangJobs and NodeBids equal to the API server's."""

import pytest

from builders.facts import bid_fact, gang_fact
from builders.served import bid, gang
from fake_cluster.own_lists import apply_bid, apply_gang, list_from, remove_bid, remove_gang
from fake_cluster.scripted import ScriptedServer, page, status
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.belief.nodes.failed_nodes import NodeFailure
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.watch.own_lists import list_own_kinds_at_last

pytestmark = pytest.mark.asyncio


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
