"""RayClusters that may change their size and lose a node: without other room they go on with the workers that run."""

import asyncio

import pytest

from builders.served import node
from fake_cluster.api import Refusal
from fake_cluster.elastic_jobs import said
from fake_cluster.elastic_ray_clusters import (
    HEAD_NODE,
    MORE,
    OFTEN,
    RAY,
    RAY_SOURCES,
    WORKER_NODES,
    begin_cluster,
    drain_cluster,
    elastic_kuberay,
    group_of,
    has_workers,
    nodes_of_workers,
    ray_places,
    ray_status,
    replicas,
    running_cluster,
)
from fake_cluster.jumping import until
from fake_cluster.owners import group_pod, reference
from fake_cluster.rig import api_with, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

NODES = (HEAD_NODE, *WORKER_NODES)


def of_clusters(it):
    """Whether a request changes a RayCluster."""
    return (it.verb, it.resource) == ("PATCH", "rayclusters")


def waiting(api):
    """The names of the pods that are on no node."""
    return {it["metadata"]["name"] for it in api.store.objects("pods") if not it["spec"].get("nodeName")}


async def test_ray_cluster_whose_node_is_drained_goes_on_with_the_workers_that_run():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        elastic_kuberay(api) as unnamed,
    ):
        before = await begin_cluster(api)
        drain_cluster(api, "n1")
        await until(lambda: has_workers(api, 2))

        assert ray_places(api).items() <= before.items()
        assert nodes_of_workers(api) == ["n2", "n2"]
        assert (ray_status(api)["size"], ray_status(api)["firstSize"], unnamed) == (3, 5, [])
        [*_, (_, note)] = said(api, "GangChangesSize")
        assert note == "Shrinks from 5 to 3 members: 2 pods wait, and find no room. The other members continue to run."


async def test_patch_names_the_workers_that_wait_and_the_status_those_that_run_by_their_roles():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        said_next, named = [], set()

        def note(it):
            if of_clusters(it):
                said_next.append(ray_status(api)["next"])
                named.update(waiting(api))

        api.fault = note
        drain_cluster(api, "n1")
        await until(lambda: has_workers(api, 2))

        [following] = said_next
        of_roles = {entry["node"]: (entry["role"].split("-")[0], entry["count"]) for entry in following["members"]}
        assert of_roles == {"n0": ("fixed", 1), "n2": ("pods", 2)}
        assert {*group_of(api)["scaleStrategy"]["workersToDelete"]} == named


async def test_workers_that_find_other_room_are_placed_there_and_the_ray_cluster_keeps_its_size():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        running_cluster(api, workers=4, annotations={"lockstep.dev/size": "3-5"}),
    ):
        api.store.add("nodes", MORE)
        drain_cluster(api, "n1")
        await until(lambda: has_workers(api, 4) and "n3" in nodes_of_workers(api))

        assert said(api, "GangChangesSize") == []


async def test_ray_cluster_whose_head_finds_no_room_keeps_its_size():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        drain_cluster(api, "n0", "n1")
        await asyncio.sleep(300)

        assert (replicas(api), nodes_of_workers(api)) == ((4, "5"), ["n2", "n2"])
        assert "next" not in ray_status(api)


@pytest.mark.parametrize(
    ("annotations", "group"),
    [
        pytest.param({"lockstep.dev/size": "4-7"}, {}, id="of the range"),
        pytest.param({}, {"minReplicas": 3}, id="of its group"),
    ],
)
async def test_ray_cluster_of_fewer_workers_than_the_least_number_keeps_its_size(annotations, group):
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        running_cluster(api, workers=4, annotations=annotations, **group),
    ):
        drain_cluster(api, "n1")
        await asyncio.sleep(300)

        assert replicas(api) == (4, "5")
        assert "next" not in ray_status(api)


