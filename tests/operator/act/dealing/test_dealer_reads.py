"""What the operator makes for dealers, reads from them and keeps; what false answers and restarts change."""

import asyncio
from itertools import pairwise

import pytest

from builders.served import gang
from fake_cluster.dealt import PIECES, ScriptedDealer, bits, dealt_gang, end_member, kept, reads_of, run_members
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    is_placed,
    leave_before,
    operator_over,
    pods_of,
    running_operator,
    status_of,
)
from lockstep.facts.piece_states import bytes_of

pytestmark = pytest.mark.asyncio

SOME = bits("11200000")


def env_of(container):
    return {one["name"]: one.get("value") or one["valueFrom"] for one in container["env"]}


async def running(api):
    await until(lambda: is_placed(api))
    run_members(api, *(it["metadata"]["name"] for it in pods_of(api, "g")))
    await until(lambda: status_of(api).get("startedAt"))


async def test_members_find_the_dealer_and_only_rank_0_has_it():
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await until(lambda: is_placed(api))
        first, second = sorted(pods_of(api, "g"), key=lambda it: it["metadata"]["name"])

    data, states = kept(api)
    [dealer] = first["spec"]["initContainers"]
    assert dealer["restartPolicy"] == "Always"
    assert dealer["command"][-2:] == ["--pieces", str(PIECES)]
    assert not second["spec"].get("initContainers")
    assert [*data] == ["key-1"]
    assert len(data["key-1"]) == 32
    assert states == b""
    for container in (dealer, first["spec"]["containers"][0], second["spec"]["containers"][0]):
        found = env_of(container)
        assert found["LOCKSTEP_DEALER"] == "http://g-1-0.g:7711"
        assert found["LOCKSTEP_DEALER_KEY"] == {"configMapKeyRef": {"name": "g-pieces", "key": "key-1"}}
        assert "LOCKSTEP_PIECES" not in found


async def test_status_gives_no_member_a_number_of_pieces():
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await until(lambda: is_placed(api))
        status = status_of(api)

    planned = next(one["message"] for one in status["conditions"] if one["type"] == "Planned")
    assert planned == "2 members on n1. A dealer deals its 8 pieces while it runs."
    assert status["members"] == [{"node": "n1", "count": 2}]


async def test_other_gangs_have_no_dealer_and_no_such_object():
    spec = {"load": "Pieces", "pieces": 8, "dealing": "Beforehand"}
    async with operator_over(gangs=[gang("g", spec=spec)]) as (api, parts):
        await running(api)
        dealer = ScriptedDealer(SOME)
        await reads_of(parts).read_all(dealer)

    assert "LOCKSTEP_PIECES" in env_of(pods_of(api, "g")[0]["spec"]["containers"][0])
    assert dealer.asked == []
    assert [it["metadata"]["name"] for it in api.store.objects("configmaps")] == []


async def test_what_a_dealer_says_becomes_progress_and_is_kept():
    async with operator_over(gangs=[dealt_gang(maxFailedPieces=1)]) as (api, parts):
        await running(api)
        dealer, reads = ScriptedDealer(SOME), reads_of(parts)
        await reads.read_all(dealer)

        await until(lambda: status_of(api).get("progress") == "0.375")
        assert status_of(api)["pieces"] == {"done": 2, "failed": 1, "firstFailed": [2]}
        data, states = kept(api)
        assert states == SOME
        [(url, key, most, _)] = dealer.asked
        assert (url, key, most) == ("http://10.0.0.7:7711/states", data["key-1"], bytes_of(PIECES))

        assert dealer.ranks == "0-1", "one that still starts is waited for"

        # A dealer that lost its memory takes nothing back.
        dealer.answer = bits("00000001")
        await asyncio.sleep(60)
        await reads.read_all(dealer)
        assert kept(api)[1] == bits("11200001")


async def test_states_are_written_rarely():
    async with operator_over(gangs=[dealt_gang()]) as (api, parts):
        await running(api)
        reads = reads_of(parts)
        for done in range(1, 5):
            await reads.read_all(ScriptedDealer(bits("1" * done + "0" * (PIECES - done))))
            await asyncio.sleep(1.0)

        assert kept(api)[1] == bits("10000000")


@pytest.mark.parametrize("answer", [None, b"", b"\1", b"\1\0\0", b"\3\0"])
async def test_false_answers_change_nothing_and_are_asked_for_less_and_less(answer):
    async with operator_over(gangs=[dealt_gang()]) as (api, parts):
        await running(api)
        dealer, reads = ScriptedDealer(answer), reads_of(parts)
        for _ in range(200):
            await reads.read_all(dealer)
            await asyncio.sleep(3.0)

        times = [at for *_, at in dealer.asked]
        pauses = [later - earlier for earlier, later in pairwise(times)]
        assert pauses == sorted(pauses)
        assert 60 <= pauses[-1] <= 66
        assert "pieces" not in status_of(api)
        assert kept(api)[1] == b""


async def test_next_attempt_has_another_key_and_the_states_that_were_read_last():
    policy = {"failurePolicy": {"maxRestarts": 1}}
    async with operator_over(gangs=[dealt_gang(**policy)]) as (api, parts):
        await running(api)
        reads = reads_of(parts)
        await reads.read_all(ScriptedDealer(bits("10000000")))
        before = kept(api)[0]
        await reads.read_all(ScriptedDealer(bits("11000000")))
        end_member(api, "g-1-1", phase="Failed")
        await until(lambda: status_of(api).get("attempt") == 2 and is_placed(api))

        data, states = kept(api)
        assert [*data] == ["key-2"]
        assert {*data.values()}.isdisjoint(before.values())
        assert states == bits("11000000"), "what was read is written before a member of the next attempt exists"


async def test_attempt_that_another_process_goes_on_with_keeps_its_key():
    async with api_with(gangs=[dealt_gang()]) as api:
        await leave_before(api, ("POST", "pods"))
        before = kept(api)
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert kept(api) == before


async def test_object_of_that_name_that_is_not_the_gangs_is_left_alone():
    async with api_with(gangs=[dealt_gang()]) as api:
        own = {"metadata": {"name": "g-pieces", "namespace": "default"}, "data": {"a": "b"}}
        api.store.create("configmaps", own)
        async with running_operator(api):
            await until(
                lambda: any("g-pieces exists already" in one["message"] for one in status_of(api).get("conditions", []))
            )

        assert kept(api)[0] == {"a": "b"}
