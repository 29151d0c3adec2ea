"""What our own kind differs by from that of users, where neither Docker nor kind is needed to see it."""

import pytest
import yaml

from e2e.kind.own_cluster import Member, bridge, configuration, member
from e2e.kind.runtime import NOT_GRANTED, granted
from e2e.kind_nodes import CONFIGURATION


def test_cluster_is_that_of_users_but_for_its_network_and_a_patch():
    users = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    ours = configuration(users)

    assert {key: ours[key] for key in users} == users
    assert ours.keys() - users.keys() == {"networking", "kubeadmConfigPatches"}


def test_network_of_a_node_has_the_addresses_of_its_pods():
    node = {
        "metadata": {"name": "lockstep-worker"},
        "spec": {"podCIDR": "10.244.3.0/24"},
        "status": {
            "addresses": [{"type": "Hostname", "address": "one"}, {"type": "InternalIP", "address": "172.18.0.3"}]
        },
    }

    assert member(node) == Member("lockstep-worker", "172.18.0.3", "10.244.3.0/24")
    [plugin] = bridge(member(node).pods)["plugins"]
    assert plugin["ipam"]["subnet"] == "10.244.3.0/24"


@pytest.mark.parametrize("inside", [True, False], ids=["container", "process in one"])
def test_runtime_takes_out_what_is_not_granted_and_nothing_else(inside):
    process = {
        "args": ["sh"],
        "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 1048576}],
        "capabilities": {"bounding": ["CAP_CHOWN", NOT_GRANTED]},
    }
    described = granted({"root": {"path": "rootfs"}, "process": process} if inside else process)

    assert described.get("process", described) == {"args": ["sh"], "capabilities": {"bounding": ["CAP_CHOWN"]}}
