"""The pods of a Gang whose user has written ``undo: Evict``, and what may change while they have to go."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import bid, metadata, node
from builders.served import pod as served_pod
from fake_cluster.api import NEVER_ARRIVED, REFUSED, Refusal
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, reference
from fake_cluster.pod_gangs import BINDING, HEAT, bound, changes_of_pods, create, is_placed, status_of
from fake_cluster.rig import DEFAULT, api_with, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

EVICTION = "pods/eviction"
NODES = tuple(node(f"n{number}", cpu="2") for number in (1, 2, 3))
# Two pods go to n1 and n2, since n3 is slow.
BIDS = (bid("n1", onReturn="Evict", gracePeriodSeconds=0), bid("n2"), bid("n3", dutyCycle="1"))
BUDGET = Refusal(code=429, message="Cannot evict pod as it would violate the pod's disruption budget.")


def refuse_evictions(api):
    """A budget allows none."""
    api.fault = lambda it: BUDGET if it.resource == EVICTION else None


def evicted(api):
    return [it.name for it in api.requests if it.resource == EVICTION]


def names(api):
    return {it["metadata"]["name"] for it in api.store.objects("pods")}


def notes(api, reason="OwnerReturned"):
    return [one["note"] for one in api.store.objects("events") if one["reason"] == reason]


def return_to(api):
    api.store.change(Place("nodebids", "", "n1"), spec={"ownerPresent": True})


def set_undo(api, undo):
    generation = api.store.get(HEAT)["metadata"]["generation"]
    api.store.change(HEAT, metadata={"generation": generation + 1}, spec={"undo": undo})


@asynccontextmanager
async def running_pods():
    """Two bare pods on n1 and n2."""
    async with api_with(*NODES, bids=BIDS) as api, running_operator(api):
        create(api, "a", "b", cpu="2", undo="Evict")
        await until(lambda: is_placed(api))
        yield api


async def test_pods_that_are_bound_in_part_are_evicted():
    async with api_with() as api, running_operator(api):
        api.fault = lambda it: REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, "b") else None
        create(api, "a", "b", "c", undo="Evict")
        await until(lambda: names(api) == {"b"} and "reservedAt" not in status_of(api))

        assert sorted(evicted(api)) == ["a", "c"]
        assert changes_of_pods(api) == []


async def test_pods_that_ran_before_are_not_evicted_for_those_that_come_later():
    async with api_with() as api, running_operator(api):
        create(api, "a", "b", undo="Evict")
        await until(lambda: is_placed(api))
        api.fault = lambda it: REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, "d") else None
        for name in ("c", "d"):
            labels = {"lockstep.dev/member-of": "heat"}
            api.store.create("pods", served_pod(name, spec={"schedulerName": "lockstep"}, labels=labels))
        await asyncio.sleep(600)

        assert evicted(api) == []


async def test_gang_that_is_deleted_meanwhile_keeps_its_pods():
    async with running_pods() as api:
        refuse_evictions(api)
        return_to(api)
        await until(lambda: evicted(api))
        api.store.remove(HEAT)
        await asyncio.sleep(5)
        api.fault = lambda _: None
        await asyncio.sleep(3600)

        assert names(api) == {"a", "b"}


async def test_user_who_says_keep_meanwhile_keeps_the_pods():
    async with running_pods() as api:
        refuse_evictions(api)
        return_to(api)
        await until(lambda: evicted(api))
        set_undo(api, "Keep")
        await asyncio.sleep(5)
        api.fault = lambda _: None
        await asyncio.sleep(3600)

        assert names(api) == {"a", "b"}
        set_undo(api, "Evict")
        await until(lambda: not names(api))


async def test_next_process_evicts_the_rest():
    async with api_with(*NODES, bids=BIDS) as api:
        async with running_operator(api):
            create(api, "a", "b", cpu="2", undo="Evict")
            await until(lambda: is_placed(api))
            api.fault = lambda it: NEVER_ARRIVED if (it.resource, it.name) == (EVICTION, "b") else None
            return_to(api)
            await until(lambda: names(api) == {"b"})
        api.fault = lambda _: None
        place = Place("pods", DEFAULT, "b")
        if api.store.get(place)["spec"]["nodeName"] != "n1":
            return_to_rest(api)
        async with running_operator(api):
            await until(lambda: not names(api))


def return_to_rest(api):
    """The owner of the other node is back too: what is left has no other reason to go."""
    spec = {"ownerPresent": True, "onReturn": "Evict", "gracePeriodSeconds": 0}
    api.store.change(Place("nodebids", "", "n2"), spec=spec)


async def test_new_pod_of_the_same_name_is_not_evicted():
    async with running_pods() as api:
        refuse_evictions(api)
        return_to(api)
        await until(lambda: evicted(api))
        for name in "ab":
            api.store.remove(Place("pods", DEFAULT, name))
            labels = {"lockstep.dev/member-of": "heat"}
            new = served_pod(name, cpu="2", spec={"schedulerName": "lockstep"}, labels=labels, uid=f"new-{name}")
            api.store.create("pods", new)
        await until(lambda: sorted(it["spec"]["nodeName"] for it in bound(api)) == ["n2", "n3"])
        api.fault = lambda _: None
        await asyncio.sleep(3600)

        assert {it["metadata"]["uid"] for it in bound(api)} == {"new-a", "new-b"}


@pytest.mark.parametrize(
    ("job", "want"),
    [
        pytest.param({"spec": {}}, "Job heat would count evicted pods as failed", id="counts"),
        pytest.param({"spec": {}, "labels": {"kueue.x-k8s.io/queue-name": "q"}}, "Kueue has queued", id="Kueue's"),
        pytest.param({"spec": {"podFailurePolicy": {"rules": 7}}}, "rules is not a list", id="nonsense"),
    ],
)
async def test_pods_of_a_job_stay_and_an_event_says_why(job, want):
    async with api_with(*NODES, bids=BIDS) as api, running_operator(api, sources={Source.PODS}):
        create_owner(api, "jobs", "heat", **job)
        spec = {"size": {"min": 2}, "undo": "Evict"}
        api.store.create("gangs", {"metadata": metadata("heat", namespace=DEFAULT, generation=1), "spec": spec})
        for name in "ab":
            owners = [reference("batch/v1", "Job", "heat")]
            labels = {"lockstep.dev/member-of": "heat"}
            api.store.create(
                "pods",
                served_pod(name, cpu="2", spec={"schedulerName": "lockstep"}, labels=labels, ownerReferences=owners),
            )
        await until(lambda: is_placed(api))
        return_to(api)
        await until(lambda: notes(api))
        await asyncio.sleep(3600)

        assert evicted(api) == []
        [note] = notes(api)
        assert want in note
