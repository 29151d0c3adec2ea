"""Gangs whose time is over: while they are active, and after their end."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import ANSWER_LOST, DELETE, NEVER_ARRIVED, Refusal
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
from lockstep.api.times import epoch_seconds
from lockstep.cycle.follow import Follower

pytestmark = pytest.mark.asyncio

MINUTE = {"activeDeadlineSeconds": 60}
EXCEEDED = ("True", "DeadlineExceeded")
FORBIDDEN = Refusal(code=403, message="not now")


async def until_running(api, name="g"):
    await until(lambda: is_placed(api, name), seconds=1000)
    set_phases(api, name, "Running")
    await until(lambda: "startedAt" in status_of(api, name))


def set_spec(api, **fields):
    """Change a gang's spec as its owner would."""
    generation = api.store.get(gang_place("g"))["metadata"]["generation"]
    api.store.change(gang_place("g"), metadata={"generation": generation + 1}, spec=fields)


async def until_ended(api):
    """Let a gang run and succeed; returns when."""
    await until_running(api)
    set_phases(api, "g", "Succeeded")
    await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
    return now()


def has_stopped(api):
    """Whether the gang's members are there, and none of them runs."""
    return {it["status"]["phase"] for it in pods_of(api, "g")} == {"Failed"}


def is_gone(api):
    return api.store.get(gang_place("g")) is None


async def test_gang_that_runs_too_long_fails_and_its_members_are_stopped():
    async with operator_over(gangs=[gang("g", spec=MINUTE)]) as (api, parts):
        await until(lambda: is_placed(api))
        began = now()
        set_phases(api, "g", "Running")
        await until(lambda: condition(api, "g", "Failed") == EXCEEDED)

        assert 58 <= now() - began <= 62
        await until(lambda: has_stopped(api))
        assert event_reasons(api).count("GangFailed") == 1
        assert parts.metric("lockstep_gangs_ended_total", reason="DeadlineExceeded") == 1


async def test_waiting_is_no_activity():
    async with operator_over(node("n1", cpu="1"), gangs=[gang("g", spec=MINUTE)]) as (api, _):
        await asyncio.sleep(600)
        api.store.add("nodes", node("n2", cpu="1"))
        await until_running(api)

        assert condition(api, "g", "Complete") == ("False", "NotFinished")


async def test_activity_goes_on_over_restarts():
    policy = {"failurePolicy": {"maxRestarts": 9, "backoff": "10s"}, **MINUTE}
    async with operator_over(gangs=[gang("g", spec=policy)]) as (api, _):
        await until_running(api)
        began = now()
        set_phase(api, "g-1-0", "Failed")
        await until(lambda: status_of(api)["attempt"] == 2)
        await until_running(api)
        await until(lambda: condition(api, "g", "Failed") == EXCEEDED)

        assert 56 <= now() - began <= 62


async def test_gang_that_rests_when_its_time_is_over_is_not_started_again():
    policy = {"failurePolicy": {"maxRestarts": 9, "backoff": "10m"}, **MINUTE}
    async with operator_over(gangs=[gang("g", spec=policy)]) as (api, _):
        await until_running(api)
        set_phase(api, "g-1-0", "Failed")
        await until(lambda: condition(api, "g", "Failed") == EXCEEDED)
        await asyncio.sleep(3600)

        assert condition(api, "g", "Placed") == ("False", "DeadlineExceeded")
        assert (status_of(api)["attempt"], pods_of(api, "g")) == (1, [])


async def test_gang_whose_time_is_over_while_its_next_attempt_is_made_leaves_nothing_that_runs():
    async with operator_over(gangs=[gang("g", spec=MINUTE)]) as (api, _):
        await until_running(api)
        api.store.silent.add("pods")
        api.store.remove(pod_place("g-1-0"))
        api.store.silent.clear()
        api.store.remove(pod_place("g-1-1"))
        await until(lambda: status_of(api)["attempt"] == 2)
        api.store.silent.add("pods")
        await until(lambda: condition(api, "g", "Failed") == EXCEEDED)
        api.store.silent.clear()
        api.store.expire()
        await until(lambda: has_stopped(api))


async def test_suspension_ends_the_activity_which_begins_anew():
    async with operator_over(gangs=[gang("g", spec=MINUTE)]) as (api, _):
        await until_running(api)
        await asyncio.sleep(50)
        set_spec(api, suspend=True)
        await until(lambda: condition(api, "g", "Suspended") == ("True", "GangSuspended"))
        await asyncio.sleep(600)
        set_spec(api, suspend=False)
        await until_running(api)
        await asyncio.sleep(50)

        assert condition(api, "g", "Complete") == ("False", "NotFinished")
        await until(lambda: condition(api, "g", "Failed") == EXCEEDED)


