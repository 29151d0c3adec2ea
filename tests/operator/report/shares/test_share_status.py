"""What is written of the use of groups, and from where the next process goes on."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from builders.facts import node_fact, reservation
from coschedule import GangKey
from fake_cluster.clients import api_and_client
from fake_cluster.store import Place
from lockstep.api.quantities import rfc3339
from lockstep.api.shares.fair_share import parse_fair_share
from lockstep.belief.state import State
from lockstep.report.shares.share_status import ShareKeeper

THE_ONE = Place("fairshares", "", "default")
NOW = 1_000_000.0
HELD = GangKey("heat", "g")


class Clock:
    def __init__(self):
        self.time = NOW

    def __call__(self):
        return self.time


@asynccontextmanager
async def cluster():
    """An API server with a FairShare, and a clock."""
    clock = Clock()
    async with api_and_client(clock) as (api, client):
        groups = [{"name": "physics", "weight": 3, "namespaces": ["heat"]}]
        api.store.add("fairshares", {"metadata": {"name": "default"}, "spec": {"groups": groups}})
        yield api, client, clock


def process(api, client, clock):
    """A process that begins to lead: it has seen the FairShare, and a gang that holds half of the nodes since NOW."""
    state = State(lambda: None)
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name, cpu=8000))
    state.shares.apply(parse_fair_share(api.store.get(THE_ONE)))
    held = reservation(members=(("n1", 1),), request=(("cpu", 8000),), start=NOW)
    state.reservations[HELD] = replace(held, gang=HELD)
    return state, ShareKeeper(client, state.shares, clock)


def written(api):
    status = api.store.get(THE_ONE).get("status", {})
    return {one["name"]: one["usedMilliseconds"] / 1000 for one in status.get("groups", ())}


async def go_on(state, keeper, clock, seconds):
    clock.time += seconds
    state.advance_to(clock.time)
    await keeper.step()


def test_use_of_all_groups_is_written_now_and_then():
    async def scene():
        async with cluster() as (api, client, clock):
            state, keeper = process(api, client, clock)
            await keeper.step()
            await go_on(state, keeper, clock, 40)
            assert written(api) == {"physics": pytest.approx(20, abs=0.6), "others": 0.0}
            assert api.store.get(THE_ONE)["status"]["groups"][0]["message"] == "It has used 1.3 times its share lately."

            before = api.store.get(THE_ONE)["metadata"]["resourceVersion"]
            await go_on(state, keeper, clock, 2)
            assert api.store.get(THE_ONE)["metadata"]["resourceVersion"] == before
            await go_on(state, keeper, clock, 40)

            assert written(api)["physics"] == pytest.approx(41, abs=0.6)

    asyncio.run(scene())


@pytest.mark.parametrize("down", [0.0, 300.0])
def test_next_process_charges_nothing_twice_and_what_went_on_meanwhile(down):
    async def scene():
        async with cluster() as (api, client, clock):
            state, keeper = process(api, client, clock)
            await keeper.step()
            await go_on(state, keeper, clock, 60)
            clock.time += 25.0 + down  # the process dies before it writes again

            state, keeper = process(api, client, clock)
            await keeper.step()
            await go_on(state, keeper, clock, 60)

            assert written(api)["physics"] == pytest.approx((145 + down) / 2, rel=0.01)

    asyncio.run(scene())


def test_process_goes_on_from_the_status_on_the_server_and_not_from_an_older_watch():
    async def scene():
        async with cluster() as (api, client, clock):
            state, keeper = process(api, client, clock)
            stale = parse_fair_share(api.store.get(THE_ONE))
            await keeper.step()
            await go_on(state, keeper, clock, 1000)
            clock.time += 5

            successor = State(lambda: None)
            successor.shares.apply(stale)
            await ShareKeeper(client, successor.shares, clock).step()

            assert successor.shares.used(clock.time)["physics"] == pytest.approx(500, rel=0.01)

    asyncio.run(scene())


def test_charge_that_is_given_back_is_written_soon():
    async def scene():
        async with cluster() as (api, client, clock):
            state, keeper = process(api, client, clock)
            await keeper.step()
            await go_on(state, keeper, clock, 1000)
            state.shares.accounts.gave_back = True
            before = api.store.get(THE_ONE)["metadata"]["resourceVersion"]

            await go_on(state, keeper, clock, 2)

            assert api.store.get(THE_ONE)["metadata"]["resourceVersion"] != before
            assert not state.shares.accounts.gave_back

    asyncio.run(scene())


def test_write_that_is_refused_for_another_version_is_made_again_with_what_the_watch_shows(caplog):
    async def scene():
        async with cluster() as (api, client, clock):
            state, keeper = process(api, client, clock)
            await keeper.step()
            api.store.change(THE_ONE, spec={"othersWeight": 2})
            await go_on(state, keeper, clock, 40)
            assert written(api) == {}

            state.shares.apply(parse_fair_share(api.store.get(THE_ONE)))
            await go_on(state, keeper, clock, 2)

            assert written(api)["physics"] == pytest.approx(21, abs=0.6)
            assert not caplog.records, "a conflict is nothing to log"

    asyncio.run(scene())


def test_fair_share_of_another_uid_begins_anew():
    async def scene():
        async with cluster() as (api, client, clock):
            state, keeper = process(api, client, clock)
            await keeper.step()
            await go_on(state, keeper, clock, 1000)
            old = parse_fair_share(api.store.get(THE_ONE))
            api.store.remove(THE_ONE)
            api.store.add("fairshares", {"metadata": {"name": "default"}, "spec": {}})
            state.shares.remove(old.uid)
            await keeper.step()
            state.shares.apply(parse_fair_share(api.store.get(THE_ONE)))

            await go_on(state, keeper, clock, 1)
            await go_on(state, keeper, clock, 40)

            assert set(written(api)) == {"others"}
            assert rfc3339(clock.time) == api.store.get(THE_ONE)["status"]["countedAt"]

    asyncio.run(scene())


@pytest.mark.parametrize("verb", ["GET", "PATCH"], ids=["begins", "writes"])
def test_fair_share_that_is_deleted_before_the_answer_comes_stays_away(verb):
    async def scene():
        async with cluster() as (api, client, clock):
            state, keeper = process(api, client, clock)
            uid = api.store.get(THE_ONE)["metadata"]["uid"]
            api.fault = lambda request: state.shares.remove(uid) if request.verb == verb else None
            await keeper.step()
            await go_on(state, keeper, clock, 40)

            assert (state.shares.fact, state.shares.accounts) == (None, None)

    asyncio.run(scene())


def test_process_without_a_fair_share_writes_nothing():
    async def scene():
        async with cluster() as (api, client, clock):
            state = State(lambda: None)
            await ShareKeeper(client, state.shares, clock).step()

            assert not api.writes

    asyncio.run(scene())
