"""Ends of members that were planned: they count as no failure, no run times are learned from them, and limits hold."""

import asyncio

import pytest

from fake_cluster.api import POST, Refusal
from fake_cluster.elastic import (
    FOUR,
    ask_for,
    beside_a_blocker,
    elastic,
    end_grace,
    free_the_room,
    in_a_long_change,
    rigid,
    run,
    until_attempt,
)
from fake_cluster.joining import until_size
from fake_cluster.jumping import until
from fake_cluster.rig import (
    bound,
    condition,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    set_phase,
    set_phases,
    status_of,
)
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

FAILS_AT_ONCE = {"maxRestarts": 0}


def end_with(api, code):
    """Say of all members that their program has ended with that code, as it was asked to, or killed after its grace."""
    ended = {"name": "main", "state": {"terminated": {"exitCode": code}}}
    for pod in pods_of(api, "g"):
        set_phase(api, pod, "Succeeded" if code == 0 else "Failed", containerStatuses=[ended])


@pytest.mark.parametrize("code", [0, 1, 143, 137], ids=["as if it were done", "in vain", "at SIGTERM", "at SIGKILL"])
async def test_whatever_code_a_program_ends_with_in_a_change_is_no_failure_and_no_success(code):
    async with operator_over(*FOUR) as (api, parts):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic(failurePolicy=FAILS_AT_ONCE))
        api.lingers = True
        free_the_room(api)
        await until(lambda: "next" in status_of(api) and condition(api, "g", "Placed") == ("False", "Undoing"))
        await asyncio.sleep(5)
        end_with(api, code)
        await asyncio.sleep(5)
        end_grace(api)
        await until_attempt(api, 2)

        status = status_of(api)
        assert (status["size"], status.get("restarts", 0), status.get("succeededRanks")) == (4, 0, None)
        assert condition(api, "g", "Failed") in {None, ("False", "NotFailed")}
        assert parts.metric("lockstep_gang_failures_total", action="FailGang") in {None, 0}


@pytest.mark.parametrize("mode", ["Restart", "Members"])
async def test_no_run_time_is_learned_from_a_run_whose_size_changed(mode):
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api, mode=mode)
        learned = len(parts.state.past_runs)
        free_the_room(api)
        await (until_attempt(api, 2) if mode == "Restart" else until_size(api, 4))
        set_phases(api, "g", "Running")
        await asyncio.sleep(3600)
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert len(parts.state.past_runs) == learned + 1, "that of the blocker"


async def test_quota_that_is_full_when_the_members_have_gone_costs_the_change_and_no_work():
    async with operator_over(*FOUR) as (api, _):
        await in_a_long_change(api)

        def refuse_third(request):
            is_one_more = request[:2] == (POST, "pods") and len(pods_of(api, "g")) >= 2
            return Refusal(code=403, message="exceeded quota: small") if is_one_more else None

        api.fault = refuse_third
        api.store.create("resourcequotas", {"metadata": {"name": "small", "namespace": "default"}, "spec": {}})
        api.store.change(
            Place("resourcequotas", "default", "small"),
            spec={"hard": {"pods": "2"}},
            status={"hard": {"pods": "2"}, "used": {"pods": "0"}},
        )
        end_grace(api)
        await until(lambda: status_of(api).get("attempt", 1) > 1 and is_placed(api), seconds=3600)

        status = status_of(api)
        assert (status["size"], len(bound(pods_of(api, "g"))), status.get("restarts", 0)) == (2, 2, 0)
        assert "next" not in status
        assert float(status["workDone"]) > 0


async def test_time_that_a_gang_may_be_active_goes_on_in_a_change_and_ends_it():
    async with operator_over(*FOUR) as (api, parts):
        await run(api, elastic(activeDeadlineSeconds=7200, asked=1))
        await asyncio.sleep(3600)
        api.lingers = True
        ask_for(api, 2)
        await until(lambda: "next" in status_of(api))
        await asyncio.sleep(4000)
        end_grace(api)
        await until(lambda: condition(api, "g", "Failed") == ("True", "DeadlineExceeded"))

        assert ("next" in status_of(api), pods_of(api, "g")) == (False, [])
        await until(lambda: parts.state.ledger.assumed == 0)


async def test_gang_of_which_a_node_is_lost_goes_on_at_a_smaller_size():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic())
        assert status_of(api)["size"] == 4
        lost = pods_of(api, "g")[-1]
        api.store.remove(Place("nodes", "", lost["spec"]["nodeName"]))
        api.store.remove(pod_place(lost["metadata"]["name"]))
        await until_attempt(api, 2)

        assert (status_of(api)["size"], status_of(api).get("restarts", 0)) == (3, 0)
