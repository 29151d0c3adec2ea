"""The group of a LeaderWorkerSet that can't go on where it is: its leader is evicted, and all of it is made anew."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import bid, node
from fake_cluster.api import REFUSED, Refusal
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, group_labels, group_pod, reference
from fake_cluster.pod_gangs import BINDING, bound, changes_of_pods
from fake_cluster.rig import DEFAULT, api_with, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

SET = Place("leaderworkersets", DEFAULT, "heat")
GANG = Place("gangs", DEFAULT, "leaderworkerset.heat.0")
LEADER = "heat-0"
NODES = tuple(node(f"n{number}", cpu="2") for number in (1, 2, 3))
# Two pods go to n1 and n2, since n3 is slow.
BIDS = (bid("n1", onReturn="Evict", gracePeriodSeconds=0), bid("n2"), bid("n3", dutyCycle="1"))
BUDGET = Refusal(code=429, message="Cannot evict pod as it would violate the pod's disruption budget.")


def make_group(api, *numbers):
    """Create pods of the group: number 0 is the leader."""
    for number in numbers:
        name, owner = (f"{LEADER}-{number}", LEADER) if number else (LEADER, "heat")
        sets = reference("apps/v1", "StatefulSet", owner)
        api.store.create("pods", group_pod(name, labels=group_labels("heat", 0, number), cpu="2", owner=sets))


def pod(api, name):
    return api.store.get(Place("pods", DEFAULT, name))


def evicted(api):
    """The names of the pods of which an eviction was requested."""
    return [it.name for it in api.requests if it.resource == "pods/eviction"]


def notes(api, reason):
    return [one["note"] for one in api.store.objects("events") if one["reason"] == reason]


@asynccontextmanager
async def running_group(*, template=None, may_evict=True, **metadata):
    """A group of two pods on n1 and n2."""
    async with api_with(*NODES, bids=BIDS) as api, running_operator(api, sources={Source.LEADER_WORKER_SET}):
        api.may_write_statuses = may_evict
        spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 2, **(template or {})}}
        create_owner(api, SET.resource, SET.name, spec=spec, **metadata)
        make_group(api, 0, 1)
        await until(lambda: len(bound(api)) == 2)
        await asyncio.sleep(5)
        yield api


def return_to(api, name="n1"):
    api.store.change(Place("nodebids", "", name), spec={"ownerPresent": True})


async def test_group_leaves_a_node_by_the_eviction_of_its_leader():
    async with running_group() as api:
        return_to(api)
        await until(lambda: pod(api, LEADER) is None)
        # Its workers go with it, and the whole group comes again.
        api.store.remove(Place("pods", DEFAULT, "heat-0-1"))
        await until(lambda: notes(api, "OwnerReturned"))
        make_group(api, 0, 1)
        await until(lambda: sorted(it["spec"]["nodeName"] for it in bound(api)) == ["n2", "n3"])

        assert evicted(api) == [LEADER]
        assert changes_of_pods(api) == []
        [note] = notes(api, "OwnerReturned")
        assert "pod heat-0 was evicted, and its LeaderWorkerSet creates the whole group again" in note
        [note] = await until(lambda: notes(api, "PodsEvicted"))
        assert "the owner of node n1 has been back" in note


async def test_group_leaves_a_node_that_is_lost():
    async with running_group() as api:
        taint = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
        api.store.change(Place("nodes", "", "n1"), spec={"taints": [taint]})
        await until(lambda: pod(api, LEADER) is None)

        assert evicted(api) == [LEADER]


async def test_group_that_is_bound_in_part_is_made_anew():
    async with api_with() as api, running_operator(api, sources={Source.LEADER_WORKER_SET}):
        refused = (("POST", BINDING), "heat-0-1")
        api.fault = lambda it: REFUSED if ((it.verb, it.resource), it.name) == refused else None
        create_owner(api, SET.resource, SET.name, spec={"replicas": 1, "leaderWorkerTemplate": {"size": 2}})
        make_group(api, 0, 1)
        await until(lambda: pod(api, LEADER) is None)
        api.fault = lambda _: None
        api.store.remove(Place("pods", DEFAULT, "heat-0-1"))
        make_group(api, 0, 1)
        await until(lambda: len(bound(api)) == 2)

        assert evicted(api) == [LEADER]


@pytest.mark.parametrize(
    ("group", "want"),
    [
        pytest.param({"template": {"restartPolicy": "None"}}, "its restartPolicy is None", id="never made anew"),
        pytest.param({"labels": {"kueue.x-k8s.io/queue-name": "q"}}, "Kueue has queued it", id="Kueue's"),
        pytest.param({"may_evict": False}, "the operator may not evict pods", id="not allowed"),
    ],
)
async def test_group_stays_and_an_event_says_why(group, want):
    async with running_group(**group) as api:
        return_to(api)
        await until(lambda: notes(api, "OwnerReturned"))
        await asyncio.sleep(3600)

        assert evicted(api) == []
        [note] = notes(api, "OwnerReturned")
        assert want in note


async def test_group_is_evicted_once_it_is_allowed():
    async with running_group(may_evict=False) as api:
        return_to(api)
        await until(lambda: notes(api, "OwnerReturned"))
        await asyncio.sleep(3600)
        api.may_write_statuses = True
        await until(lambda: pod(api, LEADER) is None)


@pytest.mark.search("refused evictions of a group")
@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(BUDGET, id="budget"),
        pytest.param(Refusal(code=500, message="This pod has more than one PodDisruptionBudget"), id="two budgets"),
        pytest.param(Refusal(code=403, message='admission webhook "w" denied the request: stay'), id="webhook"),
    ],
)
async def test_refused_eviction_is_tried_again_ever_more_rarely(refusal):
    async with running_group() as api:
        api.fault = lambda it: refusal if it.resource == "pods/eviction" else None
        return_to(api)
        await until(lambda: notes(api, "OwnerReturned"))
        await asyncio.sleep(7200)
        tries = len(evicted(api))
        await asyncio.sleep(7200)

        # A round has at most seven tries, each of which is sent up to six times; a round begins every ten minutes.
        assert len(evicted(api)) - tries <= 7 * 6 * 12
        [note] = notes(api, "OwnerReturned")
        assert refusal.message.rstrip(".") in note


async def test_pod_that_only_resembles_the_leader_is_left_alone():
    async with running_group() as api:
        place = Place("pods", DEFAULT, LEADER)
        labels = pod(api, LEADER)["metadata"]["labels"]
        api.store.change(place, metadata={"labels": {**labels, "leaderworkerset.sigs.k8s.io/worker-index": "1"}})
        return_to(api)
        await until(lambda: notes(api, "OwnerReturned"))

        assert evicted(api) == []


async def test_leader_that_goes_already_is_not_evicted():
    async with running_group() as api:
        api.lingers = True
        api.store.change(Place("pods", DEFAULT, LEADER), metadata={"deletionTimestamp": "2027-01-15T09:00:00Z"})
        await asyncio.sleep(1)
        return_to(api, "n1")
        return_to(api, "n2")
        await asyncio.sleep(600)

        assert evicted(api) == []


async def test_owner_who_leaves_again_ends_the_tries():
    async with running_group() as api:
        api.fault = lambda it: BUDGET if it.resource == "pods/eviction" else None
        return_to(api)
        await until(lambda: evicted(api))
        api.store.change(Place("nodebids", "", "n1"), spec={"ownerPresent": False})
        await asyncio.sleep(90)
        api.fault = lambda _: None
        await asyncio.sleep(3600)

        assert pod(api, LEADER) is not None


async def test_next_process_evicts_what_this_one_could_not():
    async with api_with(*NODES, bids=BIDS) as api:
        async with running_operator(api, sources={Source.LEADER_WORKER_SET}):
            create_owner(api, SET.resource, SET.name, spec={"replicas": 1, "leaderWorkerTemplate": {"size": 2}})
            make_group(api, 0, 1)
            await until(lambda: len(bound(api)) == 2)
            await asyncio.sleep(5)
            api.fault = lambda it: BUDGET if it.resource == "pods/eviction" else None
            return_to(api)
            await until(lambda: evicted(api))
        api.fault = lambda _: None
        async with running_operator(api, sources={Source.LEADER_WORKER_SET}):
            await until(lambda: pod(api, LEADER) is None)
