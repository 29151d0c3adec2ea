"""What has become of a member, by each of the marks that its pod may have."""

import pytest

from builders.served import container, owned_by, pod
from lockstep.api.pods.pod import parse_pod
from lockstep.api.quantities import rfc3339
from lockstep.facts.pods.pod_outcome import PodOutcome

GOING, SUCCEEDED, FAILED = PodOutcome.GOING, PodOutcome.SUCCEEDED, PodOutcome.FAILED
REJECTED, DISRUPTED, DELETED = PodOutcome.REJECTED, PodOutcome.DISRUPTED, PodOutcome.DELETED
BOUND = 1_800_000_000
GRACE = 30
REJECTION = "Pod was rejected: Pod requested forbidden sysctls"


def at(second):
    return rfc3339(BOUND + second)


def runs(name="main"):
    return {"name": name, "state": {"running": {"startedAt": at(1)}}}


def waits(name="main"):
    return {"name": name, "state": {"waiting": {"reason": "PodInitializing"}}}


def ends(second, code=0, name="main", **more):
    """A container that has ended then, or at an unknown time: None."""
    times = {} if second is None else {"startedAt": at(1), "finishedAt": at(second)}
    return {"name": name, "state": {"terminated": {"exitCode": code, **times}}, **more}


def deleted(second, grace=GRACE):
    """Metadata of a pod whose deletion was asked for then."""
    return {"deletionTimestamp": at(second + grace), "deletionGracePeriodSeconds": grace}


def disrupted(second, reason="EvictionByEvictionAPI", status="True"):
    known = {} if second is None else {"lastTransitionTime": at(second)}
    return {"type": "DisruptionTarget", "status": status, "reason": reason, **known}


def member(phase, *main, init=(), conditions=(), spec=None, deletion=None, **status):
    own = {"containerStatuses": list(main), "initContainerStatuses": list(init), "conditions": list(conditions)}
    manifest = pod(
        "g-1-0", node="n1", phase=phase, spec=spec, status={**own, **status}, **owned_by("g"), **(deletion or {})
    )
    return parse_pod(manifest)


def outcome(*given, **more):
    return member(*given, **more).outcome


@pytest.mark.parametrize(
    ("second", "want"),
    [
        pytest.param(9, SUCCEEDED, id="ended before"),
        pytest.param(10, DELETED, id="ended in the same second"),
        pytest.param(11, DELETED, id="ended after"),
        pytest.param(None, DELETED, id="ended at an unknown time"),
    ],
)
def test_member_that_was_deleted_has_succeeded_if_it_ended_before(second, want):
    assert outcome("Succeeded", ends(second), deletion=deleted(10)) is want


@pytest.mark.parametrize("grace", [0, 1, 30, 86_400])
@pytest.mark.parametrize(("second", "want"), [(9, SUCCEEDED), (10, DELETED)])
def test_deletion_counts_from_when_it_was_asked_for_whatever_the_grace(grace, second, want):
    assert outcome("Succeeded", ends(second), deletion=deleted(10, grace)) is want


def test_deletion_without_a_grace_was_asked_for_when_it_says():
    assert outcome("Succeeded", ends(9), deletion={"deletionTimestamp": at(10)}) is SUCCEEDED


@pytest.mark.parametrize(("second", "want"), [(9, FAILED), (10, DELETED), (11, DELETED), (None, DELETED)])
def test_member_that_was_deleted_has_failed_if_it_ended_before(second, want):
    assert outcome("Failed", ends(second, 143), deletion=deleted(10)) is want


@pytest.mark.parametrize(("second", "want"), [(9, SUCCEEDED), (10, DISRUPTED), (11, DISRUPTED), (None, DISRUPTED)])
def test_member_that_the_cluster_evicts_has_succeeded_if_it_ended_before(second, want):
    assert outcome("Succeeded", ends(second), conditions=[disrupted(10)]) is want


@pytest.mark.parametrize(("second", "want"), [(9, FAILED), (10, DISRUPTED), (None, DISRUPTED)])
def test_member_that_the_cluster_evicts_has_failed_if_it_ended_before(second, want):
    assert outcome("Failed", ends(second, 1), conditions=[disrupted(10)]) is want


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_condition_that_a_kubelet_writes_when_all_has_ended_says_nothing_of_the_time(phase):
    condition = disrupted(20, reason="TerminationByKubelet")

    assert outcome(phase, ends(10, int(phase == "Failed")), conditions=[condition]) is DISRUPTED