async def test_time_goes_on_while_no_operator_runs():
    async with api_with(gangs=[gang("g", spec=MINUTE)]) as api:
        async with running_operator(api):
            await until_running(api)
            began = now()
            await asyncio.sleep(20)
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Failed") == EXCEEDED)

        assert 56 <= now() - began <= 62


async def test_gang_is_deleted_so_long_after_its_end():
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 100})]) as (api, _):
        ended = await until_ended(api)
        await until(lambda: is_gone(api))

        assert 98 <= now() - ended <= 102
        await until(lambda: not pods_of(api, "g"))
        assert [it for it in api.writes if it[:2] == (DELETE, "gangjobs")] == [(DELETE, "gangjobs", "g")]


async def test_gang_is_deleted_at_once_where_it_says_so():
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 0})]) as (api, _):
        await until_running(api)
        set_phases(api, "g", "Failed")
        await until(lambda: is_gone(api))


async def test_gang_that_has_not_ended_is_not_deleted():
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 0})]) as (api, _):
        await until_running(api)
        await asyncio.sleep(3600)

        assert not is_gone(api)


async def test_time_of_deletion_survives_the_operator():
    async with api_with(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 100})]) as api:
        async with running_operator(api):
            ended = await until_ended(api)
        async with running_operator(api):
            await until(lambda: is_gone(api))

        assert 98 <= now() - ended <= 102


@pytest.fixture
def slow_pass(monkeypatch):
    """Every pass takes five seconds before it comes to gang g: thousands of gangs may come first."""
    reconcile = Follower._reconcile_guarded

    def reconcile_late(self, key, at):
        if key.name == "g":
            asyncio.get_running_loop().hold(5)
        return reconcile(self, key, at)

    monkeypatch.setattr(Follower, "_reconcile_guarded", reconcile_late)


async def test_gang_is_deleted_though_its_time_is_over_during_a_long_pass(slow_pass):
    async with api_with(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 600})]) as api:
        async with running_operator(api):
            await until_ended(api)
        ended = epoch_seconds(status_of(api)["finishedAt"])
        await asyncio.sleep(ended + 597 - now())
        async with running_operator(api):
            await until(lambda: is_gone(api), seconds=60)


async def test_gang_ends_though_its_deadline_is_over_during_a_long_pass(slow_pass):
    async with api_with(gangs=[gang("g", spec={"activeDeadlineSeconds": 600})]) as api:
        async with running_operator(api):
            await until_running(api)
        since = epoch_seconds(status_of(api)["activeSince"])
        await asyncio.sleep(since + 597 - now())
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Failed") == EXCEEDED, seconds=60)


async def test_gang_whose_owner_wants_it_longer_stays():
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 100})]) as (api, _):
        await until_ended(api)
        await asyncio.sleep(50)
        set_spec(api, ttlSecondsAfterFinished=10_000)
        await asyncio.sleep(5000)
        assert not is_gone(api)

        await asyncio.sleep(5100)
        assert is_gone(api)


@pytest.mark.parametrize(
    "fault", [FORBIDDEN, ANSWER_LOST, NEVER_ARRIVED], ids=["it is refused", "the answer is lost", "nothing arrives"]
)
async def test_deletion_is_asked_for_until_it_happens(fault):
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 10})]) as (api, _):
        await until_ended(api)
        faults = iter([fault] * 3)
        api.fault = lambda it: next(faults, None) if it[:2] == (DELETE, "gangjobs") else None
        await until(lambda: is_gone(api))


async def test_deletion_that_raises_an_error_is_tried_again_after_pauses(monkeypatch):
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 10})]) as (api, parts):
        await until_ended(api)
        tries, delete = [], parts.client.delete

        async def spoilt(target, **more):
            if target.resource != "gangjobs":
                return await delete(target, **more)
            tries.append(now())
            raise RuntimeError(target.path)

        monkeypatch.setattr(parts.client, "delete", spoilt)
        await until(lambda: len(tries) == 6)
        assert tries[-1] - tries[0] >= 1 + 2 + 4 + 8 + 16

        monkeypatch.undo()
        await until(lambda: is_gone(api))


async def test_gang_that_has_changed_meanwhile_is_checked_before_it_is_deleted():
    """Its owner changes it at the moment when it expires: only the version that was read is deleted."""
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 10})]) as (api, _):
        await until_ended(api)
        api.store.silent.add("gangjobs")
        set_spec(api, ttlSecondsAfterFinished=10_000)
        api.store.silent.clear()
        await asyncio.sleep(600)

        assert not is_gone(api)


async def test_gang_that_a_finalizer_keeps_is_deleted_once():
    async with operator_over(gangs=[gang("g", spec={"ttlSecondsAfterFinished": 10})]) as (api, _):
        await until_ended(api)
        api.store.change(gang_place("g"), metadata={"deletionTimestamp": "2027-01-15T08:00:00Z", "finalizers": ["a/b"]})
        await asyncio.sleep(3600)

        assert [it for it in api.writes if it[:2] == (DELETE, "gangjobs")] == []
