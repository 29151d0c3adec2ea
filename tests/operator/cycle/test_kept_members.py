"""Pods of gangs that have failed: they stay for their logs, who ran on is stopped, and in the end all may go."""

import asyncio

import pytest

from builders.served import gang, node, role
from fake_cluster.api import ANSWER_LOST, DELETE, NEVER_ARRIVED, PATCH, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    condition,
    gang_place,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

GRACE_SECONDS = 30
ROLES = [role("launcher"), role("workers", size=2)]
FORBIDDEN = Refusal(code=403, message="a policy forbids it")


def keeps(how_long):
    return {"failurePolicy": {"keepMembers": how_long}}


async def until_failed(api):
    """Let a gang run, and its first member fail; returns when it has failed."""
    await until(lambda: is_placed(api), seconds=1000)
    set_phases(api, "g", "Running")
    await until(lambda: "startedAt" in status_of(api))
    set_phase(api, "g-1-0", "Failed")
    await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))
    return now()


def phases(api):
    return {it["metadata"]["name"]: it["status"]["phase"] for it in pods_of(api, "g")}


def stops(api):
    """The pods that the operator has asked to be stopped, so often."""
    return sorted(it.name for it in api.writes if it[:2] == (PATCH, "pods"))


def deletions(api):
    return sorted(it.name for it in api.writes if it[:2] == (DELETE, "pods"))


ALL_FAILED = {f"g-1-{rank}": "Failed" for rank in range(3)}


async def test_members_that_ran_on_are_stopped_once_and_stay_as_long_as_the_gang():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        await until_failed(api)
        await until(lambda: phases(api) == ALL_FAILED)
        await asyncio.sleep(3 * 3600)

        assert phases(api) == ALL_FAILED
        assert (stops(api), deletions(api)) == (["g-1-1", "g-1-2"], [])


async def test_members_are_stopped_though_asking_for_it_has_raised(monkeypatch):
    async with operator_over(gangs=[gang("g", size=3)]) as (api, parts):
        fails_once(monkeypatch, parts.client)
        await until_failed(api)

        await until(lambda: phases(api) == ALL_FAILED)


def fails_once(monkeypatch, client):
    """Have the first patch of a pod raise an unexpected error."""
    patch, raised = client.patch, []

    async def spoiled(target, *rest):
        if target.resource == "pods" and not raised:
            raised.append(target)
            raise RuntimeError("a broken promise")
        return await patch(target, *rest)

    monkeypatch.setattr(client, "patch", spoiled)


async def test_member_that_has_ended_well_stays_as_it_is():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phase(api, "g-1-2", "Succeeded")
        await until_failed_beside_one_that_succeeded(api)
        await until(lambda: phases(api) == {**ALL_FAILED, "g-1-2": "Succeeded"})

        assert stops(api) == ["g-1-1"]


async def until_failed_beside_one_that_succeeded(api):
    for rank in (0, 1):
        set_phase(api, f"g-1-{rank}", "Running")
    await until(lambda: "startedAt" in status_of(api))
    set_phase(api, "g-1-0", "Failed")
    await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))


async def test_all_members_are_deleted_when_their_time_is_over():
    async with operator_over(gangs=[gang("g", size=3, spec=keeps("10m"))]) as (api, _):
        failed = await until_failed(api)
        await until(lambda: phases(api) == ALL_FAILED)
        await until(lambda: not pods_of(api, "g"), seconds=1000)

        assert 598 <= now() - failed <= 602
        assert deletions(api) == sorted(ALL_FAILED)


async def test_all_members_are_deleted_at_once_where_none_is_to_be_kept():
    async with operator_over(gangs=[gang("g", size=3, spec=keeps("0s"))]) as (api, _):
        await until_failed(api)
        await until(lambda: not pods_of(api, "g"))

        assert stops(api) == []


async def test_owner_may_want_them_longer_or_less_long():
    async with operator_over(gangs=[gang("g", size=3, spec=keeps("10m"))]) as (api, _):
        await until_failed(api)
        set_spec(api, keeps("3h"))
        await asyncio.sleep(2 * 3600)
        assert phases(api) == ALL_FAILED

        set_spec(api, keeps("1h"))
        await until(lambda: not pods_of(api, "g"))