def test_condition_without_a_time_counts_before_any_end():
    assert outcome("Succeeded", ends(10), conditions=[disrupted(None)]) is DISRUPTED


def test_condition_that_was_taken_back_is_no_disruption():
    assert outcome("Succeeded", ends(10), conditions=[disrupted(5, status="False")]) is SUCCEEDED


def test_condition_alone_ends_nothing():
    assert outcome("Running", runs(), conditions=[disrupted(5)]) is GOING


def test_pod_that_garbage_collection_fails_was_disrupted():
    assert outcome("Failed", runs(), conditions=[disrupted(5, "DeletionByPodGC")]) is DISRUPTED


@pytest.mark.parametrize("phase", ["Pending", "Running", "Unknown"])
@pytest.mark.parametrize(("deletion", "want"), [(None, GOING), (deleted(10), DELETED)])
def test_member_that_has_not_ended_goes_on_unless_it_is_being_deleted(phase, deletion, want):
    assert outcome(phase, runs(), deletion=deletion) is want


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({"reason": "Evicted", "message": "The node was low on memory."}, DISRUPTED, id="evicted"),
        pytest.param({"reason": "Terminated"}, DISRUPTED, id="its node was shut down"),
        pytest.param({"reason": "NodeShutdown"}, DISRUPTED, id="its node is being shut down"),
        pytest.param({"reason": "Preempting"}, DISRUPTED, id="preempted by its kubelet"),
        pytest.param({"reason": "NodeLost"}, DISRUPTED, id="its node was lost"),
        pytest.param({"reason": "SomethingNew"}, DISRUPTED, id="a reason of tomorrow's kubelet"),
        pytest.param({"reason": "DeadlineExceeded"}, FAILED, id="its own deadline"),
        pytest.param({}, FAILED, id="its program"),
    ],
)
def test_reason_of_a_pod_that_ran_is_of_its_node_unless_it_is_its_own_deadline(status, want):
    assert outcome("Failed", ends(10, 137), **status) is want


@pytest.mark.parametrize(
    "reason",
    [
        "OutOfcpu",
        "OutOfexample.com/gpu",
        "NodeAffinity",
        "NodePorts",
        "NodeShutdown",
        "Evicted",
        "TaintToleration",
        "SMTAlignmentError",
        "TopologyAffinityError",
        "UnexpectedAdmissionError",
        "VolumeAttachmentLimitExceeded",
        "SysctlForbidden",
        "AppArmor",
        "PodOSNotSupported",
        "PodOSSelectorNodeLabelDoesNotMatch",
        "PodLevelResourcesNotSupported",
        "PodFeatureUnsupported",
        "SupplementalGroupsPolicyNotSupported",
        "InitContainerRestartPolicyForbidden",
        "InvalidNodeInfo",
        "UnexpectedPredicateFailureType",
        "AReasonOfTomorrow",
    ],
)
def test_rejection_is_known_by_its_mark_whatever_the_reason(reason):
    found = member("Failed", reason=reason, message=REJECTION)

    assert (found.outcome, found.rejected_for) == (REJECTED, reason)
    assert found.ended_because == f"{reason}: {REJECTION}"


@pytest.mark.parametrize(
    "main",
    [
        pytest.param([waits()], id="waiting"),
        pytest.param([ends(None, 137)], id="given up without a start"),
    ],
)
def test_rejected_pod_may_have_containers_that_never_started(main):
    assert outcome("Failed", *main, reason="SysctlForbidden", message=REJECTION) is REJECTED


@pytest.mark.parametrize(
    ("main", "init"),
    [
        pytest.param([runs()], [], id="one runs"),
        pytest.param([ends(10, 1)], [], id="one has ended"),
        pytest.param([waits()], [ends(5, name="fetch")], id="an init container has ended"),
        pytest.param(
            [{**waits(), "lastState": {"terminated": {"exitCode": 1, "startedAt": at(1)}}}], [], id="ran once"
        ),
    ],
)
def test_what_has_started_was_not_rejected(main, init):
    assert outcome("Failed", *main, init=init, reason="NodeAffinity", message=REJECTION) is DISRUPTED


def test_rejection_stays_one_when_the_pod_is_deleted():
    assert outcome("Failed", reason="SysctlForbidden", message=REJECTION, deletion=deleted(10)) is REJECTED


