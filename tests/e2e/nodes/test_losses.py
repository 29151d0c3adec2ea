"""What happens to gangs when nodes do what only real ones do: fall silent, and turn members away."""

import time
from collections.abc import Iterator

import pytest

from e2e.gangs import IMAGE
from e2e.nodes.conftest import FAST, SLOTS, SLOW
from e2e.nodes.jobs import job, size, template

# Twice as long on the slow node, so that a gang that has the choice takes the fast one.
WORK = {"serialTime": "600s"}
# Gangs change their size only while they are expected to run for long.
LONG = {"serialTime": "100h"}
ELASTIC = {"mode": "Restart", "restartTime": "5s", "minInterval": "10s"}
WHOLE_CPU = {"requests": {"cpu": "1", "memory": "32Mi"}}


@pytest.fixture
def hidden_pod(cluster, nodes) -> Iterator[str]:
    """A static pod that takes the fast node's room, in a namespace that the API server does not know."""
    allocatable = cluster.get("node", FAST)["status"]["allocatable"]["cpu"]
    container = {"name": "takes", "image": IMAGE, "resources": {"requests": {"cpu": allocatable}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "hidden", "namespace": "not-yet"},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 1},
    }
    nodes[FAST].put_static_pod(pod)
    cluster.until(lambda: nodes[FAST].has_run("hidden"))
    yield "not-yet"
    nodes[FAST].remove_static_pod("hidden")
    cluster.delete("namespace", "not-yet")


def test_gang_moves_and_an_elastic_one_goes_on_at_a_smaller_size_when_their_node_is_lost(
    jobs, nodes, request, measured
):
    # None waits for its end, which is not known.
    jobs.submit_job(job("moving", size=size(2), template=template("stay")))
    before = jobs.until_on("moving", FAST)
    # Only where both nodes are as fast, members on both are worth it.
    request.getfixturevalue("equal_nodes")
    runs = {"work": LONG, "elastic": ELASTIC, "template": template("stay")}
    jobs.submit_job(job("shrinks", size={"min": 1, "max": 1 + SLOTS}, failurePolicy={"maxRestarts": 0}, **runs))
    jobs.started_by_rank("shrinks", 1 + SLOTS)
    assert set(jobs.nodes("shrinks")) == {FAST, SLOW}

    silent = time.time()
    nodes[FAST].stop_kubelet()

    try:
        after = jobs.until_on("moving", SLOW)
        measured({"from the node's last word to the gang elsewhere": time.time() - silent})
        assert not before & after
        assert len(jobs.until_on("shrinks", SLOW)) <= SLOTS - len(after)
        assert jobs.status("shrinks").get("restarts", 0) == 0
    finally:
        nodes[FAST].start_kubelet()


def test_gang_that_a_node_has_no_room_for_lands_elsewhere(cluster, jobs, hidden_pod):
    jobs.submit_job(job("rejected", size=size(1), work=WORK, template=template("stay", resources=WHOLE_CPU)))
    jobs.until("rejected", "Placed", "False", "PodRejected")

    cluster.kubectl("create", "namespace", hidden_pod)

    [member] = jobs.until_on("rejected", SLOW)
    assert member != "rejected-1-0"
