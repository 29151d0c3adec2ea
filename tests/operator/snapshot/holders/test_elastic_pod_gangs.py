"""Which Gangs may change their size, as the planner sees them: by a running operator's cache."""

import pytest

from builders.served import node
from coschedule import GangKey
from fake_cluster.elastic_jobs import SMALL, SOURCES, change_pod, running_job
from fake_cluster.elastic_ray_clusters import HEAD_NODE, RAY_SOURCES, WORKER_NODES, running_cluster
from fake_cluster.jumping import until
from fake_cluster.rig import api_with, running_operator
from lockstep.snapshot.holders.elastic_pod_gangs import (
    elastic_candidates,
    elastic_pod_gang,
    is_elastic_candidate,
    requests_of_elastic_pods,
)

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "gang/job.heat")
RAY_KEY = GangKey("default", "gang/raycluster.heat")


async def test_gang_of_pods_that_run_has_them_in_the_order_of_their_indexes():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES) as parts, running_job(api, size=4):
        await until(lambda: is_elastic_candidate(parts.state, KEY))
        found = elastic_pod_gang(parts.state, KEY)

        assert found.nodes == ("n1", "n1", "n2", "n2")
        assert [(role.sizes.minimum, role.sizes.maximum) for role in found.gang.spec.roles] == [(2, 6)]
        assert [*elastic_candidates(parts.state)] == [(KEY, 4)]
        assert [dict(one)["cpu"] for one in requests_of_elastic_pods(parts.state)] == [1000]


@pytest.mark.parametrize("rank", ["0", "7", "none"])
async def test_gang_whose_ranks_are_no_indexes_keeps_its_size(rank):
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES) as parts, running_job(api, size=4):
        await until(lambda: is_elastic_candidate(parts.state, KEY))
        change_pod(api, index=3, annotations={"lockstep.dev/rank": rank})
        api.store.add("nodes", node("n3", cpu="2"))

        await until(lambda: elastic_pod_gang(parts.state, KEY) is None)


async def test_gang_with_host_ports_keeps_its_size_and_adds_no_columns_to_plans():
    ports = [{"containerPort": 80, "hostPort": 8080}]
    async with (
        api_with(*(node(f"n{number}", cpu="1") for number in range(4))) as api,
        running_operator(api, sources=SOURCES) as parts,
        running_job(api, size=4, ports=ports),
    ):
        await until(lambda: is_elastic_candidate(parts.state, KEY))

        assert [*requests_of_elastic_pods(parts.state)] == []
        assert elastic_pod_gang(parts.state, KEY) is None


async def test_gang_of_a_ray_cluster_has_its_head_as_a_role_that_is_fixed():
    async with (
        api_with(HEAD_NODE, *WORKER_NODES) as api,
        running_operator(api, sources=RAY_SOURCES) as parts,
        running_cluster(api, workers=4),
    ):
        await until(lambda: is_elastic_candidate(parts.state, RAY_KEY))
        found = elastic_pod_gang(parts.state, RAY_KEY)

        assert (found.nodes, found.fixed) == (("n1", "n1", "n2", "n2"), ("n0",))
        assert [(role.sizes.minimum, role.sizes.maximum) for role in found.gang.spec.roles] == [(2, 6), (1, 1)]
        assert [dict(one)["cpu"] for one in requests_of_elastic_pods(parts.state)] == [1000, 4000]
