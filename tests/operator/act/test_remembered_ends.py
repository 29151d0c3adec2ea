"""Members that were seen to end well stay ended, whatever deletes their pods, and whenever."""

import asyncio

import pytest

from builders.served import gang
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

SIZE = 6


def clean_up(api, *ranks):
    for rank in ranks:
        api.store.remove(pod_place(f"g-1-{rank}"))


def end_well(api, *ranks):
    for rank in ranks:
        set_phase(api, f"g-1-{rank}", "Succeeded")


def status_writes(api):
    return sum(request.resource == "gangjobs/status" for request in api.writes)


async def running_gang(api):
    await until(lambda: is_placed(api))
    set_phases(api, "g", "Running")
    await until(lambda: "startedAt" in status_of(api))


def has_succeeded(api):
    return condition(api, "g", "Complete") == ("True", "Succeeded")


async def test_ends_are_written_down_in_batches():
    async with operator_over(gangs=[gang("g", size=SIZE)]) as (api, _):
        await running_gang(api)
        api.requests.clear()
        for rank in range(SIZE - 1):
            end_well(api, rank)
            await asyncio.sleep(1)
        await until(lambda: status_of(api).get("succeededRanks") == "0-4")
        await asyncio.sleep(60)

        assert status_writes(api) == 2


async def test_gang_that_ends_at_once_costs_no_write_more():
    async with operator_over(gangs=[gang("g", size=SIZE)]) as (api, _):
        await running_gang(api)
        api.requests.clear()
        for rank in range(SIZE):
            end_well(api, rank)
            await asyncio.sleep(0.2)
        await until(lambda: has_succeeded(api))
        await asyncio.sleep(60)

        assert status_writes(api) == 1


async def test_members_that_were_cleaned_up_while_the_operator_was_away_have_ended():
    async with api_with(gangs=[gang("g", size=SIZE)]) as api:
        async with running_operator(api):
            await running_gang(api)
            end_well(api, 0, 2, 3)
            await until(lambda: status_of(api).get("succeededRanks") == "0,2-3")
        clean_up(api, 0, 2)
        end_well(api, 1)
        async with running_operator(api) as parts:
            await asyncio.sleep(30)
            assert len(pods_of(api, "g")) == SIZE - 2
            assert status_of(api)["attempt"] == 1
            # Who has ended holds no room, whether the pod is there or not.
            assert parts.state.ledger.assumed == 0
            end_well(api, 4, 5)
            await until(lambda: has_succeeded(api))
        assert status_of(api)["attempt"] == 1


async def test_gang_whose_members_have_all_ended_is_complete_whatever_pods_are_there():
    async with api_with(gangs=[gang("g", size=SIZE)]) as api:
        async with running_operator(api):
            await running_gang(api)
        status = {**status_of(api), "succeededRanks": f"0-{SIZE - 1}"}
        api.store.change(gang_place("g"), status=status)
        clean_up(api, *range(SIZE))
        async with running_operator(api):
            await until(lambda: has_succeeded(api))
        assert pods_of(api, "g") == []


async def test_one_finished_member_that_is_cleaned_up_ends_no_other():
    async with operator_over(gangs=[gang("g", size=SIZE)]) as (api, _):
        await running_gang(api)
        end_well(api, 0)
        await asyncio.sleep(0.1)
        clean_up(api, 0)
        await asyncio.sleep(60)

        assert (status_of(api)["attempt"], len(pods_of(api, "g"))) == (1, SIZE - 1)
        assert status_of(api)["succeededRanks"] == "0"


async def test_finished_member_is_not_made_again_in_the_same_attempt():
    async with api_with(gangs=[gang("g", size=SIZE)]) as api:
        async with running_operator(api):
            await running_gang(api)
        # As if its own process had ended before it could report that all are bound.
        status = status_of(api)
        status["conditions"] = [it for it in status["conditions"] if it["type"] != "Placed"]
        api.store.change(gang_place("g"), status={**status, "succeededRanks": "0"})
        clean_up(api, 0)
        async with running_operator(api):
            await until(lambda: is_placed(api))
            await asyncio.sleep(30)
        assert sorted(it["metadata"]["name"] for it in pods_of(api, "g")) == [f"g-1-{rank}" for rank in range(1, SIZE)]


async def test_new_attempt_begins_all_of_the_work_anew():
    async with operator_over(gangs=[gang("g", size=SIZE)]) as (api, _):
        await running_gang(api)
        end_well(api, 0, 1)
        await until(lambda: status_of(api).get("succeededRanks") == "0-1")
        api.store.remove(pod_place("g-1-5"))
        await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api))

        assert "succeededRanks" not in status_of(api)
        assert len(bound(pods_of(api, "g"))) == SIZE


async def test_members_of_an_attempt_that_etcd_has_forgotten_are_no_members_of_the_next():
    async with api_with(gangs=[gang("g", size=SIZE)]) as api:
        async with running_operator(api):
            await running_gang(api)
        end_well(api, 0, 1)
        api.store.replace(gang_place("g"), {**api.store.get(gang_place("g")), "status": {}})
        async with running_operator(api):
            await until(lambda: status_of(api).get("attempt") == 2)
            await until(lambda: is_placed(api))
            assert {it["metadata"]["labels"]["lockstep.dev/attempt"] for it in pods_of(api, "g")} == {"2"}
            assert len(pods_of(api, "g")) == SIZE
