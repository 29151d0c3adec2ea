"""RayClusters that may change their size leave a node by the workers there, if they may go on with the others."""

import asyncio

import pytest

from builders.served import bid, node
from fake_cluster.api import Refusal
from fake_cluster.elastic_ray_clusters import (
    HEAD_NODE,
    MORE,
    RAY,
    RAY_SOURCES,
    WORKER_NODES,
    elastic_kuberay,
    has_workers,
    nodes_of_workers,
    ray_places,
    ray_status,
    replicas,
    running_cluster,
)
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

NODES = (HEAD_NODE, *WORKER_NODES)
BIDS = (bid("n0"), bid("n1", onReturn="Evict", gracePeriodSeconds=30), bid("n2"))


def lose(api, *names):
    """Let these nodes be lost."""
    for name in names:
        taint = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
        api.store.change(Place("nodes", "", name), spec={"taints": [taint]})


async def test_only_the_workers_on_a_lost_node_leave_and_others_come_when_there_is_room():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        before = ray_places(api)
        lose(api, "n1")
        await until(lambda: has_workers(api, 2))

        assert ray_places(api).items() <= before.items()
        assert nodes_of_workers(api) == ["n2", "n2"]
        assert (ray_status(api)["size"], ray_status(api)["firstSize"]) == (3, 5)
        api.store.add("nodes", MORE)
        await until(lambda: has_workers(api, 4), seconds=1200)


async def test_only_the_workers_leave_whose_node_has_its_owner_back():
    async with (
        api_with(*NODES, bids=BIDS) as api,
        running_operator(api, sources=RAY_SOURCES),
        running_cluster(api, workers=4),
    ):
        before = ray_places(api)
        api.store.change(Place("nodebids", "", "n1"), spec={"ownerPresent": True})
        await asyncio.sleep(29)
        assert ray_places(api) == before
        await until(lambda: has_workers(api, 2))

        assert ray_places(api).items() <= before.items()
        assert nodes_of_workers(api) == ["n2", "n2"]


async def test_workers_come_back_each_time_that_the_owner_has_been_away_for_a_while():
    async with (
        api_with(*NODES, bids=BIDS) as api,
        running_operator(api, sources=RAY_SOURCES),
        running_cluster(api, workers=4, annotations={"lockstep.dev/min-interval": "10s"}),
    ):
        head = [name for name in ray_places(api) if name.startswith("head")]
        for _ in range(2):
            api.store.change(Place("nodebids", "", "n1"), spec={"ownerPresent": True})
            await until(lambda: has_workers(api, 2))
            api.store.change(Place("nodebids", "", "n1"), spec={"ownerPresent": False})
            await until(lambda: has_workers(api, 4), seconds=1200)

        assert [name for name in ray_places(api) if name.startswith("head")] == head
        assert api.store.get(RAY)["spec"]["suspend"] is False


@pytest.mark.parametrize("lost", [("n0",), ("n0", "n1"), ("n1", "n2")], ids=["the head", "the head too", "too many"])
async def test_ray_cluster_that_can_not_go_on_with_the_others_is_placed_anew(lost):
    others = [node(f"m{number}", cpu="4") for number in range(2)]
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        running_cluster(api, workers=4, annotations={"lockstep.dev/size": "3-5"}),
    ):
        before = ray_places(api)
        lose(api, *lost)
        for one in others:
            api.store.add("nodes", one)
        await until(lambda: has_workers(api, 4) and not before.keys() & ray_places(api).keys())

        assert not {*lost} & {*ray_places(api).values()}


async def test_ray_cluster_that_refuses_the_smaller_size_is_placed_anew():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        before = ray_places(api)

        def refuse_fewer(it):
            is_of_cluster = (it.verb, it.resource) == ("PATCH", "rayclusters")
            return Refusal(code=422, message="frozen") if is_of_cluster and "next" in ray_status(api) else None

        api.fault = refuse_fewer
        api.store.add("nodes", MORE)
        lose(api, "n1")
        await until(lambda: has_workers(api, 4) and not before.keys() & ray_places(api).keys())

        assert "n1" not in ray_places(api).values()


async def test_lost_node_waits_for_a_growth_that_can_not_be_taken_back_for_minutes_only():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        began = now()

        def refuse(it):
            is_last = (it.verb, it.resource, it.name) == ("POST", "pods/binding", "worker-006")
            is_change = (it.verb, it.resource) == ("PATCH", "rayclusters") and replicas(api) == (6, "7")
            return Refusal(code=403, message="frozen") if is_last or is_change else None

        api.fault = refuse
        api.store.add("nodes", MORE)
        await until(lambda: len(ray_places(api)) == 6)
        lose(api, "n1")
        await until(lambda: any("its pods stay" in one["note"] for one in api.store.objects("events")))

        assert 300 <= now() - began < 400


async def test_next_process_goes_on_to_leave_a_lost_node():
    async with api_with(*NODES) as api:
        async with running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
            before = ray_places(api)
            api.fault = lambda it: Refusal(code=503) if (it.verb, it.resource) == ("GET", "rayclusters") else None
            lose(api, "n1")
            await until(lambda: "next" in ray_status(api))
        api.fault = lambda _: None
        async with running_operator(api, sources=RAY_SOURCES), elastic_kuberay(api):
            await until(lambda: has_workers(api, 2))

        assert ray_places(api).items() <= before.items()
        assert replicas(api) == (2, "3")
        assert api.store.get(RAY)["spec"]["suspend"] is False
