"""The lives of a RayCluster that changes its size: it grows and gives that back, or a node of it is drained.

Whatever process is killed, its head and the workers that stay run on, and KubeRay removes only workers that are named.
"""

from builders.served import gang
from crashes.in_memory.mortal import MortalOperator
from fake_cluster.elastic_ray_clusters import (
    HEAD_NODE,
    MORE,
    WORKER_NODES,
    create_cluster,
    drain_cluster,
    elastic_kuberay,
    has_workers,
    ray_places,
)
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import changes_of_pods
from fake_cluster.rig import api_with, is_placed
from fake_cluster.store import Place

_PATIENCE_SECONDS = 3600.0


async def live_changing(cast, deaths):
    """Grow, and give that back. Returns the operator after it, and what was broken, as a sentence or ''."""
    return await _live(cast, deaths, _grow_and_give_back)


async def live_drained(cast, deaths):
    """Lose a node and get it back. Returns the operator after it, and what was broken, as a sentence or ''."""
    return await _live(cast, deaths, _lose_and_get_back)


async def _live(cast, deaths, change):
    async with api_with(HEAD_NODE, *WORKER_NODES) as api:
        operator = MortalOperator(api, cast.sources, deaths)
        async with elastic_kuberay(api) as unnamed, operator.running():
            try:
                cast.create(api)
                await _until(lambda: has_workers(api, 4))
                await change(api)
                assert unnamed == [], f"KubeRay has chosen {unnamed} itself"
                assert [it for it in changes_of_pods(api) if it.name.startswith(("head", "worker"))] == []
            except AssertionError as error:
                return operator, f"{error}: {api.store.objects('gangs')}"
        return operator, ""


async def _grow_and_give_back(api):
    first = ray_places(api)
    api.store.add("nodes", MORE)
    await _until(lambda: has_workers(api, 6))
    grown = ray_places(api)
    assert first.items() <= grown.items(), f"{grown} has not all of {first}"
    api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
    await _until(lambda: is_placed(api, "waits") and has_workers(api, 4))
    assert ray_places(api).items() <= grown.items(), f"{ray_places(api)} is no part of {grown}"


async def _lose_and_get_back(api):
    first = ray_places(api)
    drain_cluster(api, "n1")
    await _until(lambda: has_workers(api, 2))
    left = ray_places(api)
    assert left.items() <= first.items(), f"{left} is no part of {first}"
    api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": False})
    await _until(lambda: has_workers(api, 4))
    assert left.items() <= ray_places(api).items(), f"{ray_places(api)} has not all of {left}"


def changing_cluster(api):
    """Create a RayCluster that may change its size often."""
    create_cluster(api, annotations={"lockstep.dev/min-interval": "10s"})


async def _until(probe):
    await until(probe, seconds=_PATIENCE_SECONDS)
