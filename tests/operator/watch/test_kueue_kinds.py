"""Workloads that make no sense delay no other Workload."""

import pytest

from builders.served import metadata
from fake_cluster.jumping import until
from fake_cluster.kueue import WORKLOADS, create_workload, give_quota, queued, state_of
from fake_cluster.rig import DEFAULT, running_operator
from lockstep.api.kueue.gang_workload import workload_name

pytestmark = pytest.mark.asyncio

OWNER = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangJob", "name": "g", "uid": "uid-of-g", "controller": True}


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        pytest.param({"podSets": []}, {"reclaimablePods": [{"name": "main", "count": 1}]}, id="an unknown pod set"),
        pytest.param({"podSets": [{"name": "main", "count": "many"}]}, {}, id="a number that is none"),
        pytest.param({"podSets": []}, {"conditions": ["Admitted"]}, id="a condition that is none"),
    ],
)
async def test_workload_of_a_gang_that_makes_no_sense_delays_no_other(spec, status):
    async with queued() as api, running_operator(api, sources=WORKLOADS):
        about = metadata(workload_name("g", "uid-of-g"), namespace=DEFAULT, ownerReferences=[OWNER])
        api.store.create("workloads", {"metadata": about, "spec": spec, "status": status})
        create_workload(api)
        give_quota(api)

        await until(lambda: state_of(api) == "Ready")
