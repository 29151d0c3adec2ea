"""RayClusters whose author lets them change their size get more workers, or fewer, while others run."""

import asyncio

import pytest

from builders.served import gang
from fake_cluster.api import DRY_RUN, REFUSED, Refusal
from fake_cluster.elastic_ray_clusters import (
    HEAD_NODE,
    MORE,
    RAY,
    RAY_SOURCES,
    WORKER_NODES,
    change_group,
    end_slowly,
    group_of,
    grown_cluster,
    has_workers,
    nodes_of_workers,
    ray_places,
    ray_status,
    replicas,
    running_cluster,
)
from fake_cluster.giving_way import create_classes, urgent_gang
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING
from fake_cluster.rig import DEFAULT, api_with, is_placed, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

NODES = (HEAD_NODE, *WORKER_NODES)
# The head has the number 0, the first workers those up to 4.
_LAST = "worker-006"


def refuse_the_last(it):
    """Refuse to bind the last worker, which its dry run has allowed."""
    return REFUSED if (it.verb, it.resource, it.name) == ("POST", BINDING, _LAST) else None


def often(api):
    """The RayCluster with four workers, which may change its size each ten seconds."""
    return running_cluster(api, workers=4, annotations={"lockstep.dev/min-interval": "10s"})


async def test_ray_cluster_grows_into_idle_nodes_and_its_first_pods_run_on():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        before = ray_places(api)
        api.store.add("nodes", MORE)
        await until(lambda: has_workers(api, 6))

        assert before.items() <= ray_places(api).items()
        assert nodes_of_workers(api) == ["n1", "n1", "n2", "n2", "n3", "n3"]
        assert (ray_status(api)["size"], ray_status(api)["firstSize"]) == (7, 5)


async def test_ray_cluster_gives_back_what_it_grew_into_and_only_these_workers_leave():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), grown_cluster(api):
        before = ray_places(api)
        api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
        await until(lambda: is_placed(api, "waits") and has_workers(api, 4), seconds=1200)

        assert ray_places(api).items() <= before.items()
        assert sorted(group_of(api)["scaleStrategy"]["workersToDelete"]) == sorted(
            before.keys() - ray_places(api).keys()
        )
        assert (ray_status(api)["size"], ray_status(api)["firstSize"]) == (5, 5)


async def test_growth_names_no_workers_that_have_left_before():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), grown_cluster(api):
        other = gang("waits", size=2, cpu="1")
        api.store.create("gangjobs", other)
        await until(lambda: is_placed(api, "waits") and has_workers(api, 4), seconds=1200)
        api.store.remove(Place("gangjobs", DEFAULT, "waits"))
        await until(lambda: has_workers(api, 6), seconds=1200)

        assert group_of(api)["scaleStrategy"]["workersToDelete"] == []


@pytest.mark.parametrize(
    ("annotations", "group"),
    [
        pytest.param({"lockstep.dev/elastic": None}, {}, id="without the annotation"),
        pytest.param({"lockstep.dev/sized": None}, {}, id="not sized by the operator"),
        pytest.param({}, {"maxReplicas": 4}, id="a bound of the group"),
    ],
)
async def test_ray_cluster_keeps_its_size(annotations, group):
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        api.store.annotate(RAY, annotations)
        change_group(api, **group)
        before = ray_places(api)
        api.store.add("nodes", MORE)
        await asyncio.sleep(60)

        assert ray_places(api) == before


async def test_author_who_changes_the_replicas_in_the_middle_of_a_growth_ends_it():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        api.store.add("nodes", MORE)
        await until(lambda: replicas(api) == (6, "7"))
        change_group(api, replicas=5)
        await until(lambda: "next" not in ray_status(api))

        assert replicas(api) == (5, "7")
        await until(lambda: len(nodes_of_workers(api)) == 5)


async def test_growth_that_can_not_be_bound_goes_back_by_the_new_workers():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), often(api):
        before = ray_places(api)
        api.fault = refuse_the_last
        api.store.add("nodes", MORE)
        await until(lambda: len(ray_places(api)) == 6)
        await until(lambda: has_workers(api, 4))

        assert ray_places(api) == before
        assert ray_status(api)["failedJoins"] == 1


async def test_growth_during_which_a_worker_ends_goes_back_by_no_other_first_one():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), often(api):
        first = [name for name in ray_places(api) if name.startswith("worker")]
        api.fault = refuse_the_last
        api.store.add("nodes", MORE)
        await until(lambda: len(ray_places(api)) == 6)
        end_slowly(api, first[0])
        await until(lambda: replicas(api) == (4, "5"))
        api.fault = lambda _: None
        await until(lambda: has_workers(api, 4))

        assert {*first[1:]} <= ray_places(api).keys()


async def test_ray_cluster_shrinks_for_an_urgent_gang_and_its_head_stays():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), running_cluster(api, workers=4):
        create_classes(api)
        before = ray_places(api)
        await asyncio.sleep(60)
        api.store.create("gangjobs", urgent_gang(size=2))
        await until(lambda: is_placed(api, "hot") and has_workers(api, 2))

        assert ray_places(api).items() <= before.items()
        tried = [it for it in api.requests if (it.verb, it.resource) == (DRY_RUN, "rayclusters")]
        assert len(tried) == 1


async def test_worker_that_ends_before_a_shrink_ends_it_and_no_other_one_leaves():
    async with api_with(*NODES) as api, running_operator(api, sources=RAY_SOURCES), grown_cluster(api):
        before, lost = ray_places(api), min(name for name in ray_places(api) if name.startswith("worker"))

        def lose_one(it):
            is_asked = (it.verb, it.resource) == ("GET", "rayclusters") and "next" in ray_status(api)
            if not is_asked or lost not in ray_places(api):
                return None
            api.store.remove(Place("pods", DEFAULT, lost))
            return Refusal(code=503)

        api.fault = lose_one
        api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
        await until(lambda: lost not in ray_places(api), seconds=1200)
        await until(lambda: has_workers(api, 6))

        assert before.keys() - ray_places(api).keys() == {lost}