async def test_ray_cluster_that_is_drained_twice_shrinks_twice_and_grows_when_the_nodes_are_back():
    nodes = (HEAD_NODE, *(node(f"n{number}", cpu="1") for number in (1, 2, 3, 4)))
    async with (
        api_with(*nodes) as api,
        running_operator(api, sources=RAY_SOURCES),
        running_cluster(api, workers=4, annotations=OFTEN),
    ):
        drain_cluster(api, "n1")
        await until(lambda: has_workers(api, 3))
        drain_cluster(api, "n2")
        await until(lambda: has_workers(api, 2))
        assert nodes_of_workers(api) == ["n3", "n4"]
        for name in ("n1", "n2"):
            api.store.change(Place("nodes", "", name), spec={"unschedulable": False})
        await until(lambda: has_workers(api, 4), seconds=1200)


async def test_refused_shrink_leaves_the_ray_cluster_as_it_is_until_it_is_allowed():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        running_cluster(api, workers=4, annotations=OFTEN),
    ):
        api.fault = lambda it: Refusal(code=422, message="frozen") if of_clusters(it) else None
        drain_cluster(api, "n1")
        await until(lambda: said(api, "SizeChangeDropped"))
        assert (replicas(api), nodes_of_workers(api)) == ((4, "5"), ["n2", "n2"])
        api.fault = lambda _: None
        await until(lambda: has_workers(api, 2), seconds=1200)


async def test_worker_made_anew_at_the_moment_of_the_shrink_ends_that_and_none_that_runs_leaves():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        elastic_kuberay(api) as unnamed,
    ):
        before = await begin_cluster(api)

        def lose_one(it):
            if (it.verb, it.resource) != ("GET", "rayclusters") or "next" not in ray_status(api) or not waiting(api):
                return
            api.fault = lambda _: None
            api.store.remove(Place("pods", "default", min(waiting(api))))

        api.fault = lose_one
        drain_cluster(api, "n1")
        await until(lambda: has_workers(api, 2), seconds=2400)

        assert ray_places(api).items() <= before.items()
        assert unnamed == []


async def test_pod_of_the_ray_cluster_that_kuberay_does_not_know_keeps_no_shrink_from_its_end():
    owner = {**reference("ray.io/v1", "RayCluster", "heat"), "uid": "uid-of-heat"}
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):

        def stray_comes(it):
            if of_clusters(it):
                api.fault = lambda _: None
                api.store.create("pods", group_pod("stray", labels={"ray.io/cluster": "heat"}, owner=owner, cpu="9"))

        api.fault = stray_comes
        drain_cluster(api, "n1")
        await until(lambda: replicas(api) == (2, "3"))
        await until(lambda: "next" not in ray_status(api))

        assert ray_status(api)["size"] == 3


async def test_author_who_suspends_the_ray_cluster_in_the_shrink_has_the_last_word():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):

        def author_is_first(it):
            if of_clusters(it) and replicas(api) == (4, "5"):
                api.store.change(RAY, spec={"suspend": True})

        api.fault = author_is_first
        drain_cluster(api, "n1")
        await until(lambda: not ray_places(api) and "next" not in ray_status(api))
        await asyncio.sleep(60)

        assert api.store.get(RAY)["spec"]["suspend"] is True
        assert replicas(api) == (4, "5")


async def test_room_that_comes_back_in_the_shrink_is_for_the_next_growth():
    async with (
        api_with(*NODES) as api,
        running_operator(api, sources=RAY_SOURCES),
        elastic_kuberay(api) as unnamed,
    ):
        before = await begin_cluster(api)

        def node_is_back(it):
            if of_clusters(it):
                api.fault = lambda _: None
                api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": False})

        api.fault = node_is_back
        drain_cluster(api, "n1")
        await until(lambda: replicas(api) == (2, "3"))
        await until(lambda: has_workers(api, 4), seconds=1200)

        assert {name for name, where in before.items() if where != "n1"} <= ray_places(api).keys()
        assert unnamed == []
