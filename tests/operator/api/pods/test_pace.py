"""The CPU of members, as their pods and their gang's status format_refusal it."""

import pytest

from builders.served import container, gang, owned_by, pod
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.pods.pace import resize_patch
from lockstep.api.pods.pod import parse_pod
from lockstep.api.unreadable.unreadable_objects import read_pod
from lockstep.facts.pods.pace import ContainerCpu, Cpu, Pace, PendingResize
from lockstep.facts.pods.pod import LARGEST_AMOUNT

RESTARTS = {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}
RESTARTS_FOR_MEMORY = {"resizePolicy": [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]}


def member(*containers, status=None, **spec):
    return pod("g-1-0", phase="Running", spec={"containers": list(containers), **spec}, status=status, **owned_by("g"))


@pytest.mark.parametrize(
    ("described", "want"),
    [
        pytest.param({}, Cpu(0, None), id="nothing"),
        pytest.param({"requests": {"cpu": "2"}}, Cpu(2000, None), id="a request"),
        pytest.param({"requests": {"cpu": 2}, "limits": {"cpu": "2500m"}}, Cpu(2000, 2500), id="both"),
        pytest.param({"limits": {"cpu": "3"}}, Cpu(3000, 3000), id="a limit counts as a request"),
        pytest.param({"limits": {"cpu": "99999999999999999999"}}, Cpu(LARGEST_AMOUNT, LARGEST_AMOUNT), id="80 bits"),
        pytest.param({"requests": {"memory": "1Gi"}}, Cpu(0, None), id="memory only"),
    ],
)
def test_container(described, want):
    [only] = parse_pod(member(container(**described))).cpu.containers

    assert only == ContainerCpu("main", want)


@pytest.mark.parametrize("phase", ["Pending", "Succeeded"])
def test_only_members_that_run_have_one(phase):
    assert parse_pod(pod("g-1-0", phase=phase, **owned_by("g"))).cpu is None
    assert parse_pod(pod("p", phase="Running")).cpu is None


@pytest.mark.parametrize(("policy", "want"), [(RESTARTS, True), (RESTARTS_FOR_MEMORY, False)])
def test_restart_by_another_amount_of_cpu(policy, want):
    [only] = parse_pod(member(container(requests={"cpu": "1"}, **policy))).cpu.containers

    assert only.restarts is want


def test_what_a_node_can_not_give_is_reported_with_what_is_in_force():
    status = {
        "phase": "Running",
        "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}],
        "containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1100m"}}}],
    }

    cpu = parse_pod(member(container(requests={"cpu": "2"}), container("helper"), status=status)).cpu

    assert cpu.pending is PendingResize.DEFERRED
    assert [one.in_force for one in cpu.containers] == [Cpu(1000, 1100), None]


def test_unknown_reason_of_a_pending_resize_is_none_of_ours():
    status = {"conditions": [{"type": "PodResizePending", "status": "True", "reason": "Later"}]}

    assert parse_pod(member(container(), status=status)).cpu.pending is None


def test_what_makes_no_sense_fills_the_node_and_raises_nothing():
    fact = read_pod(member(container(requests={"cpu": "1e3m"})))

    assert fact.cpu is None
    assert fact.member is not None


def test_patch_leaves_a_limit_alone_that_is_not_there():
    patch = resize_patch("uid-1", {"main": Cpu(500, 550), "helper": Cpu(100, None)})

    assert patch == {
        "metadata": {"uid": "uid-1"},
        "spec": {
            "containers": [
                {"name": "main", "resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "550m"}}},
                {"name": "helper", "resources": {"requests": {"cpu": "100m"}}},
            ]
        },
    }


@pytest.mark.parametrize(
    ("spec", "want"), [({}, Pace.NONE), ({"pace": "Local"}, Pace.LOCAL), ({"pace": "Share"}, Pace.SHARE)]
)
def test_pace_of_a_gang(spec, want):
    assert parse_gang(gang("g", spec=spec), None).spec.pace is want
