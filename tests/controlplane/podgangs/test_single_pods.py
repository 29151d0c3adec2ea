"""Pods that need no others are gangs of one: of Deployments, StatefulSets and DaemonSets, and of no owner."""

import pytest

from eventually import eventually
from live.workloads import Workloads

SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}

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
    """One of these is cordoned, which the pods of every DaemonSet tolerate."""
    nodes = arena.add_nodes(3, cpu="4")
    arena.api.request("PATCH", f"/api/v1/nodes/{nodes[0]}", {"spec": {"unschedulable": True}})
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


def test_pod_that_is_too_large_waits_with_a_sentence_and_keeps_no_other_waiting(arena, gangs):
    arena.add_nodes(1, cpu="4")
    gangs.create_pods("", "large", cpu="5")
    says = gangs.until("single.large", "Planned", "False", "NotEnoughRoom")
    assert says["message"].startswith("It needs 1 member, and 0 fit")

    gangs.create_pods("", "a", "b", cpu="2")

    for name in ("a", "b"):
        gangs.until(f"single.{name}", "Placed")
    assert gangs.condition("single.large", "Placed")["status"] == "False"


def test_pod_of_a_stateful_set_that_is_made_anew_is_placed_again(arena, gangs, workloads):
    arena.add_nodes(1, cpu="4")
    workloads.create("StatefulSet", "store", replicas=2)
    first, _ = (pod["metadata"]["uid"] for pod in workloads.until_bound("store", 2))

    arena.delete_pod("store-0")

    eventually(lambda: first not in {pod["metadata"]["uid"] for pod in workloads.pods("store")})
    second, _ = (pod["metadata"]["uid"] for pod in workloads.until_bound("store", 2))
    eventually(lambda: workloads.owners("single.store-0") == [second])
    gangs.until("single.store-0", "Placed")


def test_operator_that_starts_finds_pods_that_wait_and_leaves_alone_those_that_run(arena, gangs, workloads, operator):
    arena.add_nodes(2, cpu="2")
    workloads.create("Deployment", "web", replicas=2)
    before = {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in workloads.until_bound("web", 2)}
    operator.kill()
    workloads.scale("Deployment", "web", 4)
    eventually(lambda: len(workloads.pods("web")) == 4)

    operator.start()

    after = {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in workloads.until_bound("web", 4)}
    assert after.items() >= before.items()


def test_pod_with_a_name_that_is_too_long_for_its_gang_says_so(arena, gangs):
    """As long as 246 characters it is placed."""
    arena.add_nodes(1, cpu="4")
    fits, is_longer = (".".join(["a" * 60] * 4) + "." + "b" * length for length in (2, 3))
    gangs.create_pods("", fits, is_longer)

    gangs.until(f"single.{fits}", "Placed")
    said = eventually(lambda: [event["note"] for event in gangs.arena.events(is_longer)])
    assert "must be no more than 253" in said[0]


def test_annotation_of_a_template_says_the_work_of_each_pod(arena, gangs, workloads):
    arena.add_nodes(1, cpu="1")
    gangs.create_pods("", "long", annotations={"lockstep.dev/serial-time": "4h"})
    gangs.until("single.long", "Placed")
    gangs.create_pods("", "next", annotations={"lockstep.dev/serial-time": "1h"})

    gangs.until("single.next", "Planned", "True", "StartsLater")

    assert gangs.spec("single.long")["work"] == {"serialTime": "4h"}
    eventually(lambda: gangs.status("single.next")["start"] == gangs.status("single.long")["expectedFinish"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("topologySpreadConstraints", [SPREAD]),
        ("volumes", [{"name": "own", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}}]),
    ],
)
def test_pod_that_cannot_be_planned_is_refused_with_its_field(arena, gangs, field, value):
    arena.add_nodes(1)
    gangs.create_pods("", "odd", **{field: value})

    assert f"pod odd.spec.{field}" in gangs.until("single.odd", "Accepted", "False")["message"]
