"""Claims of a Workload's pods have volumes before the pods are bound, also after a change of the leader."""

import pytest

from fake_cluster.jumping import until
from fake_cluster.kueue import WORKLOADS, change_template, create_workload, give_quota, kueue, queued, state_of
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import running_operator
from fake_cluster.storage import CLASS, SELECTED_NODE, add_claim, add_class, claim_place, storage_of

pytestmark = pytest.mark.asyncio

REQUEST = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": CLASS}


@pytest.mark.parametrize("changes", [False, True], ids=["one leader", "another leader"])
async def test_claim_of_a_workload_has_its_volume_before_the_pod_is_bound(changes):
    async with queued() as api:
        add_class(api)
        add_claim(api, "data", spec=REQUEST)
        create_workload(api, "heat", ("main", 1, "1"))
        change_template(api, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
        give_quota(api)
        async with running_operator(api, sources=WORKLOADS):
            await until(lambda: state_of(api) == "Ready")
            if not changes:
                async with kueue(api), storage_of(api):
                    await until(lambda: bound(api))
        if changes:
            async with running_operator(api, sources=WORKLOADS), kueue(api), storage_of(api):
                await until(lambda: bound(api))

        assert api.store.get(claim_place("data"))["spec"].get("volumeName")


@pytest.mark.parametrize("changes", [False, True], ids=["one leader", "another leader"])
async def test_claim_of_a_workload_leaves_the_node_on_which_it_got_no_volume(changes):
    async with queued() as api:
        add_class(api)
        add_claim(api, "data", spec=REQUEST)
        create_workload(api, "heat", ("main", 1, "1"))
        change_template(api, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
        give_quota(api)
        async with running_operator(api, sources=WORKLOADS):
            await until(lambda: state_of(api) == "Ready")
            if not changes:
                async with kueue(api):
                    await until(lambda: selected_node(api))
                    await until(lambda: not selected_node(api), seconds=900)
        if changes:
            async with running_operator(api, sources=WORKLOADS), kueue(api):
                await until(lambda: selected_node(api))
                await until(lambda: not selected_node(api), seconds=900)


def selected_node(api):
    """The node for which the volume of the claim is to be created; None if it has no node."""
    return (api.store.get(claim_place("data"))["metadata"].get("annotations") or {}).get(SELECTED_NODE)