def test_template_that_gives_its_pods_too_little_time_has_failed_though_none_started():
    message = "Pod was active on the node longer than the specified deadline"

    assert outcome("Failed", waits(), reason="DeadlineExceeded", message=message) is FAILED


TWO = {"containers": [container("main"), container("log")]}


@pytest.mark.parametrize(
    ("main", "want"),
    [
        pytest.param([ends(8), ends(9, name="log")], SUCCEEDED, id="both before"),
        pytest.param([ends(8), ends(12, name="log")], DELETED, id="one after"),
        pytest.param([ends(8)], DELETED, id="one of them unknown"),
        pytest.param([ends(8), ends(None, name="log")], DELETED, id="one at an unknown time"),
    ],
)
def test_pod_has_ended_when_the_last_of_its_containers_has(main, want):
    assert outcome("Succeeded", *main, spec=TWO, deletion=deleted(10)) is want


SIDECAR = {"initContainers": [container("proxy", restartPolicy="Always"), container("fetch")]}


def test_sidecar_that_ends_last_delays_no_end():
    init = [ends(20, 143, name="proxy"), ends(3, name="fetch")]

    assert outcome("Succeeded", ends(9), init=init, spec=SIDECAR, deletion=deleted(10)) is SUCCEEDED


@pytest.mark.parametrize(
    ("main", "want"),
    [
        pytest.param(ends(9), SUCCEEDED, id="its work was done"),
        pytest.param(ends(9, 1), DELETED, id="its work was not done"),
        pytest.param(ends(10), DELETED, id="in the same second"),
        pytest.param(runs(), DELETED, id="it runs"),
    ],
)
def test_member_whose_sidecars_run_on_when_it_is_deleted_counts_by_its_containers(main, want):
    init = [runs("proxy"), ends(3, name="fetch")]

    assert outcome("Running", main, init=init, spec=SIDECAR, deletion=deleted(10)) is want


def test_member_whose_sidecars_run_on_has_not_ended_but_has_succeeded_if_it_is_gone():
    found = member("Running", ends(9), init=[runs("proxy"), ends(3, name="fetch")], spec=SIDECAR)

    assert (found.outcome, found.outcome_once_gone) == (GOING, SUCCEEDED)


def test_member_that_runs_is_lost_if_it_is_gone():
    assert member("Running", runs()).outcome_once_gone is DELETED


@pytest.mark.parametrize(("second", "want"), [(9, FAILED), (10, DELETED)])
def test_failed_init_container_ends_the_pod_before_its_containers_start(second, want):
    init = [runs("proxy"), ends(second, 1, name="fetch")]

    assert outcome("Failed", waits(), init=init, spec=SIDECAR, deletion=deleted(10)) is want


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({}, DELETED, id="it would have run again"),
        pytest.param({"reason": "DeadlineExceeded"}, FAILED, id="its own deadline had ended it"),
    ],
)
def test_container_that_is_run_again_when_it_fails_has_not_ended_the_pod(status, want):
    spec = {"restartPolicy": "OnFailure"}

    assert outcome("Failed", ends(9, 1), spec=spec, deletion=deleted(10), **status) is want


@pytest.mark.parametrize(("behind", "want"), [(0, SUCCEEDED), (1, DELETED), (60, DELETED)])
def test_clock_of_a_node_that_is_behind_is_put_right_as_far_as_it_shows(behind, want):
    """The node says that it began the pod before it was bound."""
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": at(0)}
    status = {"startTime": at(-behind)}

    assert outcome("Succeeded", ends(9), conditions=[scheduled], deletion=deleted(10), **status) is want


def test_end_at_the_epoch_is_an_end_at_an_unknown_time():
    main = {"name": "main", "state": {"terminated": {"exitCode": 0, "finishedAt": "1970-01-01T00:00:00Z"}}}

    assert outcome("Succeeded", main, deletion=deleted(10)) is DELETED


def test_pod_that_is_no_member_has_no_outcome():
    manifest = pod("p", phase="Failed", status={"reason": "Evicted"}, **deleted(10))

    assert parse_pod(manifest).outcome is GOING


def test_member_that_was_evicted_and_ended_well_says_who_evicted_it():
    condition = {**disrupted(5), "message": "Eviction API: evicting"}

    found = member("Succeeded", ends(10), conditions=[condition])

    assert found.ended_because == "EvictionByEvictionAPI: Eviction API: evicting"
