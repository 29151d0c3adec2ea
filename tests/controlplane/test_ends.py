"""What becomes of gangs whose members end, are drained, rejected or kept: on a real API server, as users see it."""

import os
import signal
from contextlib import contextmanager

import pytest

from builders.manifests import IMAGE, from_now, gang
from eventually import eventually
from sandbox.nodes import Taint, TaintEffect

pytestmark = pytest.mark.usefixtures("operator")

REASONS = (
    "OutOfcpu",
    "TaintToleration",
    "SMTAlignmentError",
    "VolumeAttachmentLimitExceeded",
    "SysctlForbidden",
    "PodLevelResourcesNotSupported",
    "PodFeatureUnsupported",
    "SupplementalGroupsPolicyNotSupported",
    "InvalidNodeInfo",
    "InitContainerRestartPolicyForbidden",
    "PodOSSelectorNodeLabelDoesNotMatch",
    "UnexpectedPredicateFailureType",
    "AReasonOfTomorrow",
)
HOLD = "example.com/hold"
BOTH = ("heat-1-0", "heat-1-1")
LEAVING = Taint(key="leaving", value="soon", effect=TaintEffect.NO_EXECUTE)


@contextmanager
def frozen(operator):
    """Have an operator stand still meanwhile: it then learns of all that happens at once."""
    pid = operator._running().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def ended(phase, code, finished):
    """What a kubelet says of a pod whose container ended then."""
    end = {"exitCode": code, "startedAt": finished, "finishedAt": finished}
    container = {"name": "main", "image": IMAGE, "imageID": "", "ready": False, "restartCount": 0}
    return {"phase": phase, "containerStatuses": [{**container, "state": {"terminated": end}}]}


def rejection(reason):
    """What a kubelet says of a pod that it rejects."""
    message = "Pod was rejected: by its kubelet"
    return {"phase": "Failed", "reason": reason, "message": message, "containerStatuses": None}


def evict(arena, pod):
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": arena.namespace}}
    arena.api.request("POST", f"{arena.core}/pods/{pod}/eviction", body)


def until_attempt_placed(arena, name, attempt):
    eventually(
        lambda: arena.status(name).get("attempt") == attempt and arena.condition(name, "Placed")["status"] == "True"
    )


def run(arena, *pods):
    """Place a gang of two whose members run; these pods of it stay as long as their finalizer does."""
    arena.add_nodes(2, cpu="8")
    arena.submit(gang("heat", size=2))
    eventually(lambda: "startedAt" in arena.status("heat"))
    for pod in pods:
        arena.patch_pod(pod, finalizers=[HOLD])


def let_go(arena, *pods):
    for pod in pods:
        arena.patch_pod(pod, finalizers=None)


@pytest.mark.parametrize("code", [0, 143])
@pytest.mark.parametrize("ranks", [pytest.param((0,), id="one"), pytest.param((0, 1), id="all")])
def test_drained_member_is_lost_whatever_its_exit_code_when_all_is_heard_of_at_once(operator, arena, ranks, code):
    pods = [f"heat-1-{rank}" for rank in ranks]
    run(arena, *pods)

    with frozen(operator):
        for pod in pods:
            evict(arena, pod)
            arena.patch_pod_status(pod, ended("Failed" if code else "Succeeded", code, from_now(1)))
        let_go(arena, *pods)

    until_attempt_placed(arena, "heat", 2)
    assert "succeededRanks" not in arena.status("heat")
    assert arena.status("heat").get("restarts", 0) == 0


@pytest.mark.parametrize("removal", ["evicted", "deleted"])
def test_member_that_ended_well_before_it_was_taken_away_has_succeeded(operator, arena, removal):
    run(arena, *BOTH)

    with frozen(operator):
        for pod in BOTH:
            arena.patch_pod_status(pod, ended("Succeeded", 0, from_now(-10)))
            if removal == "evicted":
                evict(arena, pod)
            else:
                arena.delete_pod(pod)

    arena.until_complete("heat")
    assert arena.status("heat")["attempt"] == 1
    let_go(arena, *BOTH)


def test_member_that_failed_before_it_was_deleted_fails_its_gang(operator, arena):
    run(arena, "heat-1-0")

    with frozen(operator):
        arena.patch_pod_status("heat-1-0", ended("Failed", 3, from_now(-10)))
        arena.delete_pod("heat-1-0")

    arena.until("heat", "Failed", reason="MemberFailed")
    let_go(arena, "heat-1-0")


