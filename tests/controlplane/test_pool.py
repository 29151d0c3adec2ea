"""A node pool of the operator's own: users write nothing of it, and their members go there and nowhere else."""

import pytest

from builders.manifests import gang
from eventually import eventually
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Node, Taint, TaintEffect

KEY = "lockstep.dev/pool"
TAINT = Taint(key=KEY, value="gangs", effect=TaintEffect.NO_SCHEDULE)
TOLERATION = {"key": KEY, "operator": "Equal", "value": "gangs", "effect": "NoSchedule"}
POOL = ("--node-selector", f"{KEY}=gangs", "--pool-taint", f"{KEY}=gangs:NoSchedule")
ROOM = {"cpu": "4", "memory": "16Gi", "pods": "110"}


@pytest.fixture(scope="module")
def operator(operator_kubeconfig, tmp_path_factory):
    """An operator with a node pool, for all tests of this file."""
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(operator_kubeconfig, log, *POOL, spawn=Forked)) as process:
        yield process


@pytest.fixture
def pool(operator, arena):
    """Two tainted nodes in the pool, and a larger one outside it."""
    arena.create_nodes(
        [
            Node(name="in-1", labels={KEY: "gangs"}, taints=(TAINT,), allocatable=ROOM),
            Node(name="in-2", labels={KEY: "gangs"}, taints=(TAINT,), allocatable=ROOM),
            Node(name="outside", allocatable={**ROOM, "cpu": "64"}),
        ]
    )
    return arena


def submit(arena, manifest):
    arena.api.request("POST", arena.gangs, manifest)


def label(arena, node, value):
    arena.api.request("PATCH", f"/api/v1/nodes/{node}", {"metadata": {"labels": {KEY: value}}})


def test_members_go_to_the_pool_though_their_template_says_nothing_of_it(pool, operator):
    submit(pool, gang("heat", size=(2, 8)))

    pool.until_placed("heat")

    members = pool.pods("heat")
    assert {member["spec"]["nodeName"] for member in members} == {"in-1", "in-2"}
    assert [member["spec"]["nodeSelector"] for member in members] == [{KEY: "gangs"}] * len(members)
    assert all(member["spec"]["tolerations"].count(TOLERATION) == 1 for member in members)
    assert operator.metrics()["lockstep_snapshot_nodes"] == 2


def test_template_that_says_the_same_is_fine(pool):
    submit(pool, gang("heat", pod={"nodeSelector": {KEY: "gangs"}, "tolerations": [TOLERATION]}))

    pool.until_placed("heat")
    assert [member["spec"]["tolerations"].count(TOLERATION) for member in pool.pods("heat")] == [1, 1]


def test_template_that_selects_other_nodes_is_refused(pool):
    submit(pool, gang("heat", pod={"nodeSelector": {KEY: "others"}}))

    accepted = pool.until("heat", "Accepted", "False", "InvalidSpec")

    assert accepted["message"] == (
        f"template.spec.nodeSelector: {KEY}=others selects none of the nodes of the operator's pool, "
        f"which have {KEY}=gangs."
    )
    assert pool.until_events("heat", "InvalidSpec")


def test_refusals_count_the_nodes_of_the_pool(pool):
    submit(pool, gang("heat", pod={"nodeSelector": {"disk": "tape"}}))

    planned = pool.until("heat", "Planned", "False", "NoNodeFits")

    assert planned["message"] == "0 of 2 nodes of the pool pass its constraints: 2 without disk=tape."


def test_nodes_join_and_leave_by_their_label(pool):
    submit(pool, gang("large", size=9))
    pool.until("large", "Planned", "False", "NotEnoughRoom")

    label(pool, "outside", "gangs")
    pool.until_placed("large")
    nodes = pool.nodes_of("large")
    assert "outside" in nodes

    # Members that are placed stay, and no other comes.
    label(pool, "outside", None)
    submit(pool, gang("another", size=9))
    pool.until("another", "Planned", "False", "NotEnoughRoom")
    assert pool.nodes_of("large") == nodes


def test_no_cycle_has_failed(operator):
    eventually(lambda: operator.metrics()['lockstep_cycles_total{result="error"}'] == 0)
