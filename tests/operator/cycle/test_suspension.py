"""Gangs that are suspended and resumed, wherever they stand."""

import asyncio
from collections import Counter

import pytest

from builders.served import gang, node
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, PATCH
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    condition,
    event_reasons,
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
from lockstep.api.names import GANG_LABEL

pytestmark = pytest.mark.asyncio

SUSPENDED = ("True", "GangSuspended")
HOUR = {"work": {"serialTime": "1h"}}


def set_spec(api, name="g", **fields):
    """Change a gang's spec as its owner would."""
    generation = api.store.get(gang_place(name))["metadata"]["generation"]
    api.store.change(gang_place(name), metadata={"generation": generation + 1}, spec=fields)


async def until_suspended(api, name="g"):
    await until(lambda: condition(api, name, "Suspended") == SUSPENDED)
    assert not pods_of(api, name)
    assert "reservedAt" not in status_of(api, name)


async def until_running(api, name="g"):
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: "startedAt" in status_of(api, name))


async def test_gang_that_was_created_suspended_is_never_planned():
    async with operator_over(gangs=[gang("g", spec={"suspend": True})]) as (api, parts):
        await until_suspended(api)
        await asyncio.sleep(3600)

        assert condition(api, "g", "Accepted") == ("True", "SpecUnderstood")
        assert condition(api, "g", "Planned") == condition(api, "g", "Placed") == ("False", "GangSuspended")
        assert status_of(api)["attempt"] == 0
        assert parts.metric("lockstep_gangs", state="suspended") is not None
        assert not [it for it in api.requests if it.resource == "pods" and it.is_write]


async def test_gang_that_runs_is_suspended_and_resumed_with_its_age():
    async with operator_over(gangs=[gang("g")]) as (api, parts):
        await until_running(api)
        set_spec(api, suspend=True)
        await until_suspended(api)
        await asyncio.sleep(3600)
        set_spec(api, suspend=False)
        resumed = now()
        await until_running(api)

        assert now() - resumed < 10
        assert status_of(api)["attempt"] == 2
        assert condition(api, "g", "Suspended") == ("False", "GangResumed")
        # The names of events are random, and so is their order.
        found = Counter(event_reasons(api))
        assert [found[it] for it in ("GangSuspended", "GangResumed", "BindInterrupted")] == [1, 1, 0]
        assert parts.metric("lockstep_attempts_undone_total", reason="GangSuspended") == 1


async def test_member_whose_label_its_user_has_removed_is_stopped_too():
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api)
        labels = dict(api.store.get(pod_place("g-1-0"))["metadata"]["labels"])
        del labels[GANG_LABEL]
        api.store.change(pod_place("g-1-0"), metadata={"labels": labels})
        set_spec(api, suspend=True)
        await until_suspended(api)

        assert api.store.objects("pods") == []


async def test_suspended_gang_is_stopped_with_the_grace_of_its_members():
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api)
        api.lingers = True
        set_spec(api, suspend=True)
        await until(lambda: all("deletionTimestamp" in it["metadata"] for it in pods_of(api, "g")))
        await asyncio.sleep(30)

        assert condition(api, "g", "Placed") == ("False", "Undoing")
        assert condition(api, "g", "Suspended") is None
        for it in pods_of(api, "g"):
            set_phase(api, it, "Failed", containerStatuses=None)
            api.store.remove(pod_place(it["metadata"]["name"]))
        await until_suspended(api)
        assert condition(api, "g", "Complete") == ("False", "NotFinished")


async def test_user_who_suspends_a_gang_is_warned_of_nothing(caplog):
    caplog.set_level("INFO")
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api)
        api.lingers = True
        set_spec(api, suspend=True)
        await asyncio.sleep(30)
        events = {it["reason"]: it["type"] for it in api.store.objects("events")}

    assert events == {"GangPlaced": "Normal", "GangUndoing": "Normal"}
    [line] = [
        it for it in caplog.records if "attempt 1 of the gang is torn down: the gang is suspended" in it.getMessage()
    ]
    assert line.levelname == "INFO"


