"""Gangs whose pods have to leave a node: the owner of the pods is suspended, and all are placed on other nodes."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import pytest

from builders.served import bid, node
from fake_cluster.jumping import now, until
from fake_cluster.owners import controlled, create_owner, group_pod, is_suspended, reference
from fake_cluster.pod_gangs import bound, changes_of_pods, create, is_placed
from fake_cluster.rig import DEFAULT, api_with, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

JOB = reference("batch/v1", "Job", "heat")
HEAT = Place("jobs", DEFAULT, "heat")
BID, N1 = Place("nodebids", "", "n1"), Place("nodes", "", "n1")
NODES = tuple(node(f"n{number}", cpu="2") for number in (1, 2, 3))
# Two pods go to n1 and n2, since n3 is slow.
BIDS = (bid("n1", onReturn="Evict", gracePeriodSeconds=30), bid("n2"), bid("n3", dutyCycle="1"))
BOTH = frozenset(Source)


def nodes_of(api):
    return sorted(it["spec"]["nodeName"] for it in bound(api))


@asynccontextmanager
async def running_job(*, sources=BOTH, is_suspendable=True, on_return="Evict"):
    """A Job of two pods on n1 and n2; yields the API server and the names of the pods that were made."""
    bids = (bid("n1", onReturn=on_return, gracePeriodSeconds=30), *BIDS[1:])
    async with api_with(*NODES, bids=bids) as api, running_operator(api, sources=sources):
        api.may_write_statuses = is_suspendable
        create_owner(api, "jobs", "heat", spec={"parallelism": 2})
        async with controlled(api, HEAT, partial(group_pod, owner=JOB, cpu="2"), 2) as made:
            await until(lambda: nodes_of(api) == ["n1", "n2"])
            await asyncio.sleep(5)
            yield api, made


def notes(api, reason):
    return [one["note"] for one in api.store.objects("events") if one["reason"] == reason]


async def test_job_leaves_the_node_whose_owner_is_back_after_the_grace():
    async with running_job() as (api, made):
        came = now()
        api.store.change(BID, spec={"ownerPresent": True})
        await asyncio.sleep(29)
        assert len(made) == 2
        await until(lambda: nodes_of(api) == ["n2", "n3"])

        assert now() - came < 40
        assert not is_suspended(api, HEAT)
        assert changes_of_pods(api) == []
        [note] = notes(api, "OwnerReturned")
        assert "he owner of node n1 has been back since" in note
        assert "Job heat was suspended until its pods were gone" in note
        assert len(notes(api, "OwnerSuspended")) == 1


async def test_next_process_finds_an_owner_who_is_back():
    async with api_with(*NODES, bids=BIDS) as api:
        create_owner(api, "jobs", "heat", spec={"parallelism": 2})
        async with controlled(api, HEAT, partial(group_pod, owner=JOB, cpu="2"), 2):
            async with running_operator(api, sources=BOTH):
                await until(lambda: nodes_of(api) == ["n1", "n2"])
                await asyncio.sleep(5)
            api.store.change(BID, spec={"ownerPresent": True})
            async with running_operator(api, sources=BOTH):
                await until(lambda: nodes_of(api) == ["n2", "n3"])


@pytest.mark.parametrize("on_return", ["Keep", "Pace"])
async def test_job_stays_where_the_owner_lets_it(on_return):
    async with running_job(on_return=on_return) as (api, made):
        api.store.change(BID, spec={"ownerPresent": True})
        await asyncio.sleep(1000)

        assert len(made) == 2
        assert nodes_of(api) == ["n1", "n2"]


async def test_owner_who_comes_and_goes_within_the_grace_suspends_nothing():
    async with running_job() as (api, made):
        for present in [True, False] * 20:
            api.store.change(BID, spec={"ownerPresent": present})
            await asyncio.sleep(20)

        assert len(made) == 2


async def test_job_leaves_a_node_that_is_lost():
    async with running_job() as (api, _):
        taint = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
        api.store.change(N1, spec={"taints": [taint]})
        await until(lambda: nodes_of(api) == ["n2", "n3"])

        assert "node n1 is out of service" in notes(api, "PodLost")[0]


async def test_pods_that_may_not_be_suspended_stay_and_an_event_says_so_once():
    async with running_job(is_suspendable=False) as (api, made):
        api.store.change(BID, spec={"ownerPresent": True})
        await until(lambda: notes(api, "OwnerReturned"))
        await asyncio.sleep(1000)

        assert len(made) == 2
        [note] = notes(api, "OwnerReturned")
        assert "its pods stay: the operator may not patch jobs" in note


async def test_pods_of_a_gang_of_a_user_stay():
    async with api_with(*NODES, bids=BIDS) as api, running_operator(api):
        create(api, "a", "b", cpu="2")
        await until(lambda: is_placed(api))
        api.store.change(BID, spec={"ownerPresent": True})
        await until(lambda: notes(api, "OwnerReturned"))

        assert "a user has written the Gang" in notes(api, "OwnerReturned")[0]
        assert nodes_of(api) == ["n1", "n2"]


async def test_owner_who_comes_and_goes_for_hours_interrupts_once_in_ten_minutes_at_most():
    bids = (bid("n1", onReturn="Evict", gracePeriodSeconds=0), bid("n2", onReturn="Evict", gracePeriodSeconds=0))
    async with api_with(*NODES[:2], bids=bids) as api, running_operator(api, sources=BOTH):
        create_owner(api, "jobs", "heat", spec={"parallelism": 2})
        async with controlled(api, HEAT, partial(group_pod, owner=JOB, cpu="2"), 2) as made:
            await until(lambda: nodes_of(api) == ["n1", "n2"])
            for minute in range(120):
                api.store.change(BID, spec={"ownerPresent": minute % 13 == 0})
                api.store.change(Place("nodebids", "", "n2"), spec={"ownerPresent": minute % 13 == 1})
                await asyncio.sleep(60)

            assert 4 <= len(notes(api, "OwnerSuspended")) <= 120 // 10
            assert len(made) == 2 * (len(notes(api, "OwnerSuspended")) + 1)


async def test_two_owners_who_are_back_at_once_interrupt_once():
    async with running_job() as (api, made):
        for name in ("n1", "n2"):
            api.store.change(
                Place("nodebids", "", name), spec={"ownerPresent": True, "onReturn": "Evict", "gracePeriodSeconds": 30}
            )
        await until(lambda: len(made) == 4)
        await asyncio.sleep(1000)

        assert len(made) == 4
        assert len(notes(api, "OwnerSuspended")) == 1


async def test_webhook_that_resumes_a_job_has_it_suspended_once_for_each_return():
    def resumed(place, changed):
        return {**changed, "spec": {**changed["spec"], "suspend": False}} if place == HEAT else changed

    async with running_job() as (api, made):
        api.admit_patch = resumed
        api.store.change(BID, spec={"ownerPresent": True})
        await until(lambda: notes(api, "OwnerReturned"))
        await asyncio.sleep(1000)

        assert len(made) == 2
        [note] = notes(api, "OwnerReturned")
        assert "its pods stay: Job heat was suspended, and another program has resumed it" in note
