"""Suspended RayClusters get a size and are resumed, or stay as they are."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import metadata, node
from fake_cluster.jumping import until
from fake_cluster.owners import group_pod, is_suspended, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

HEAT = Place("rayclusters", DEFAULT, "heat")
CLUSTER = reference("ray.io/v1", "RayCluster", "heat")
SOURCES = frozenset({Source.RAY_CLUSTER, Source.SIZED_RAY_CLUSTER})
NODES = (node("n1", cpu="3"), node("n2", cpu="3"))


def template(cpu):
    return {"metadata": {}, "spec": group_pod("x", cpu=cpu)["spec"]}


def create_cluster(api, *, size="3-9", head="2", worker="1", **group):
    """Create a suspended RayCluster with a range."""
    about = metadata("heat", namespace=DEFAULT, uid="uid-of-heat", annotations={"lockstep.dev/size": size})
    workers = {"groupName": "all", "replicas": 1, "template": template(worker), **group}
    spec = {"suspend": True, "headGroupSpec": {"template": template(head)}, "workerGroupSpecs": [workers]}
    api.store.create("rayclusters", {"metadata": about, "spec": spec})


def workers_of(api):
    return api.store.get(HEAT)["spec"]["workerGroupSpecs"][0]


def message(api, kind):
    conditions = [it for gang in api.store.objects("gangs") for it in gang.get("status", {}).get("conditions", [])]
    return next((it["message"] for it in conditions if it["type"] == kind), "")


@asynccontextmanager
async def kuberay(api, *, head="2", worker="1"):
    """KubeRay: a head and workers as the spec says, while it is not suspended."""

    async def control():
        while True:
            await asyncio.sleep(0.2)
            if api.store.get(HEAT) is None or is_suspended(api, HEAT):
                continue
            count = workers_of(api)["replicas"] * workers_of(api).get("numOfHosts", 1)
            for name, cpu in (("head", head), *((f"worker-{number}", worker) for number in range(count))):
                if api.store.get(Place("pods", DEFAULT, name)) is None:
                    labels = {"ray.io/cluster": "heat"}
                    api.store.create("pods", group_pod(name, labels=labels, owner=CLUSTER, cpu=cpu))

    task = asyncio.create_task(control())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("head", "group", "want"),
    [
        pytest.param("2", {}, 5, id="a head that differs"),
        pytest.param("1", {}, 6, id="a head that asks for the same"),
        pytest.param("1", {"numOfHosts": 2}, 5, id="two hosts a replica"),
        pytest.param("2", {"numOfHosts": 2}, 5, id="both"),
        pytest.param("2", {"maxReplicas": 3}, 4, id="a bound of the group"),
    ],
)
async def test_ray_cluster_gets_as_many_workers_as_find_room(head, group, want):
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), kuberay(api, head=head):
        create_cluster(api, head=head, **group)
        await until(lambda: len(bound(api)) == want)

        assert workers_of(api)["replicas"] * group.get("numOfHosts", 1) == want - 1
        assert api.store.get(HEAT)["metadata"]["annotations"]["lockstep.dev/sized"] == str(want)


async def test_ray_cluster_without_room_stays_suspended():
    async with api_with(node("n1", cpu="3")) as api, running_operator(api, sources=SOURCES), kuberay(api):
        create_cluster(api)
        await until(lambda: "It needs 3 members" in message(api, "Planned"))

        assert is_suspended(api, HEAT)
        api.store.add("nodes", node("n2", cpu="1"))
        await until(lambda: len(bound(api)) == 3)


async def test_ray_cluster_that_can_get_no_size_says_so_and_gets_one_when_it_is_mended():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), kuberay(api):
        create_cluster(api, maxReplicas=1)
        await until(lambda: "RayCluster: no number of replicas" in message(api, "Accepted"))
        assert is_suspended(api, HEAT)

        api.store.change(HEAT, spec={"workerGroupSpecs": [{**workers_of(api), "maxReplicas": 9}]})

        await until(lambda: len(bound(api)) == 5)


async def test_ray_cluster_that_changes_before_it_gets_its_size_is_planned_again():
    async with api_with(*NODES) as api, running_operator(api, sources=SOURCES), kuberay(api):

        def bound_it(it):
            if (it.verb, it.resource) == ("PATCH", "gangs/status") and "maxReplicas" not in workers_of(api):
                api.store.change(HEAT, spec={"workerGroupSpecs": [{**workers_of(api), "maxReplicas": 2}]})

        api.fault = bound_it
        create_cluster(api)
        await until(lambda: len(bound(api)) == 3)
        await asyncio.sleep(100)

        assert workers_of(api)["replicas"] == 2


async def test_ray_cluster_is_left_alone_without_the_source():
    async with api_with(*NODES) as api, running_operator(api, sources=frozenset({Source.RAY_CLUSTER})):
        create_cluster(api)
        await asyncio.sleep(100)

        assert is_suspended(api, HEAT)
        assert api.store.objects("gangs") == []
