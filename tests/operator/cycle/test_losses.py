"""Members that kubelets reject, and nodes from which they are deleted: what is learned of that, and what lifts it."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import DRY_RUN
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    event_reasons,
    is_placed,
    messages_of,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    status_of,
)

pytestmark = pytest.mark.asyncio

SYSCTL = "Pod was rejected: forbidden sysctl: kernel.msgmax not allowlisted"


async def rejected(api, *, attempt):
    """Wait until the attempt is placed, and have its nodes' kubelets reject all members."""
    await until(lambda: status_of(api).get("attempt") == attempt and is_placed(api), seconds=400)
    nodes = bound(pods_of(api, "g"))
    for it in pods_of(api, "g"):
        set_phase(api, it["metadata"]["name"], "Failed", reason="SysctlForbidden", message=SYSCTL)
    return nodes


async def until_refused(api):
    """Have kubelets reject a gang until it is refused."""
    for attempt in range(1, 10):
        await rejected(api, attempt=attempt)
        await asyncio.sleep(70)
        if condition(api, "g", "Accepted") == ("False", "RejectedByKubelets"):
            return attempt
    raise AssertionError(messages_of(api))


async def test_gang_that_kubelets_of_three_nodes_reject_is_refused_with_their_words_until_a_node_changes():
    async with operator_over(*[node(f"n{number}") for number in range(5)], gangs=[gang("g", size=3, cpu="6")]) as (
        api,
        _,
    ):
        assert await until_refused(api) == 1
        assert "SysctlForbidden: Pod was rejected: forbidden sysctl: kernel.msgmax" in " ".join(messages_of(api))
        assert "RejectedByKubelets" in event_reasons(api)
        await asyncio.sleep(3600)
        assert status_of(api)["attempt"] == 1
        assert [request for request in api.requests if request.verb == DRY_RUN] == []

        api.store.add("nodes", node("n9"))
        await until(lambda: is_placed(api) and status_of(api)["attempt"] == 2)
        assert condition(api, "g", "Accepted")[0] == "True"
        assert "rejected" not in status_of(api)


async def test_gang_that_kubelets_reject_one_by_one_is_refused_too():
    async with operator_over(*[node(f"n{number}") for number in range(8)], gangs=[gang("g", size=1, cpu="6")]) as (
        api,
        _,
    ):
        assert await until_refused(api) <= 5
        assert len(status_of(api)["rejected"]["nodes"]) == 3


async def test_next_process_does_not_plan_a_gang_that_kubelets_reject():
    nodes = [node(f"n{number}") for number in range(5)]
    async with api_with(*nodes) as api:
        api.store.add("gangjobs", gang("g", size=3, cpu="6"))
        async with running_operator(api):
            await until_refused(api)
        async with running_operator(api):
            await asyncio.sleep(600)
            assert condition(api, "g", "Accepted") == ("False", "RejectedByKubelets")
            assert status_of(api)["attempt"] == 1
        api.store.add("nodes", node("n9"))
        async with running_operator(api):
            await until(lambda: is_placed(api) and status_of(api)["attempt"] == 2)


async def test_nodes_from_which_members_are_deleted_again_and_again_are_left_out_for_a_while():
    async with operator_over(node("n1"), node("n2"), gangs=[gang("g", size=1, cpu="6")]) as (api, _):
        for attempt in (1, 2):
            await until(lambda attempt=attempt: status_of(api).get("attempt") == attempt and is_placed(api))
            [first] = bound(pods_of(api, "g"))
            api.store.remove(pod_place(f"g-{attempt}-0"))
        await until(lambda: status_of(api)["attempt"] == 3 and is_placed(api))

        assert bound(pods_of(api, "g")) == [{"n1": "n2", "n2": "n1"}[first]]
        assert f"Lockstep keeps the gang off {first} for 5 minutes" in " ".join(messages_of(api))


async def test_losses_that_a_failure_policy_answers_are_learned_too():
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    spec = {"failurePolicy": {"maxRestarts": 3, "rules": [rule]}}
    evicted = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
    async with operator_over(node("n1"), node("n2"), gangs=[gang("g", size=1, cpu="6", spec=spec)]) as (api, _):
        for attempt in (1, 2):
            await until(
                lambda attempt=attempt: status_of(api).get("attempt") == attempt and is_placed(api), seconds=400
            )
            [first] = bound(pods_of(api, "g"))
            api.store.change(pod_place(f"g-{attempt}-0"), status={"phase": "Succeeded", "conditions": [evicted]})
        await until(lambda: status_of(api)["attempt"] == 3 and is_placed(api), seconds=400)

        assert bound(pods_of(api, "g")) == [{"n1": "n2", "n2": "n1"}[first]]
        assert status_of(api).get("restarts", 0) == 0
