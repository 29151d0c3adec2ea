"""What a gang that grows is about to take of a quota counts for others, and not for itself."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.notices import READS
from builders.served import gang, node
from fake_cluster.api import POST, Refusal
from fake_cluster.elastic import ask_for, elastic, end_grace, rigid, run, until_attempt
from fake_cluster.jumping import until
from fake_cluster.rig import condition, end, event_reasons, operator_over, pod_place, pods_of, set_phases, status_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

EIGHT = tuple(node(f"n{number}", cpu="1") for number in range(1, 9))
SMALL = Place("resourcequotas", "default", "small")


@asynccontextmanager
async def under_quota(pods):
    """Eight nodes, and an API server that admits so many pods, which are counted at once; their ends a bit later."""
    async with operator_over(*EIGHT) as (api, parts):
        metadata, hard = {"name": "small", "namespace": "default"}, {"pods": str(pods)}
        api.store.create("resourcequotas", {"metadata": metadata, "spec": {"hard": hard}})
        count(api)
        api.fault = lambda request: admitted(api) if request[:2] == (POST, "pods") else None
        task = asyncio.create_task(keep_counting(api))
        try:
            yield api, parts
        finally:
            await end([task])


def count(api, more=0):
    hard = api.store.get(SMALL)["spec"]["hard"]
    status = {"hard": hard, "used": {"pods": str(len(api.store.objects("pods")) + more)}}
    if api.store.get(SMALL).get("status") != status:
        api.store.change(SMALL, status=status)


def admitted(api):
    """Count one more pod, or refuse it."""
    if len(api.store.objects("pods")) >= int(api.store.get(SMALL)["spec"]["hard"]["pods"]):
        return Refusal(code=403, message="exceeded quota: small")
    return count(api, more=1)


async def keep_counting(api):
    while True:
        await asyncio.sleep(0.05)
        count(api)


@pytest.mark.parametrize("mode", ["Restart", "Members"])
async def test_gang_does_not_grow_into_the_quota_that_another_one_is_about_to_take(mode):
    async with under_quota(6) as (api, parts):
        for name in ("a", "b"):
            await run(api, elastic(name, least=2, most=4, asked=2, mode=mode), name)
        for name in ("a", "b"):
            ask_for(api, 4, name)
        for _ in range(40):
            await asyncio.sleep(5)
            for name in ("a", "b"):
                set_phases(api, name, "Running")

        assert sorted(status_of(api, name)["size"] for name in ("a", "b")) == [2, 4]
        assert parts.metric("lockstep_size_changes_total", direction="grow") == 1
        assert "SizeChangeDropped" not in event_reasons(api)


async def test_gang_whose_members_have_notice_grows_to_all_that_its_quota_allows():
    async with under_quota(4) as (api, _):
        await run(api, elastic(least=2, most=4, asked=2, pod_spec=READS))
        ask_for(api, 4)
        await until(lambda: "beginsAt" in status_of(api).get("next", {}))
        await until_attempt(api, 2)

        assert status_of(api)["size"] == 4
        assert "SizeChangeDropped" not in event_reasons(api)


async def test_gang_that_changes_its_size_keeps_the_quota_of_members_that_have_gone():
    async with under_quota(4) as (api, _):
        await run(api, elastic("a", least=2, most=4, asked=4), "a")
        api.store.create("gangjobs", rigid("b", size=2))
        api.lingers = True
        ask_for(api, 3, "a")
        await until(lambda: condition(api, "a", "Placed") == ("False", "Undoing"))

        for pod in pods_of(api, "a")[:2]:
            api.store.remove(pod_place(pod["metadata"]["name"]))
        await asyncio.sleep(30)
        end_grace(api, "a")
        await until_attempt(api, 2, "a")

        assert (status_of(api, "a")["size"], pods_of(api, "b")) == (3, [])


async def test_gang_waits_if_its_quota_allows_fewer_members_than_its_profile_has_run_times_for():
    profile = [{"members": 4, "time": "1h"}, {"members": 8, "time": "40m"}]
    async with under_quota(6) as (api, _):
        await run(api, elastic("a", least=2, most=4, asked=4), "a")
        api.store.create("gangjobs", gang("b", size=1, most=8, spec={"work": {"profile": profile}}))
        await asyncio.sleep(60)

        assert pods_of(api, "b") == []