def test_gang_gets_a_new_attempt_whatever_reason_a_kubelet_rejects_its_member_for(arena):
    arena.add_nodes(2, cpu="32")
    names = {f"gang-{number}": reason for number, reason in enumerate(REASONS)}
    for name in names:
        arena.submit(gang(name, size=2))
    arena.until_placed(*names, seconds=90)

    for name, reason in names.items():
        arena.patch_pod_status(f"{name}-1-0", rejection(reason))

    for name in names:
        until_attempt_placed(arena, name, 2)
    assert [name for name in names if arena.condition(name, "Failed")] == []


def test_gang_whose_own_deadline_ends_a_member_fails(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=2))
    eventually(lambda: "startedAt" in arena.status("heat"))

    message = "Pod was active on the node longer than the specified deadline"
    ends = ended("Failed", 137, from_now(0))
    arena.patch_pod_status("heat-1-0", {**ends, "reason": "DeadlineExceeded", "message": message})

    assert "DeadlineExceeded" in arena.until("heat", "Failed", reason="MemberFailed")["message"]


def test_gang_that_kubelets_of_three_nodes_reject_is_refused_until_a_node_changes(operator, arena):
    arena.add_nodes(3, cpu="2")
    arena.submit(gang("heat", size=3, cpu="2"))
    arena.until_placed("heat")
    with frozen(operator):
        for rank in range(3):
            arena.patch_pod_status(f"heat-1-{rank}", rejection("SysctlForbidden"))

    refused = arena.until("heat", "Accepted", "False", "RejectedByKubelets")
    assert "SysctlForbidden: Pod was rejected: by its kubelet" in refused["message"]
    assert arena.status("heat")["state"] == "Refused"
    arena.until_events("heat", "RejectedByKubelets")
    arena.until_no_pods("heat")

    operator.stop()
    operator.start()
    arena.submit(gang("next", size=3, cpu="2"))
    arena.until_placed("next")
    assert arena.condition("heat", "Accepted")["reason"] == "RejectedByKubelets"
    arena.delete_gang("next")
    arena.until_no_pods("next")

    labels = {"metadata": {"labels": {"example.com/sysctls": "unsafe"}}}
    arena.api.request("PATCH", f"/api/v1/nodes/{arena.nodes[0]}", labels)

    until_attempt_placed(arena, "heat", 2)
    assert arena.condition("heat", "Accepted")["status"] == "True"
    assert "rejected" not in arena.status("heat")


def tolerant(seconds, **work):
    """A gang of two that needs nodes of its own, and tolerates that they are leaving."""
    toleration = {"key": "leaving", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}
    return gang("heat", size=2, cpu="4", pod={"tolerations": [toleration]}, **work)


@pytest.mark.parametrize(
    "work", [pytest.param({"work": {"serialTime": "1h"}}, id="an hour"), pytest.param({}, id="an unknown time")]
)
def test_gang_goes_where_no_taint_evicts_it_before_it_ends(arena, work):
    arena.add_nodes(2, taints=(LEAVING,))
    clean = arena.add_nodes(2)

    arena.submit(tolerant(5, **work))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == clean
    assert arena.status("heat")["attempt"] == 1


def test_gang_that_ends_before_a_taint_evicts_it_may_be_there(arena):
    tainted = arena.add_nodes(2, taints=(LEAVING,))

    arena.submit(tolerant(60, work={"serialTime": "10s"}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == tainted


def test_gang_that_would_be_evicted_everywhere_waits_and_says_why(arena):
    arena.add_nodes(2, taints=(LEAVING,))

    arena.submit(tolerant(5, work={"serialTime": "1h"}))

    refused = arena.until("heat", "Planned", "False", "WindowTooShort")
    assert "a taint on 2 of them evicts members after 5 s, the longest time that they tolerate it" in refused["message"]


def test_next_attempt_waits_for_no_member_that_has_ended_and_the_finalizer_is_named(arena):
    run(arena, *BOTH)
    arena.delete_pod("heat-1-0")
    arena.until("heat", "Placed", "False", "Undoing")
    eventually(lambda: f"kept by the finalizer {HOLD}" in arena.condition("heat", "Placed")["message"])

    for pod in BOTH:
        arena.patch_pod_status(pod, ended("Failed", 143, from_now(1)))

    until_attempt_placed(arena, "heat", 2)
    assert len(arena.pods("heat", attempt=1)) == 2
    let_go(arena, *BOTH)
