"""A large gang among others whose end is unknown: it holds the nodes it needs, and waits for nothing that stays."""

import pytest

from builders.manifests import foreign_pod, gang, member_container
from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")


def test_large_gang_does_not_starve_behind_a_stream_of_small_ones(arena, pods_seen):
    arena.add_nodes(3, cpu="4")
    running = [f"a{number}" for number in range(2)]
    for name in running:
        arena.submit(gang(name, size=1, cpu="4", run_for="3s"))
    arena.until_placed(*running)
    arena.submit(gang("large", size=3, cpu="4"))
    arena.until("large", "Planned", "False", "HoldsNodes")
    stream = [f"s{number}" for number in range(6)]
    for name in stream:
        arena.submit(gang(name, size=1, cpu="4", run_for="1s"))

    arena.until_placed("large")
    assert not any(pod.node for pod in pods_seen.ever.values() if pod.gang in stream)
    arena.delete_gang("large")
    arena.until_complete(*stream)


def test_large_gang_holds_the_node_of_an_ordinary_pod_until_that_ends(arena):
    first, second = arena.add_nodes(2, cpu="4")
    arena.create(foreign_pod("foreign", first, cpu="2"))
    arena.submit(gang("large", size=2, cpu="4"))
    says = arena.until("large", "Planned", "False", "HoldsNodes")["message"]
    assert f"it has kept {first}, {second} free for itself since" in says
    arena.until_events("large", "GangHoldsNodes")
    arena.submit(gang("small", size=1, cpu="1"))
    says = arena.until("small", "Planned", "False", "HeldByGangsInFront")["message"]
    assert f"but {arena.namespace}/large, which is in front, holds 2 nodes" in says

    arena.delete_pod("foreign")

    arena.until_placed("large")


def test_pod_that_is_not_meant_to_end_is_not_waited_for(arena):
    first, _ = arena.add_nodes(2, cpu="4")
    arena.api.request("POST", f"/apis/apps/v1/namespaces/{arena.namespace}/deployments", deployment("server", first))
    eventually(lambda: arena.api.request("GET", f"{arena.core}/pods?labelSelector=app%3Dserver")["items"])
    arena.submit(gang("large", size=2, cpu="4"))
    says = arena.until("large", "Planned", "False", "HeldByLastingPods")["message"]
    what = "long-running pods hold the rest; cpu: 2 × 4 needed, 1 × 4 free"
    assert says == f"It needs 2 members, and 1 fit: {what}."

    arena.submit(gang("small", size=1, cpu="4"))
    arena.until_placed("small")

    # Else it would make pods as long as the namespace is there.
    arena.delete(f"/apis/apps/v1/namespaces/{arena.namespace}/deployments/server")


def deployment(name, node):
    """A Deployment of one pod that is on a node from the start."""
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"nodeName": node, "containers": [member_container("2")]},
            },
        },
    }
