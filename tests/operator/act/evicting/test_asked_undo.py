"""The annotation ``lockstep.dev/undo`` of an owner: it is read when pods have to go, and outlives the Gang."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import bid, node
from builders.served import pod as served_pod
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, reference
from fake_cluster.pages import PAGES
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

UNDO = "lockstep.dev/undo"
NODES = tuple(node(f"n{number}", cpu="2") for number in (1, 2, 3))
# Two pods go to n1 and n2, since n3 is slow.
BIDS = (bid("n1", onReturn="Evict", gracePeriodSeconds=0), bid("n2"), bid("n3", dutyCycle="1"))
BUDGET = Refusal(code=429, message="Cannot evict pod as it would violate the pod's disruption budget.")
JOB, GANG = Place("jobs", DEFAULT, "heat"), Place("gangs", DEFAULT, "job.heat")
# Lockstep leaves the objects of kinds alone that it does not know, so the Job is not suspended.
FLOW = reference("argoproj.io/v1alpha1", "Workflow", "flow")
IGNORES = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}


def say(api, undo):
    api.store.change(JOB, metadata={"annotations": {UNDO: undo}})


def return_to(api):
    api.store.change(Place("nodebids", "", "n1"), spec={"ownerPresent": True})


def evicted(api):
    return sorted({it.name for it in api.requests if it.resource == "pods/eviction"})


@asynccontextmanager
async def running_job(undo=None):
    """A Job of two pods on n1 and n2, which can't be suspended, and counts no evicted pod."""
    async with api_with(*NODES, bids=BIDS) as api, running_operator(api, sources={Source.JOB}):
        create_owner(api, "jobs", "heat", owners=[FLOW], spec={"parallelism": 2, "podFailurePolicy": IGNORES})
        if undo:
            say(api, undo)
        for name in "ab":
            owners = [reference("batch/v1", "Job", "heat")]
            made = served_pod(name, cpu="2", spec={"schedulerName": "lockstep"}, ownerReferences=owners)
            api.store.create("pods", made)
        await until(lambda: len(bound(api)) == 2)
        await asyncio.sleep(5)
        yield api


async def test_pods_of_a_job_that_says_evict_are_evicted():
    async with running_job("Evict") as api:
        return_to(api)
        await until(lambda: evicted(api) == ["a", "b"])


async def test_wish_outlives_the_gang():
    async with running_job("Evict") as api:
        before = api.store.get(GANG)["metadata"]["uid"]
        api.store.remove(GANG)
        await until(lambda: api.store.get(GANG) is not None)
        assert api.store.get(GANG)["metadata"]["uid"] != before
        await asyncio.sleep(5)
        return_to(api)
        await until(lambda: evicted(api) == ["a", "b"])


async def test_wish_that_comes_while_pods_run_counts():
    async with running_job() as api:
        say(api, "Evict")
        return_to(api)
        await until(lambda: evicted(api) == ["a", "b"])


@pytest.mark.parametrize("undo", ["Keep", "evict"])
async def test_annotation_counts_before_the_field_of_the_gang(undo):
    async with running_job() as api:
        api.store.change(GANG, spec={"undo": "Evict"})
        say(api, undo)
        return_to(api)
        await asyncio.sleep(600)

        assert evicted(api) == []


async def test_field_of_the_gang_counts_if_its_owner_says_nothing():
    async with running_job() as api:
        api.store.change(GANG, spec={"undo": "Evict"})
        await asyncio.sleep(5)
        return_to(api)
        await until(lambda: evicted(api) == ["a", "b"])


async def test_owner_that_says_keep_between_two_tries_keeps_its_pods():
    async with running_job("Evict") as api:
        api.fault = lambda it: BUDGET if it.resource == "pods/eviction" else None
        return_to(api)
        await until(lambda: evicted(api))
        say(api, "Keep")
        await asyncio.sleep(5)
        api.fault = lambda _: None
        await asyncio.sleep(600)

        assert len(bound(api)) == 2


@pytest.mark.parametrize("page", PAGES)
async def test_page_of_a_proxy_does_not_say_that_the_owner_says_nothing(page):
    async with running_job() as api:
        api.store.change(GANG, spec={"undo": "Evict"})
        api.fault = lambda it: PAGES[page] if it.resource == "jobs" else None
        say(api, "Keep")
        return_to(api)
        await asyncio.sleep(600)

        assert evicted(api) == []


async def test_next_owner_of_that_name_says_nothing_for_the_pods_of_the_last_one():
    async with running_job() as api:
        api.store.change(JOB, metadata={"uid": "another", "annotations": {UNDO: "Evict"}})
        return_to(api)
        await asyncio.sleep(600)

        assert evicted(api) == []


async def test_single_pod_says_it_itself():
    async with api_with(*NODES, bids=BIDS) as api, running_operator(api, sources={Source.SINGLE}):
        line = {"schedulerName": "lockstep"}
        api.store.create("pods", served_pod("a", cpu="2", spec=line, annotations={UNDO: "Evict"}))
        await until(lambda: len(bound(api)) == 1)
        await asyncio.sleep(5)
        return_to(api)
        await until(lambda: evicted(api) == ["a"])
