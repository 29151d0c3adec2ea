"""Jobs leave a node whose owner is back: what they have done stays done, and their rules for failures count nothing."""

from datetime import datetime

import pytest

from builders.manifests import bid
from eventually import eventually
from live.pod_gangs import SEAT

INDEX = "batch.kubernetes.io/job-completion-index"
FAILS_AT_42 = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(suspending, behind_proxy):
    """An operator that may suspend owners; one for all tests of a file."""
    assert suspending
    with behind_proxy("job") as process:
        yield process


def job(gangs):
    return gangs.api.request("GET", f"{gangs.jobs}/heat")


def by_index(gangs):
    """The pods that have not ended and are not being deleted, by their completion index."""
    live = [
        pod
        for pod in gangs.pods("job.heat")
        if pod["status"]["phase"] != "Succeeded" and "deletionTimestamp" not in pod["metadata"]
    ]
    return {pod["metadata"]["labels"][INDEX]: pod for pod in live}


def is_on_nodes(gangs, indexes, old):
    """Whether the Job has new pods of these indexes, all on nodes."""
    pods = by_index(gangs)
    are_new = not old & {pod["metadata"]["uid"] for pod in pods.values()}
    return set(pods) == set(indexes) and are_new and all(pod["spec"].get("nodeName") for pod in pods.values())


def return_to_a_node(arena, gangs):
    """The owner of the node of a pod is back, and has members evicted; returns the UIDs of the pods before."""
    pods = by_index(gangs)
    node = pods["3"]["spec"]["nodeName"]
    arena.create(bid(node, onReturn="Evict", gracePeriodSeconds=0, ownerPresent=True))
    return {pod["metadata"]["uid"] for pod in pods.values()}


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param({"backoffLimit": 0}, id="backoffLimit 0"),
        pytest.param({"backoffLimit": None, "backoffLimitPerIndex": 0}, id="backoffLimitPerIndex 0"),
        pytest.param({"podReplacementPolicy": "Failed"}, id="podReplacementPolicy Failed"),
        pytest.param({"podFailurePolicy": FAILS_AT_42, "ttlSecondsAfterFinished": 0}, id="podFailurePolicy"),
    ],
)
def test_job_that_leaves_a_node_does_no_index_twice_and_counts_nothing(arena, gangs, rules):
    arena.add_nodes(5, cpu="1")
    gangs.create_job("", 4, name="heat", **rules)
    gangs.until("job.heat", "Placed")
    arena.patch_pod_status(by_index(gangs)["0"]["metadata"]["name"], {"phase": "Succeeded"})
    eventually(lambda: job(gangs)["status"].get("completedIndexes") == "0")

    old = return_to_a_node(arena, gangs)
    eventually(lambda: is_on_nodes(gangs, "123", old))

    status = job(gangs)["status"]
    assert status["completedIndexes"] == "0"
    assert (status.get("failed", 0), status.get("failedIndexes", "")) == (0, "")
    assert len({pod["metadata"]["annotations"][SEAT].split("/")[1] for pod in by_index(gangs).values()}) == 1


def test_deadline_of_a_job_begins_anew(arena, gangs):
    arena.add_nodes(5, cpu="1")
    gangs.create_job("", 4, name="heat", activeDeadlineSeconds=3600)
    gangs.until("job.heat", "Placed")
    started = datetime.fromisoformat(job(gangs)["status"]["startTime"])

    old = return_to_a_node(arena, gangs)
    eventually(lambda: is_on_nodes(gangs, "0123", old))

    assert datetime.fromisoformat(job(gangs)["status"]["startTime"]) >= started
