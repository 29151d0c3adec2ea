"""Gangs whose success one role decides, and rules that are limited to roles."""

import asyncio

import pytest

from builders.served import gang, node, role
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    condition,
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

ROLES = (role("launcher", load="None", cpu="1"), role("workers", size=2, cpu="1"))
BY_LAUNCHER = {"successPolicy": {"role": "launcher"}}
SUCCEEDED = ("True", "Succeeded")


async def until_running(api):
    await until(lambda: is_placed(api))
    set_phases(api, "g", "Running")
    await until(lambda: "startedAt" in status_of(api))


def phases(api):
    return {it["metadata"]["name"]: it["status"]["phase"] for it in pods_of(api, "g")}


async def test_launcher_that_has_succeeded_ends_its_workers():
    async with operator_over(gangs=[gang("g", roles=ROLES, spec=BY_LAUNCHER)]) as (api, _):
        await until_running(api)
        set_phase(api, "g-1-0", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == SUCCEEDED)
        await until(lambda: phases(api) == {"g-1-0": "Succeeded"})


async def test_worker_that_fails_as_its_launcher_leaves_costs_nothing():
    async with operator_over(gangs=[gang("g", roles=ROLES, spec=BY_LAUNCHER)]) as (api, _):
        await until_running(api)
        set_phase(api, "g-1-0", "Succeeded")
        set_phase(api, "g-1-2", "Failed")
        await until(lambda: condition(api, "g", "Complete") == SUCCEEDED)


async def test_workers_that_have_succeeded_do_not_end_the_gang():
    async with operator_over(gangs=[gang("g", roles=ROLES, spec=BY_LAUNCHER)]) as (api, _):
        await until_running(api)
        for name in ("g-1-1", "g-1-2"):
            set_phase(api, name, "Succeeded")
        await asyncio.sleep(60)

        assert condition(api, "g", "Complete") == ("False", "NotFinished")


async def test_worker_that_fails_before_its_launcher_has_succeeded_is_answered():
    async with operator_over(gangs=[gang("g", roles=ROLES, spec=BY_LAUNCHER)]) as (api, _):
        await until_running(api)
        set_phase(api, "g-1-2", "Failed")
        await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))


async def test_success_of_a_role_is_remembered_though_its_pods_are_cleaned_up():
    spec = {"successPolicy": {"role": "workers"}}
    async with api_with(node("n1"), gangs=[gang("g", roles=ROLES, spec=spec)]) as api:
        async with running_operator(api):
            await until_running(api)
            set_phase(api, "g-1-1", "Succeeded")
            await until(lambda: status_of(api).get("succeededRanks") == "1")
        api.store.remove(pod_place("g-1-1"))
        async with running_operator(api):
            set_phase(api, "g-1-2", "Succeeded")
            await until(lambda: condition(api, "g", "Complete") == SUCCEEDED)


async def test_rule_answers_failures_of_its_roles_only():
    rules = [{"action": "FailGang", "onExitCodes": {"operator": "In", "values": [3]}, "roles": ["launcher"]}]
    policy = {"failurePolicy": {"maxRestarts": 1, "backoff": "1s", "rules": rules}}
    failed = {"containerStatuses": [{"name": "main", "state": {"terminated": {"exitCode": 3}}}]}
    async with operator_over(gangs=[gang("g", roles=ROLES, spec=policy)]) as (api, _):
        await until_running(api)
        set_phase(api, "g-1-1", "Failed", **failed)
        await until(lambda: status_of(api)["attempt"] == 2)
        await until_running(api)
        set_phase(api, "g-2-0", "Failed", **failed)
        await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))

        assert status_of(api)["restarts"] == 1
