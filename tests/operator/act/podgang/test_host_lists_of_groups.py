"""Each group of a LeaderWorkerSet has a list of its own hosts, which follows when the group is made anew."""

import pytest

from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, group_labels, group_pod, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, operator_over, pod_place
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

GROUPS, SIZE = 2, 2


def create_set(api):
    """Create a LeaderWorkerSet that asks for lists of hosts."""
    spec = {"replicas": GROUPS, "leaderWorkerTemplate": {"size": SIZE}}
    create_owner(api, "leaderworkersets", "heat", spec=spec, annotations={"lockstep.dev/hosts": "ConfigMap"})


def make_group(api, group, names):
    """Create the pods of a group, the leader first."""
    for worker, name in enumerate(names):
        labels = group_labels("heat", group, worker)
        owner = reference("apps/v1", "StatefulSet", names[0] if worker else "heat")
        api.store.create("pods", group_pod(name, labels=labels, cpu="1", owner=owner))


def listed(api, group):
    """The Gang with which the list of that group goes, and the hosts in it."""
    found = api.store.get(Place("configmaps", DEFAULT, f"leaderworkerset.heat.{group}.hosts"))
    [owner] = found["metadata"]["ownerReferences"]
    return owner["name"], found["data"]["hosts"].split()


async def test_each_group_lists_its_own_pods():
    async with operator_over(sources={Source.LEADER_WORKER_SET}) as (api, _):
        create_set(api)
        make_group(api, 0, ["heat-0", "heat-0-1"])
        make_group(api, 1, ["heat-1", "heat-1-1"])
        await until(lambda: len(bound(api)) == GROUPS * SIZE)

        assert listed(api, 0) == ("leaderworkerset.heat.0", ["heat-0", "heat-0-1"])
        assert listed(api, 1) == ("leaderworkerset.heat.1", ["heat-1", "heat-1-1"])


async def test_list_of_a_group_that_is_made_anew_has_its_new_pods_and_the_other_stays():
    async with operator_over(sources={Source.LEADER_WORKER_SET}) as (api, _):
        create_set(api)
        make_group(api, 0, ["heat-0", "heat-0-1"])
        make_group(api, 1, ["heat-1", "heat-1-1"])
        await until(lambda: len(bound(api)) == GROUPS * SIZE)
        for name in ("heat-1", "heat-1-1"):
            api.store.remove(pod_place(name))
        make_group(api, 1, ["heat-1-new", "heat-1-1-new"])
        await until(lambda: len(bound(api)) == GROUPS * SIZE)

        assert listed(api, 0)[1] == ["heat-0", "heat-0-1"]
        assert sorted(listed(api, 1)[1]) == ["heat-1-1-new", "heat-1-new"]