def set_spec(api, fields):
    """Change a gang's spec as its owner would."""
    generation = api.store.get(gang_place("g"))["metadata"]["generation"]
    api.store.change(gang_place("g"), metadata={"generation": generation + 1}, spec=fields)


async def test_time_goes_on_while_no_operator_runs():
    async with api_with(gangs=[gang("g", size=3, spec=keeps("10m"))]) as api:
        async with running_operator(api):
            failed = await until_failed(api)
            await until(lambda: phases(api) == ALL_FAILED)
        await asyncio.sleep(300)
        async with running_operator(api):
            await until(lambda: not pods_of(api, "g"))

        assert 598 <= now() - failed <= 602


async def test_next_operator_stops_who_still_runs():
    async with api_with(gangs=[gang("g", size=3)]) as api:
        async with running_operator(api):
            api.fault = lambda it: NEVER_ARRIVED if it[:2] == (PATCH, "pods") else None
            await until_failed(api)
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: phases(api) == ALL_FAILED)

        assert deletions(api) == []


@pytest.mark.parametrize("fault", [FORBIDDEN, ANSWER_LOST, NEVER_ARRIVED], ids=["refused", "unanswered", "unheard"])
async def test_members_are_asked_to_stop_until_they_do(fault):
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        faults = iter([fault] * 3)
        api.fault = lambda it: next(faults, None) if it[:2] == (PATCH, "pods") else None
        await until_failed(api)
        await until(lambda: phases(api) == ALL_FAILED)

        assert deletions(api) == []


async def test_member_whose_stop_is_refused_keeps_no_other_from_being_stopped():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        api.fault = lambda it: FORBIDDEN if it[:2] == (PATCH, "pods") and it.name == "g-1-1" else None
        await until_failed(api)
        await until(lambda: phases(api)["g-1-2"] == "Failed", seconds=1)


async def test_member_that_does_not_stop_in_time_is_deleted_and_the_others_stay():
    async with operator_over(gangs=[gang("g", size=3)]) as (api, _):
        api.stops = False
        failed = await until_failed(api)
        await until(lambda: len(stops(api)) == 2)
        set_phase(api, "g-1-2", "Failed")
        await until(lambda: deletions(api) == ["g-1-1"])

        assert 88 <= now() - failed <= 92
        assert phases(api) == {"g-1-0": "Failed", "g-1-2": "Failed"}


async def test_room_is_taken_until_members_have_stopped_and_free_then():
    async with operator_over(node("n1", cpu="3"), gangs=[gang("g", size=3, spec=keeps("10h"))]) as (api, _):
        api.stops = False
        await until_failed(api)
        api.store.create("gangjobs", gang("next", size=3))
        await until(lambda: len(stops(api)) == 2)
        await asyncio.sleep(GRACE_SECONDS)
        assert not pods_of(api, "next")

        set_phases(api, "g", "Failed")
        await until(lambda: is_placed(api, "next"), seconds=10)
        assert phases(api) == ALL_FAILED


async def test_gang_that_is_deleted_leaves_none_though_a_finalizer_keeps_it():
    manifest = gang("g", size=3)
    manifest["metadata"]["finalizers"] = ["example.com/kept"]
    async with operator_over(gangs=[manifest]) as (api, _):
        api.stops = False
        await until_failed(api)
        await until(lambda: len(stops(api)) == 2)
        api.store.change(gang_place("g"), metadata={"deletionTimestamp": "2027-01-15T08:00:00Z"})
        await until(lambda: phases(api) == {"g-1-0": "Failed"}, seconds=10)


async def test_members_of_a_gang_that_has_succeeded_are_not_kept_running_for_their_logs():
    spec = {"successPolicy": {"role": "launcher"}}
    async with operator_over(gangs=[gang("g", roles=ROLES, spec=spec)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")
        set_phase(api, "g-1-0", "Succeeded")
        await until(lambda: phases(api) == {"g-1-0": "Succeeded"})

        assert stops(api) == []


async def test_restarted_gang_keeps_only_the_members_of_its_last_attempt():
    policy = {"failurePolicy": {"maxRestarts": 1, "backoff": "1s"}}
    async with operator_over(gangs=[gang("g", size=3, spec=policy)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")
        set_phase(api, "g-1-0", "Failed")
        await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api))
        set_phase(api, "g-2-1", "Failed")
        await until(lambda: phases(api) == {f"g-2-{rank}": "Failed" for rank in range(3)})
