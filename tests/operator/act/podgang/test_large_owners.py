"""Owners that are larger than any real one: they wait with a reason, and others are placed meanwhile."""

import pytest

from builders.served import metadata, node
from fake_cluster.jumping import until
from fake_cluster.owners import group_pod, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with, running_operator
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

NODES = (node("n1", cpu="3"), node("n2", cpu="3"))
TOO_MANY = 251


def create_cluster(api, name, *, groups=1, annotations=None):
    """Create a RayCluster of a head and so many groups without workers, and its head."""
    about = metadata(name, namespace=DEFAULT, uid=f"uid-of-{name}", annotations=annotations or {})
    workers = [{"groupName": f"k{number}", "replicas": 0} for number in range(groups)]
    api.store.create("rayclusters", {"metadata": about, "spec": {"headGroupSpec": {}, "workerGroupSpecs": workers}})
    owner = reference("ray.io/v1", "RayCluster", name)
    api.store.create("pods", group_pod(f"{name}-head", labels={"ray.io/cluster": name}, owner=owner, cpu="1"))


def names(api):
    return [pod["metadata"]["name"] for pod in bound(api)]


def said_of(api, name):
    """What events say of the pod of that name."""
    return [it["note"] for it in api.store.objects("events") if it["regarding"]["name"] == name]


async def test_owner_with_too_many_parts_waits_with_a_reason_while_another_is_placed():
    async with api_with(*NODES) as api, running_operator(api, sources=frozenset({Source.RAY_CLUSTER})):
        create_cluster(api, "large", groups=TOO_MANY)
        create_cluster(api, "small")
        await until(lambda: names(api) == ["small-head"] and said_of(api, "large-head"), seconds=600)

        assert "spec.workerGroupSpecs has 251 entries, more than 250" in said_of(api, "large-head")[0]


@pytest.mark.parametrize("annotation", ["serial-time", "size", "undo", "hosts", "elastic"])
async def test_owner_with_a_very_long_annotation_has_a_small_gang_that_says_so(annotation):
    async with api_with(*NODES) as api, running_operator(api, sources=frozenset({Source.RAY_CLUSTER})):
        create_cluster(api, "large", annotations={f"lockstep.dev/{annotation}": "9" * 250_000})
        create_cluster(api, "small")
        await until(lambda: names(api) == ["small-head"] and len(api.store.objects("gangs")) > 1, seconds=600)

        [gang] = [it for it in api.store.objects("gangs") if "large" in it["metadata"]["name"]]
        problem = gang["metadata"]["annotations"]["lockstep.dev/problem"]
        assert f"annotation lockstep.dev/{annotation}: " in problem
        assert "'999" in problem
        assert len(problem) < 300
