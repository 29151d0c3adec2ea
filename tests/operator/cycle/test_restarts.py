"""Gangs whose members fail: restarted after a pause, as often as their policy allows, wherever the operator dies."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, PATCH
from fake_cluster.giving_way import create_classes
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
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio

LONG = {"work": {"serialTime": "4h"}}
LIKELY_ERRORS = "lockstep_start_likely_error_seconds_count"
DISRUPTED = [{"type": "DisruptionTarget", "status": "True"}]


def fails(code=1, container="main", **status):
    """What a kubelet says of a pod of which a container failed."""
    ended = {"name": container, "state": {"terminated": {"exitCode": code}}}
    return {"phase": "Failed", "containerStatuses": [ended], **status}


def policy(**fields):
    return {"failurePolicy": fields}


async def until_running(api, attempt, gang_name="g"):
    """Let that attempt land and run."""
    await until(lambda: status_of(api, gang_name).get("attempt") == attempt and is_placed(api, gang_name), seconds=3600)
    set_phases(api, gang_name, "Running")
    await until(lambda: "startedAt" in status_of(api, gang_name))


async def until_over(api, reason, gang_name="g"):
    kind = "Complete" if reason == "Succeeded" else "Failed"
    await until(lambda: condition(api, gang_name, kind) == ("True", reason))


def attempts_there(api):
    return {it["metadata"]["labels"]["lockstep.dev/attempt"] for it in pods_of(api, "g")}


async def test_wait_of_a_gang_is_counted_once_however_often_it_restarts():
    """The time since its creation includes its first run, which is no wait."""
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=2))]) as (api, parts):
        await until_running(api, 1)
        await asyncio.sleep(3600)
        set_phase(api, "g-1-0", **fails())
        await until_running(api, 2)
        await until(lambda: parts.metric("lockstep_start_skew_seconds_count") == 2)

        assert parts.metric("lockstep_gang_wait_seconds_count") == 1
        assert parts.metric("lockstep_start_wait_seconds_count") == 1
        assert parts.metric("lockstep_start_delay_seconds_count") == 1


async def test_estimates_of_a_later_start_are_not_divided_by_the_time_since_the_creation():
    compared = ("lockstep_likely_wait_ratio_count", "lockstep_promised_wait_ratio_count")
    async with operator_over(gangs=[gang("g", cpu="8", spec=LONG)]) as (api, parts):
        create_classes(api)
        await until_running(api, 1)
        await asyncio.sleep(3600)
        api.store.create("gangjobs", gang("hot", cpu="8", spec={**LONG, "priorityClassName": "urgent"}))
        await until_running(api, 1, "hot")
        await until(lambda: "plan" in status_of(api))
        before, starts = [parts.metric(one) for one in compared], parts.metric(LIKELY_ERRORS)
        set_phases(api, "hot", "Succeeded")
        await until_running(api, 2)
        await until(lambda: parts.metric(LIKELY_ERRORS) > starts)

        assert [parts.metric(one) for one in compared] == before


async def test_gang_is_restarted_after_its_pause_and_keeps_its_age():
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=2, backoff="30s"))]) as (api, _):
        await until_running(api, 1)
        began = now()
        set_phase(api, "g-1-0", **fails(3))
        await until_running(api, 2)

        assert 30 <= now() - began <= 32
        assert (status_of(api)["restarts"], "restartAt" in status_of(api)) == (1, False)
        assert attempts_there(api) == {"2"}
        assert event_reasons(api).count("GangRestarting") == 1
        assert "BindInterrupted" not in event_reasons(api)


async def test_pauses_double_until_restarts_are_used_up():
    pauses = []
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=3, backoff="10s"))]) as (api, parts):
        for attempt in (1, 2, 3):
            await until_running(api, attempt)
            began = now()
            set_phase(api, f"g-{attempt}-1", **fails())
            await until(lambda attempt=attempt: status_of(api)["attempt"] == attempt + 1)
            pauses.append(round(now() - began, -1))
        await until_running(api, 4)
        set_phase(api, "g-4-0", **fails(9))
        await until_over(api, "ReachedMaxRestarts")

        assert pauses == [10, 20, 40]
        assert status_of(api)["restarts"] == 3
        assert parts.metric("lockstep_gang_failures_total", action="RestartGang") == 3
        assert parts.metric("lockstep_gang_failures_total", action="FailGang") == 1
        assert parts.metric("lockstep_gangs_ended_total", reason="ReachedMaxRestarts") == 1


async def test_all_old_pods_are_gone_before_the_new_attempt_starts():
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=1, backoff="1s"))]) as (api, _):
        await until_running(api, 1)
        api.lingers = True
        set_phase(api, "g-1-0", **fails())
        await asyncio.sleep(600)

        assert condition(api, "g", "Placed") == ("False", "Undoing")
        assert attempts_there(api) == {"1"}
        api.lingers = False
        for it in pods_of(api, "g"):
            api.store.remove(pod_place(it["metadata"]["name"]))
        await until_running(api, 2)


async def test_gang_that_rests_before_a_restart_says_when_it_goes_on():
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=1, backoff="10m"))]) as (api, _):
        await until_running(api, 1)
        set_phase(api, "g-1-0", **fails(3))
        await until(lambda: condition(api, "g", "Planned") == ("False", "ReservationReleased"))
        await asyncio.sleep(60)

        said = {it["type"]: it for it in status_of(api)["conditions"]}
        assert said["Planned"]["message"].startswith("The gang is planned again in 10 min")
        assert said["Placed"]["reason"] == "Restarting"
        assert "container main exited with 3; this is restart 1 of 1" in said["Placed"]["message"]


async def test_gang_all_of_whose_members_fail_leaves_its_nodes_to_no_gang_behind_it():
    spec = policy(maxRestarts=3, backoff="1s")
    async with operator_over(node("n1", cpu="2"), gangs=[gang("g", spec=spec)]) as (api, _):
        await until_running(api, 1)
        api.store.create("gangjobs", gang("next"))

        for attempt in (2, 3, 4):
            set_phases(api, "g", "Failed")
            await until_running(api, attempt)

        assert status_of(api, "next").get("attempt") == 0


async def test_gang_keeps_its_place_in_the_order_while_it_rests():
    hour = {"work": {"serialTime": "1h"}}
    first = gang("g", size=2, spec={**policy(maxRestarts=1, backoff="2m"), **hour})
    async with operator_over(node("n1", cpu="2"), gangs=[first]) as (api, _):
        await until_running(api, 1)
        api.store.create("gangjobs", gang("next", size=2, spec=hour))
        set_phase(api, "g-1-0", **fails())
        await until_running(api, 2)

        assert not pods_of(api, "next")


async def test_member_that_finished_before_another_failed_is_made_anew():
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=1, backoff="1s"))]) as (api, _):
        await until_running(api, 1)
        set_phase(api, "g-1-0", "Succeeded")
        await until(lambda: status_of(api).get("succeededRanks") == "0")
        set_phase(api, "g-1-1", **fails())
        await until_running(api, 2)
        set_phases(api, "g", "Succeeded")
        await until_over(api, "Succeeded")

        assert len(pods_of(api, "g")) == 2


async def test_ignored_failure_is_not_counted_and_waits_all_the_same():
    rules = [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [75]}}]
    async with operator_over(gangs=[gang("g", spec=policy(backoff="30s", rules=rules))]) as (api, parts):
        for attempt in (1, 2):
            await until_running(api, attempt)
            began = now()
            set_phase(api, f"g-{attempt}-0", **fails(75))
            await until(lambda attempt=attempt: status_of(api)["attempt"] == attempt + 1)
            assert 30 <= now() - began <= 32
        await until_running(api, 3)
        set_phase(api, "g-3-0", **fails(1))
        await until_over(api, "MemberFailed")

        assert "restarts" not in status_of(api)
        assert parts.metric("lockstep_gang_failures_total", action="Ignore") == 2


async def test_loss_by_the_cluster_never_counts():
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=1))]) as (api, _):
        for attempt in (1, 2, 3):
            await until_running(api, attempt)
            set_phase(api, f"g-{attempt}-0", **fails(137, conditions=DISRUPTED))
            await until(lambda attempt=attempt: status_of(api)["attempt"] == attempt + 1)
        await until_running(api, 4)

        assert "restarts" not in status_of(api)


async def test_loss_by_the_cluster_fails_a_gang_whose_rule_says_so():
    rules = [{"action": "FailGang", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=1, rules=rules))]) as (api, _):
        await until_running(api, 1)
        set_phase(api, "g-1-0", **fails(137, conditions=DISRUPTED))
        await until_over(api, "MemberFailed")


async def test_restart_is_counted_once_though_its_write_is_not_answered():
    async with operator_over(gangs=[gang("g", spec=policy(maxRestarts=5, backoff="1s"))]) as (api, _):
        await until_running(api, 1)
        faults = iter([ANSWER_LOST, NEVER_ARRIVED, ANSWER_LOST])
        api.fault = lambda request: next(faults, None) if request[:2] == (PATCH, "gangjobs/status") else None
        set_phase(api, "g-1-0", **fails())
        await until_running(api, 2)

        assert status_of(api)["restarts"] == 1


@pytest.mark.parametrize("writes", range(1, 6))
async def test_restart_goes_on_wherever_the_operator_dies(writes):
    async with api_with(gangs=[gang("g", spec=policy(maxRestarts=3, backoff="20s"))]) as api:
        async with running_operator(api):
            await until_running(api, 1)
            api.requests.clear()
            api.fault = lambda request: NEVER_ARRIVED if request.is_write and len(api.writes) > writes else None
            began = now()
            set_phase(api, "g-1-0", **fails())
            await until(lambda: len(api.writes) > writes)
        api.fault = lambda _: None
        async with running_operator(api):
            await until_running(api, 2)

        assert now() - began >= 19
        # Where the pods went before anybody could say so they count as lost.
        assert status_of(api)["restarts"] == 1


async def test_gang_is_planned_with_what_remains_of_its_work():
    spec = {**policy(maxRestarts=1, backoff="1s"), "work": {"serialTime": "1000s"}}
    async with operator_over(node("n1", cpu="1"), gangs=[gang("g", size=1, spec=spec)]) as (api, _):
        await until_running(api, 1)
        api.store.change(pod_place("g-1-0"), metadata={"annotations": {"lockstep.dev/progress": "0.75"}})
        await until(lambda: status_of(api).get("progress") == "0.75")
        set_phase(api, "g-1-0", **fails())
        await until_running(api, 2)

        status = status_of(api)
        assert lasts(status) == 250


@pytest.mark.parametrize("text", ["1.1", "-0.5", "half", "0.4 ", "", "0.1234567890123"])
async def test_nonsense_about_the_work_is_no_progress(text):
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api, 1)
        api.store.change(pod_place("g-1-0"), metadata={"annotations": {"lockstep.dev/progress": text}})
        await asyncio.sleep(60)

        assert "progress" not in status_of(api)


async def test_progress_that_came_last_is_kept_when_a_member_is_lost():
    async with operator_over(gangs=[gang("g", spec={"work": {"serialTime": "1000s"}})]) as (api, _):
        await until_running(api, 1)
        api.store.change(pod_place("g-1-0"), metadata={"annotations": {"lockstep.dev/progress": "0.5"}})
        api.store.change(pod_place("g-1-1"), metadata={"annotations": {"lockstep.dev/progress": "0.25"}})
        await asyncio.sleep(1)
        api.store.remove(pod_place("g-1-1"))
        await until_running(api, 2)

        # Of what members say the least counts.
        assert status_of(api)["progress"] == "0.25"


async def test_chatty_members_make_few_writes():
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until_running(api, 1)
        api.requests.clear()
        for step in range(600):
            api.store.change(pod_place("g-1-0"), metadata={"annotations": {"lockstep.dev/progress": f"0.{step:03}"}})
            await asyncio.sleep(1)

        assert 50 <= len(api.writes) <= 62


def lasts(status):
    """How many seconds the plan gives the gang."""
    return epoch_seconds(status["expectedFinish"]) - epoch_seconds(status["start"])


async def test_failed_gang_leaves_its_place_to_others():
    async with operator_over(node("n1", cpu="2"), gangs=[gang("g", spec=policy(maxRestarts=1))]) as (api, _):
        await until_running(api, 1)
        api.store.change(gang_place("g"), metadata={"generation": 2}, spec={"failurePolicy": {"maxRestarts": 0}})
        set_phase(api, "g-1-0", **fails())
        await until_over(api, "MemberFailed")
        api.store.create("gangjobs", gang("next"))

        await until(lambda: is_placed(api, "next"))
