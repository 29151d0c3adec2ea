"""What kind-config.yaml makes: a place for the operator, and a pool of two speeds for gangs."""

import yaml

from e2e.kind_nodes import kind_nodes
from e2e.release import VALUES

POOL_LABEL = "lockstep.dev/pool"
SPEED_LABEL = "lockstep.dev/speed"


def test_cluster_has_a_control_plane_and_four_workers():
    assert [node.name.removeprefix("lockstep-") for node in kind_nodes()] == [
        "control-plane",
        "worker",
        "worker2",
        "worker3",
        "worker4",
    ]


def test_one_worker_is_left_to_everything_but_gangs():
    assert [node.name for node in kind_nodes() if not node.taints] == ["lockstep-worker"]


def test_pool_is_that_of_the_releases_values():
    node_pool = yaml.safe_load(VALUES.read_text(encoding="utf-8"))["nodePool"]
    pool = [node for node in kind_nodes() if POOL_LABEL in node.labels]

    assert len(pool) == 3
    for node in pool:
        assert node_pool["selector"].items() <= node.labels.items()
        assert [{"key": one.key, "value": one.value, "effect": one.effect} for one in node.taints] == node_pool[
            "taints"
        ]


def test_pool_has_two_speeds():
    assert sorted(node.labels.get(SPEED_LABEL, "") for node in kind_nodes()) == ["", "", "1", "2", "2"]
