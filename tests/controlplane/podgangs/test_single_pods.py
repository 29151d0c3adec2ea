"""Pods that need no others are gangs of one: of Deployments, StatefulSets and DaemonSets, and of no owner."""

import pytest

from eventually import eventually
from live.workloads import Workloads

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture
def workloads(gangs):
    """The owners of the test's own."""
    workloads = Workloads(gangs)
    yield workloads
    workloads.close()


def single(pods):
    """The names of the Gangs of these pods."""
    return {f"single.{pod['metadata']['name']}" for pod in pods}


def test_pods_of_a_deployment_are_placed_as_it_is_scaled_and_leave_no_gang_behind(arena, workloads):
    arena.add_nodes(2, cpu="4")
    workloads.create("Deployment", "web", replicas=3)
    assert single(workloads.until_bound("web", 3)) == workloads.made()

    workloads.scale("Deployment", "web", 5)
    assert single(workloads.until_bound("web", 5)) == workloads.made()

    workloads.scale("Deployment", "web", 2)
    eventually(lambda: len(workloads.made()) == 2)
    assert single(workloads.until_bound("web", 2)) == workloads.made()


def test_pods_of_an_ordered_stateful_set_are_placed_one_after_the_other(arena, workloads):
    arena.add_nodes(1, cpu="4")
    workloads.create("StatefulSet", "store", replicas=3)

    assert single(workloads.until_bound("store", 3)) == {"single.store-0", "single.store-1", "single.store-2"}


def test_pods_of_a_daemon_set_go_to_the_nodes_that_they_name(arena, workloads):
    nodes = arena.add_nodes(3, cpu="4")
    workloads.create("DaemonSet", "agent")

    assert sorted(pod["spec"]["nodeName"] for pod in workloads.until_bound("agent", 3)) == nodes
    for pod in workloads.pods("agent"):
        affinity = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        [term] = affinity["nodeSelectorTerms"]
        assert term["matchFields"][0]["values"] == [pod["spec"]["nodeName"]]


def test_pod_without_an_owner_is_placed_by_itself(arena, gangs, workloads):
    arena.add_nodes(1, cpu="2")
    gangs.create_pods("", "bare.pod")

    gangs.until("single.bare.pod", "Placed")

    made = gangs.api.request("GET", f"{gangs.path}/single.bare.pod")
    assert made["spec"] == {"size": {"min": 1}}
    assert [owner["kind"] for owner in made["metadata"]["ownerReferences"]] == ["Pod"]
    arena.delete_pod("bare.pod")
    eventually(lambda: not workloads.made())
