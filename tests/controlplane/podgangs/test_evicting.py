"""Pods of Gangs that can't be suspended are evicted, where the administrator and the user of the Gang allow it."""

import pytest

from builders.manifests import bid
from eventually import eventually
from live.places import are_bound_anew

EVICT = {"undo": "Evict"}
IGNORES = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(evicting, with_sources):
    """An operator that may evict pods; one for all tests of a file."""
    assert evicting
    with with_sources("pods") as process:
        yield process


def return_to_a_node(arena, gangs, name="heat"):
    """The owner of the node of a pod is back, and has members evicted."""
    node = next(node for node in gangs.nodes_of(name) if node)
    arena.create(bid(node, onReturn="Evict", gracePeriodSeconds=0, ownerPresent=True))
    return node


def notes(arena, reason):
    return [event["note"] for event in arena.events("heat") if event["reason"] == reason]


def said(arena, words):
    """Wait until an event says that; returns what it says. An eviction that is refused is tried for a minute."""
    return eventually(lambda: next((one for one in notes(arena, "OwnerReturned") if words in one), ""), seconds=240)


def live(gangs):
    """The nodes of the pods that have not ended and are not being deleted, by UID; '' for a pod that waits."""
    return {
        pod["metadata"]["uid"]: pod["spec"].get("nodeName", "")
        for pod in gangs.pods("heat")
        if pod["status"]["phase"] != "Failed" and "deletionTimestamp" not in pod["metadata"]
    }


def budget(arena, **spec):
    selector = {"matchLabels": {"lockstep.dev/member-of": "heat"}}
    manifest = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}
    return {**manifest, "metadata": {"name": "heat"}, "spec": {"selector": selector, **spec}}


def place_pods(arena, gangs, *names, **spec):
    """A Gang whose bare pods run."""
    arena.add_nodes(len(names), cpu="1")
    gangs.submit("heat", len(names), **spec)
    gangs.create_pods("heat", *names)
    gangs.until("heat", "Placed")
    eventually(lambda: all(pod["status"]["phase"] == "Running" for pod in gangs.pods("heat")))


def test_pods_without_a_controller_are_evicted_for_good(arena, gangs):
    place_pods(arena, gangs, "a", "b", **EVICT)
    return_to_a_node(arena, gangs)

    note = said(arena, "evicted")
    eventually(lambda: not gangs.pods("heat"))
    assert "its undo is Evict, so Lockstep has evicted 2 pods from nodes" in note
    assert "Keep" not in note


def test_pods_stay_by_default(arena, gangs):
    place_pods(arena, gangs, "a", "b")
    return_to_a_node(arena, gangs)

    assert "a user has written the Gang" in said(arena, "its pods stay")
    assert gangs.bound("heat") == 2


def test_gang_that_says_evict_later_is_evicted_at_once(arena, gangs):
    place_pods(arena, gangs, "a", "b")
    return_to_a_node(arena, gangs)
    said(arena, "its pods stay")

    gangs.api.request("PATCH", f"{gangs.path}/heat", {"spec": EVICT})

    eventually(lambda: not gangs.pods("heat"))


def test_pods_of_a_job_that_would_count_it_stay(arena, gangs):
    arena.add_nodes(3, cpu="1")
    gangs.submit("heat", 2, **EVICT)
    gangs.create_job("heat", 2)
    gangs.until("heat", "Placed")
    return_to_a_node(arena, gangs)

    assert "Job heat would count evicted pods as failed" in said(arena, "its pods stay")
    assert gangs.bound("heat") == 2


@pytest.mark.search("waits of a minute")
def test_job_that_ignores_evictions_counts_nothing_and_is_placed_elsewhere(arena, gangs):
    arena.add_nodes(3, cpu="1")
    gangs.submit("heat", 2, **EVICT)
    gangs.create_job("heat", 2, podFailurePolicy=IGNORES)
    gangs.until("heat", "Placed")
    before = live(gangs)
    left = return_to_a_node(arena, gangs)
    said(arena, "Lockstep has evicted 2 pods from nodes")
    # As a kubelet does; until then, the Job waits for the end of these pods.
    for pod in gangs.pods("heat"):
        arena.patch_pod_status(pod["metadata"]["name"], {"phase": "Failed"})

    eventually(lambda: are_bound_anew(live(gangs), before, 2))
    assert left not in live(gangs).values()
    status = gangs.api.request("GET", f"{gangs.jobs}/heat")["status"]
    assert status.get("failed", 0) == 0
    assert all(one["type"] != "Failed" for one in status.get("conditions", []))


@pytest.mark.search("waits of a minute")
def test_budget_is_obeyed_until_it_allows_the_eviction_though_the_operator_is_killed(arena, gangs, operator):
    place_pods(arena, gangs, "a", "b", **EVICT)
    path = f"/apis/policy/v1/namespaces/{arena.namespace}/poddisruptionbudgets"
    gangs.api.request("POST", path, budget(arena, minAvailable=2))
    eventually(lambda: gangs.api.request("GET", f"{path}/heat").get("status", {}).get("observedGeneration"))
    return_to_a_node(arena, gangs)

    note = said(arena, "disruption budget")
    assert "can't be evicted" in note
    assert gangs.bound("heat") == 2
    operator.kill()
    operator.launch()
    gangs.api.request("DELETE", f"{path}/heat")
    eventually(lambda: not gangs.pods("heat"), seconds=240)
