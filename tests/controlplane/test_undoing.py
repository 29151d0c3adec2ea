"""Gangs that are undone under difficulties: a gap of the watches, a member that hangs, a finalizer on the GangJob."""

import asyncio

import pytest

from builders.manifests import gang
from eventually import eventually

MEMBERS = 4
OUT_OF_SERVICE = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}


@pytest.fixture(scope="module")
def operator(operator_behind_proxy):
    """An operator that talks to the proxy."""
    return operator_behind_proxy


@pytest.fixture
def deaf_from(operator, proxy):
    """Make the operator deaf from its first such request on; it hears again after the test."""

    def listen(*request):
        def after(write):
            if write[:2] == request and not proxy.is_deaf:
                proxy.is_deaf = True
                dropping.append(asyncio.ensure_future(proxy.drop_watches()))

        proxy.after = after

    dropping = []
    yield listen
    proxy.is_deaf = False
    proxy.reset()


def keep(arena, path, *finalizers):
    """Have a foreign finalizer keep an object, or none."""
    arena.api.request("PATCH", path, {"metadata": {"finalizers": list(finalizers) or None}})


def test_member_that_comes_and_goes_in_a_gap_of_the_watch_leaves_no_partial_gang(deaf_from, proxy, arena):
    arena.add_nodes(1, cpu="8")
    deaf_from("POST", "pods")
    arena.submit(gang("heat", size=MEMBERS))
    eventually(lambda: len(arena.nodes_of("heat")) == MEMBERS and all(arena.nodes_of("heat")))

    arena.api.request("DELETE", f"{arena.core}/pods/heat-1-2?gracePeriodSeconds=0")
    eventually(lambda: len(arena.pods("heat")) == MEMBERS - 1)
    proxy.after = lambda _: None
    proxy.is_deaf = False

    arena.until_placed("heat")
    assert [pod["metadata"]["name"] for pod in arena.pods("heat")] == [f"heat-2-{rank}" for rank in range(MEMBERS)]


def test_gang_with_a_member_that_hangs_says_so_and_goes_on_once_its_node_is_out_of_service(operator, arena):
    arena.add_nodes(2, cpu="4")
    arena.submit(gang("heat", size=MEMBERS))
    arena.until_placed("heat")
    path = f"{arena.core}/pods/heat-1-0"
    keep(arena, path, "example.com/keeps")

    arena.delete_pod("heat-1-0")

    arena.until("heat", "Placed", "False", "Undoing")
    eventually(lambda: "torn down; it waits for heat-1-0 on" in arena.condition("heat", "Placed")["message"])
    assert arena.condition("heat", "Planned")["reason"] == "PodLost"
    node = arena.pods("heat")[0]["spec"]["nodeName"]
    advice = f"If node {node} is dead, delete the pods there or taint the node {OUT_OF_SERVICE['key']}"
    eventually(lambda: advice in arena.condition("heat", "Placed")["message"])
    arena.api.request("PATCH", f"/api/v1/nodes/{node}", {"spec": {"taints": [OUT_OF_SERVICE]}})
    arena.until_placed("heat", seconds=90)
    assert len(arena.pods("heat", attempt=2)) == MEMBERS
    assert len(arena.pods("heat", attempt=1)) == 1
    keep(arena, path)


@pytest.mark.parametrize(
    "moment", [pytest.param(0, id="while it is bound"), pytest.param(MEMBERS, id="once it is bound")]
)
def test_gang_that_is_deleted_and_kept_is_undone_whole(operator, arena, moment):
    arena.add_nodes(1, cpu="8")
    arena.submit(gang("heat", size=MEMBERS))
    path = f"{arena.gangs}/heat"
    keep(arena, path, "example.com/keeps")
    eventually(lambda: len(arena.pods("heat")) == MEMBERS)
    eventually(lambda: len([node for node in arena.nodes_of("heat") if node]) >= moment)

    arena.delete_gang("heat")

    arena.until("heat", "Placed", "False", "GangDeleted")
    arena.until_no_pods("heat")
    eventually(lambda: "reservedAt" not in arena.status("heat"))
    keep(arena, path)
