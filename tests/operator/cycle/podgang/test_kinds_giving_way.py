"""Every kind of owners that can be suspended gives way to urgent gangs."""

from functools import partial

import pytest

from fake_cluster.giving_way import ONE_NODE, TEMPLATE, create_classes, of_job, urgent_gang, yielding_pod
from fake_cluster.jumping import until
from fake_cluster.owners import controlled, create_owner, is_suspended, reference
from fake_cluster.pod_gangs import changes_of_pods
from fake_cluster.rig import is_placed, operator_over
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

SPECS = {
    "Job": {"parallelism": 2, "template": TEMPLATE},
    "JobSet": {"replicatedJobs": [{"template": {"spec": {"parallelism": 2, "template": TEMPLATE}}}]},
    "RayCluster": {
        "headGroupSpec": {"template": TEMPLATE},
        "workerGroupSpecs": [{"replicas": 1, "template": TEMPLATE}],
    },
}
LABELS = {"JobSet": {"jobset.sigs.k8s.io/jobset-name": "heat"}, "RayCluster": {"ray.io/cluster": "heat"}}
GROUPED = {"scheduling.x-k8s.io/pod-group": "heat"}


def create_owner_of(api, kind):
    """An object of a kind, and a PodGroup if its pods need one; returns its place, and how a pod of it is made."""
    above = reference(kind.api_version, kind.kind, "heat")
    place = create_owner(api, kind.plural, "heat", spec=SPECS.get(kind.kind, {}))
    if kind.kind in SPECS:
        owner = None if kind.kind == "JobSet" else above
        return place, partial(yielding_pod, owner=owner, labels=LABELS.get(kind.kind))
    create_owner(api, "podgroups", "heat", owners=[above], spec={"minMember": 2})
    return place, partial(yielding_pod, owner=None, labels=GROUPED)


@pytest.mark.parametrize("kind", SUSPENDABLE_KINDS, ids=lambda kind: kind.kind)
async def test_owner_is_suspended_for_an_urgent_gang_and_resumed(kind):
    async with operator_over(*ONE_NODE, sources=frozenset(Source)) as (api, _):
        create_classes(api)
        place, make_pod = create_owner_of(api, kind)
        async with controlled(api, place, make_pod, 2, policy=kind.policy) as made:
            await until(lambda: len(of_job(api)) == 2)
            api.store.create("gangjobs", urgent_gang())
            await until(lambda: is_placed(api, "hot") and len(made) == 4)

            assert not is_suspended(api, place, kind.policy)
            assert [it for it in changes_of_pods(api) if it.name.startswith("heat-")] == []
