"""RayClusters to which something happens while they change their size: no worker leaves that was not named."""

import asyncio

import pytest

from builders.served import gang
from fake_cluster.api import Refusal
from fake_cluster.elastic_ray_clusters import (
    HEAD_NODE,
    MORE,
    OFTEN,
    RAY,
    RAY_GANG,
    RAY_SOURCES,
    WORKER_NODES,
    begin_cluster,
    change_group,
    create_cluster,
    elastic_kuberay,
    has_workers,
    nodes_of_workers,
    ray_places,
    ray_status,
    replicas,
)
from fake_cluster.jumping import until
from fake_cluster.rig import api_with, is_placed, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

NODES = (HEAD_NODE, *WORKER_NODES)


def last_is_refused(it):
    """Refuse to bind the last worker."""
    is_last = (it.verb, it.resource, it.name) == ("POST", "pods/binding", "worker-006")
    return Refusal(code=403, message="not allowed") if is_last else None


async def test_node_that_is_lost_in_a_growth_is_left_after_it():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        elastic_kuberay(api) as unnamed,
    ):
        before = await begin_cluster(api)
        api.fault = last_is_refused
        api.store.add("nodes", MORE)
        await until(lambda: len(ray_places(api)) == 6)
        taint = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
        api.store.change(Place("nodes", "", "n1"), spec={"taints": [taint]})
        await until(lambda: "n1" not in ray_places(api).values())
        api.fault = lambda _: None
        await until(lambda: has_workers(api, 4), seconds=1200)

        assert unnamed == []
        staying = {name: where for name, where in before.items() if where != "n1"}
        assert staying.items() <= ray_places(api).items()
        assert nodes_of_workers(api) == ["n2", "n2", "n3", "n3"]


async def test_ray_cluster_whose_gang_is_deleted_in_a_growth_goes_back_to_the_workers_that_run():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        elastic_kuberay(api) as unnamed,
    ):
        before = await begin_cluster(api)
        api.fault = lambda it: Refusal(code=403) if (it.verb, it.resource) == ("POST", "pods/binding") else None
        api.store.add("nodes", MORE)
        await until(lambda: replicas(api) == (6, "7"))
        await asyncio.sleep(5)
        api.store.remove(RAY_GANG)
        api.fault = lambda _: None
        await until(lambda: has_workers(api, 6), seconds=1200)

        assert before.items() <= ray_places(api).items()
        assert unnamed == []
        assert ray_status(api)["firstSize"] == 5


async def test_author_who_suspends_the_ray_cluster_in_a_shrink_ends_that():
    async with api_with(*NODES, MORE) as api, running_operator(api, sources=RAY_SOURCES), elastic_kuberay(api):
        create_cluster(api, annotations={**OFTEN, "lockstep.dev/serial-time": "400h"})
        await until(lambda: has_workers(api, 6))
        api.fault = lambda it: Refusal(code=503) if (it.verb, it.resource) == ("GET", "rayclusters") else None
        api.store.create("gangjobs", gang("waits", size=1, cpu="1", spec={"work": {"serialTime": "2h"}}))
        await until(lambda: "next" in ray_status(api), seconds=3600)
        api.store.change(RAY, spec={"suspend": True})
        api.fault = lambda _: None
        await until(lambda: not ray_places(api) and "next" not in ray_status(api))

        assert replicas(api) == (6, "7")


async def test_growth_whose_new_workers_need_more_goes_back_and_the_others_run_on():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        elastic_kuberay(api) as unnamed,
    ):
        before = await begin_cluster(api)
        template = {"metadata": {}, "spec": {**_template_of(api), "nodeSelector": {"disk": "fast"}}}
        change_group(api, template=template)
        api.store.add("nodes", MORE)
        await until(lambda: ray_status(api).get("failedJoins"))
        await until(lambda: has_workers(api, 4))

        assert ray_places(api) == before
        assert unnamed == []


async def test_growth_without_kuberay_goes_back():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES):
        async with elastic_kuberay(api):
            before = await begin_cluster(api)
        api.store.add("nodes", MORE)
        await until(lambda: replicas(api) == (6, "7"))
        await until(lambda: has_workers(api, 4))

        assert ray_places(api) == before


async def test_head_that_needs_what_a_worker_needs_stays():
    async with (
        api_with(HEAD_NODE) as api,
        running_operator(api, sources=RAY_SOURCES),
        elastic_kuberay(api) as unnamed,
    ):
        create_cluster(api, head="1", memory="1Gi", annotations=OFTEN)
        await until(lambda: has_workers(api, 3))
        api.store.add("nodes", MORE)
        await until(lambda: has_workers(api, 5))
        grown = ray_places(api)
        api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
        await until(lambda: is_placed(api, "waits") and has_workers(api, 3), seconds=1200)

        assert [name for name in ray_places(api) if name.startswith("head")] == ["head-000"]
        assert ray_places(api).items() <= grown.items()
        assert unnamed == []


async def test_next_ray_cluster_of_that_name_gets_its_own_size():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), elastic_kuberay(api):
        await begin_cluster(api)
        api.fault = lambda it: Refusal(code=503) if (it.verb, it.resource) == ("POST", "pods/binding") else None
        api.store.add("nodes", MORE)
        await until(lambda: replicas(api) == (6, "7"))
        api.store.remove(RAY)
        for pod in api.store.objects("pods"):
            api.store.remove(Place("pods", "default", pod["metadata"]["name"]))
        create_cluster(api, uid="uid-of-another")
        api.fault = lambda _: None

        await until(lambda: has_workers(api, 6), seconds=1200)


def _template_of(api):
    return api.store.get(RAY)["spec"]["workerGroupSpecs"][0]["template"]["spec"]
