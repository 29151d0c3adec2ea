"""Gangs whose size changes while a dealer deals their pieces: who joins and leaves, and what the dealer hears of it."""

import asyncio

import pytest

from builders.served import node
from fake_cluster.dealt import ScriptedDealer, bits, dealt_gang, kept, reads_of
from fake_cluster.elastic import ask_for, free_the_room, rigid, run, until_attempt
from fake_cluster.joining import ranks_of, run_all, until_size
from fake_cluster.jumping import until
from fake_cluster.rig import api_with, operator_over, pod_place, pods_of, running_operator, set_phase, status_of

pytestmark = pytest.mark.asyncio

# A member and the dealer's room fill one.
NODES = tuple(node(f"n{number}", cpu="1100m") for number in range(1, 5))
TERMS = {"restartTime": "2m", "minInterval": "10m"}


def elastic(*, least=1, most=4, mode="Members", asked=None, pieces=8, **spec):
    """A gang with a dealer, whose size may change."""
    terms = {**TERMS, "mode": mode} | ({} if asked is None else {"size": asked})
    sized = {"size": {"min": least, "max": most}, "work": {"serialTime": "400h"}, "elastic": terms}
    return dealt_gang(pieces=pieces, **sized, **spec)


async def run_dealt(api, manifest):
    """Run the gang, whose dealer gets an address, as by its kubelet."""
    await run(api, manifest)
    set_phase(api, "g-1-0", "Running", podIP="10.0.0.7")
    await asyncio.sleep(1)


async def beside_a_blocker(api, **described):
    await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
    await run_dealt(api, elastic(**described))
    assert status_of(api)["size"] == 2


async def heard(parts, states="00000000"):
    """The ranks that the dealer hears in the next round."""
    dealer = ScriptedDealer(bits(states))
    await reads_of(parts).read_all(dealer)
    return dealer.ranks


async def test_member_that_joins_finds_the_dealer_and_its_key_and_the_dealer_hears_of_it():
    async with operator_over(*NODES) as (api, parts):
        await beside_a_blocker(api)
        before = kept(api)[0]
        assert await heard(parts) == "0-1"

        free_the_room(api)
        await until(lambda: ranks_of(api) == [0, 1, 2, 3])
        assert await heard(parts) == "0-3", "it may ask as soon as it runs"
        await until_size(api, 4)

        assert kept(api)[0] == before
        assert status_of(api)["attempt"] == 1
        for pod in pods_of(api, "g"):
            [container] = pod["spec"]["containers"]
            env = {one["name"]: one.get("value") or one["valueFrom"] for one in container["env"]}
            assert env["LOCKSTEP_DEALER"] == "http://g-1-0.g:7711"
            assert env["LOCKSTEP_DEALER_KEY"]["configMapKeyRef"]["key"] == "key-1"
            has_dealer = bool(pod["spec"].get("initContainers"))
            assert has_dealer == (pod["metadata"]["name"] == "g-1-0")


async def test_gang_that_is_asked_to_have_more_members_than_pieces_starts_with_fewer():
    async with operator_over(*NODES) as (api, _):
        await run_dealt(api, elastic(asked=4, pieces=3))

        assert status_of(api)["size"] <= 3


async def test_dealer_hears_which_member_is_lost():
    async with operator_over(*NODES) as (api, parts):
        await run_dealt(api, elastic())

        api.store.remove(pod_place("g-1-1"))
        await until(lambda: status_of(api)["size"] == 3)

        assert ranks_of(api) == [0, 2, 3]
        assert await heard(parts) == "0,2-3"


async def test_dealer_hears_that_only_its_own_member_stays():
    async with operator_over(*NODES) as (api, parts):
        await run_dealt(api, elastic())
        await asyncio.sleep(700)

        ask_for(api, 1)
        await until_size(api, 1)

        assert ranks_of(api) == [0]
        assert await heard(parts) == "0"


async def test_gang_grows_by_the_pieces_that_are_left():
    async with operator_over(*NODES) as (api, parts):
        await beside_a_blocker(api)
        await reads_of(parts).read_all(ScriptedDealer(bits("11111000")))
        free_the_room(api)

        await until_size(api, 3)
        await asyncio.sleep(3600)
        run_all(api)
        assert status_of(api)["size"] == 3, "a fourth member would have no piece"


async def test_gang_of_one_piece_that_is_left_does_not_grow():
    async with operator_over(*NODES) as (api, parts):
        await beside_a_blocker(api)
        await reads_of(parts).read_all(ScriptedDealer(bits("11111101")))
        free_the_room(api)
        await asyncio.sleep(3600)

        assert (status_of(api)["size"], ranks_of(api)) == (2, [0, 1])


async def test_gang_without_work_has_no_more_members_than_pieces_that_are_left():
    async with operator_over(*NODES) as (api, parts):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        manifest = elastic()
        del manifest["spec"]["work"]
        await run_dealt(api, manifest)
        await reads_of(parts).read_all(ScriptedDealer(bits("11111000")))
        free_the_room(api)

        await until_size(api, 3)


async def test_next_attempt_of_another_size_goes_on_with_what_is_settled():
    async with operator_over(*NODES) as (api, parts):
        await beside_a_blocker(api, mode="Restart")
        await reads_of(parts).read_all(ScriptedDealer(bits("11000000")))
        await reads_of(parts).read_all(ScriptedDealer(bits("11110000")))
        free_the_room(api)
        await until_attempt(api, 2)

        data, states = kept(api)
        assert ([*data], states) == (["key-2"], bits("11110000"))
        assert (status_of(api)["size"], status_of(api).get("restarts", 0)) == (4, 0)


async def test_time_that_passes_does_not_count_as_pieces_that_are_done():
    async with operator_over(*NODES) as (api, _):
        await beside_a_blocker(api)
        await asyncio.sleep(36_000)
        free_the_room(api)
        await until_size(api, 4)

        assert "workDone" not in status_of(api)


async def test_next_process_lets_members_join_with_the_same_key():
    async with api_with(*NODES) as api:
        async with running_operator(api):
            await beside_a_blocker(api)
            before = kept(api)
        free_the_room(api)
        async with running_operator(api):
            await until_size(api, 4)

        assert kept(api) == before
