"""A release of the chart from its installation to its end, with the examples as its users.

The same tests run on a sandbox, on real kubelets and on kind: what differs is clusters.py.
"""

import pytest

from e2e.cluster import POOL
from e2e.release import NAME, NAMESPACE
from live.examples import EXAMPLES, documents_of

GANGS = [
    pytest.param(example, gang, id=example.stem) for example in EXAMPLES for gang in documents_of(example, "GangJob")
]
SCRATCH = "example.com/scratch"
GPU = "nvidia.com/gpu"


def test_two_operators_run_and_one_leads(release):
    assert len(release.pod_names()) == 2
    assert release.leader() in release.pod_names()


@pytest.mark.parametrize(("example", "gang"), GANGS)
def test_example_gets_what_the_pool_has(gangs, pool, example, gang):
    name, spec = gang["metadata"]["name"], gang["spec"]
    roles = spec.get("roles", [spec])
    selector = any(role["template"]["spec"].get("nodeSelector") for role in roles)
    fewest = [min(role["size"].get("allowed") or [role["size"]["min"]]) for role in roles]

    gangs.apply(example)

    if spec.get("suspend"):
        gangs.until(name, "Suspended", "True")
    elif selector:
        gangs.until(name, "Placed", "False", "NoNodeFits")
    elif max(fewest) > len(pool) or any(map(wants_gpus, roles)):
        gangs.until(name, "Placed", "False", "NotEnoughRoom")
    elif sum(fewest) > len(pool):
        gangs.until(name, "Placed", "False", "NoRoomTogether")
    else:
        gangs.until(name, "Placed", "True")
        nodes = gangs.nodes(name)
        assert set(nodes) <= set(pool)
        assert len(nodes) == len(set(nodes)) >= sum(fewest)
        gangs.until_running(name)


def test_offers_of_nodes_that_are_not_there_harm_no_gang(cluster, gangs, pool):
    [offers, *_] = EXAMPLES
    cluster.kubectl("apply", f"--filename={offers}")

    gangs.submit("beside-offers", len(pool))

    gangs.until("beside-offers", "Placed", "True")
    assert gangs.nodes("beside-offers") == pool
    cluster.delete(f"--filename={offers}")


def test_gang_lands_whole_once_the_nodes_that_it_waits_for_are_there(cluster, gangs, pool):
    [example] = [one for one in EXAMPLES if SCRATCH in one.read_text(encoding="utf-8")]
    [gang] = documents_of(example, "GangJob")
    gangs.apply(example)
    gangs.until(gang["metadata"]["name"], "Placed", "False", "NoNodeFits")

    cluster.kubectl("label", "nodes", f"--selector={POOL}", f"{SCRATCH}=fast")

    gangs.until(gang["metadata"]["name"], "Placed", "True")
    assert gangs.nodes(gang["metadata"]["name"]) == pool
    cluster.kubectl("label", "nodes", f"--selector={POOL}", f"{SCRATCH}-")


def test_another_operator_leads_after_the_leader_was_killed(release, gangs):
    leader = release.leader()
    gangs.submit("before", 1)
    gangs.until("before", "Placed", "True")
    members = gangs.uids("before")

    release.kill(leader)
    gangs.submit("after", 2)

    gangs.until("after", "Placed", "True")
    assert release.leader() != leader
    assert gangs.uids("before") == members


def test_upgrade_replaces_the_operators_and_leaves_gangs_alone(release, gangs):
    gangs.submit("through", 1)
    gangs.until("through", "Placed", "True")
    members, operators = gangs.uids("through"), release.pod_names()

    release.upgrade("planning.keepNodesFreeFor=7m")

    gangs.submit("upgraded", 2)
    gangs.until("upgraded", "Placed", "True")
    assert release.leader() not in operators
    assert gangs.uids("through") == members


def test_gangs_outlive_the_release_and_the_next_one_finds_them(cluster, release, gangs):
    gangs.submit("survivor", 1)
    gangs.until("survivor", "Placed", "True")
    members = gangs.uids("survivor")

    release.uninstall()

    assert cluster.has("crd", "gangjobs.lockstep.dev")
    assert not cluster.has("clusterrole", NAME)
    assert not cluster.has("lease", NAME, f"--namespace={NAMESPACE}")
    assert gangs.uids("survivor") == members
    release.install()
    gangs.submit("next", 2)
    gangs.until("next", "Placed", "True")
    assert gangs.uids("survivor") == members


def wants_gpus(role):
    """Whether a member asks for what no node of the pool has."""
    return any(GPU in one["resources"].get("limits", {}) for one in role["template"]["spec"]["containers"])