async def test_gang_that_is_resumed_while_it_is_undone_is_planned_again_at_once():
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api)
        api.lingers = True
        set_spec(api, suspend=True)
        await until(lambda: condition(api, "g", "Placed") == ("False", "Undoing"))
        set_spec(api, suspend=False)
        api.lingers = False
        for it in pods_of(api, "g"):
            api.store.remove(pod_place(it["metadata"]["name"]))
        await until_running(api)

        assert status_of(api)["attempt"] == 2
        assert condition(api, "g", "Suspended") is None


async def test_suspended_gang_leaves_its_room_to_others_and_waits_behind_them():
    async with operator_over(node("n1", cpu="2"), gangs=[gang("g", spec=HOUR)]) as (api, _):
        await until_running(api)
        set_spec(api, suspend=True)
        await until_suspended(api)
        api.store.create("gangjobs", gang("next", spec=HOUR))
        await until_running(api, "next")
        set_spec(api, suspend=False)
        await until(lambda: condition(api, "g", "Planned") == ("True", "StartsLater"))


async def test_suspended_gang_holds_no_nodes_in_plans_either():
    """It waited in front, without room for all of its members: one behind it has to land on what is there."""
    async with operator_over(node("n1", cpu="4"), gangs=[gang("small", size=3)]) as (api, _):
        await until_running(api, "small")
        api.store.create("gangjobs", gang("g", size=4))
        await until(lambda: condition(api, "g", "Placed") is not None)
        set_spec(api, suspend=True)
        await until_suspended(api)
        api.store.create("gangjobs", gang("next", size=1))
        await until_running(api, "next")


async def test_gang_that_has_succeeded_is_not_suspended():
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api)
        set_phases(api, "g", "Succeeded")
        set_spec(api, suspend=True)
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
        await asyncio.sleep(60)

        assert condition(api, "g", "Suspended") is None
        assert len(pods_of(api, "g")) == 2


async def test_suspension_calls_off_a_pause():
    policy = {"failurePolicy": {"maxRestarts": 1, "backoff": "10m"}}
    async with operator_over(gangs=[gang("g", spec=policy)]) as (api, _):
        await until_running(api)
        set_phases(api, "g", "Failed")
        await until(lambda: condition(api, "g", "Planned") == ("False", "ReservationReleased"))
        set_spec(api, suspend=True)
        await until_suspended(api)
        set_spec(api, suspend=False)
        resumed = now()
        await until_running(api)

        assert now() - resumed < 10
        assert status_of(api)["restarts"] == 1


async def test_gang_whose_spec_is_refused_says_so_though_it_is_suspended():
    async with operator_over(gangs=[gang("g", spec={"suspend": True}, pod_spec={"nodeName": "n1"})]) as (api, _):
        await until(lambda: condition(api, "g", "Accepted") == ("False", "UnsupportedField"))


@pytest.mark.parametrize("fault", [ANSWER_LOST, NEVER_ARRIVED], ids=["answers are lost", "nothing arrives"])
async def test_gang_is_suspended_and_resumed_though_statuses_fail_for_a_while(fault):
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api)
        for suspend, reached in ((True, until_suspended), (False, until_running)):
            faults = iter([fault] * 3)
            api.fault = lambda it, faults=faults: next(faults, None) if it[:2] == (PATCH, "gangjobs/status") else None
            set_spec(api, suspend=suspend)
            await reached(api)


@pytest.mark.parametrize("writes", range(6))
async def test_suspension_goes_on_wherever_the_operator_dies(writes):
    async with api_with(gangs=[gang("g")]) as api:
        async with running_operator(api):
            await until_running(api)
            api.requests.clear()
            api.fault = lambda request: NEVER_ARRIVED if request.is_write and len(api.writes) > writes else None
            set_spec(api, suspend=True)
            await asyncio.sleep(5)
        api.fault = lambda _: None
        async with running_operator(api):
            await until_suspended(api)
            set_spec(api, suspend=False)
            await until_running(api)


@pytest.mark.parametrize("writes", range(7))
async def test_gang_that_is_suspended_in_the_middle_of_its_start_leaves_nothing(writes):
    async with api_with() as api, running_operator(api):
        api.store.create("gangjobs", gang("g"))
        await until(lambda: len(api.writes) >= writes)
        set_spec(api, suspend=True)
        await until_suspended(api)
        await asyncio.sleep(60)

        assert not pods_of(api, "g")
        assert condition(api, "g", "Suspended") == SUSPENDED
