"""The gate of a member that waits: who has one, what it asks for, and how far its pod's status says that it is."""

import pytest

from builders.served import container, gang, owned_by, pod, role
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.members.gate import with_gate
from lockstep.api.pods.pod import parse_pod
from lockstep.facts.gang.network import NetworkSpec
from lockstep.facts.gates import wait_of

IMAGE = "registry.example.com/lockstep:1"
BARRIER = {"network": {"startBarrier": {"timeout": "5m"}}}
RUNNING = {"state": {"running": {"startedAt": "2027-01-15T08:00:05Z"}}}
ENDED = {"state": {"terminated": {"exitCode": 0, "startedAt": "2027-01-15T08:00:03Z"}}}
WAITING = {"state": {"waiting": {"reason": "PodInitializing"}}}


def gate_of(role):
    return [one for one in init_containers(role) if one["name"] == "lockstep-gate"]


def init_containers(role):
    return role.template.document.decoded()["spec"].get("initContainers") or []


def parse(image=IMAGE, **parts):
    return parse_gang(gang("g", **parts), None, gate_image=image)


def test_gate_is_the_last_init_container():
    pod_spec = {"initContainers": [container("fetch")]}

    [only] = parse(spec=BARRIER, pod_spec=pod_spec).spec.roles

    assert [one["name"] for one in init_containers(only)] == ["fetch", "lockstep-gate"]
    assert gate_of(only)[0]["image"] == IMAGE


@pytest.mark.parametrize("network", [None, {}, {"rendezvous": "Torch"}])
def test_who_does_not_wait_has_no_gate(network):
    [only] = parse(image="", spec={} if network is None else {"network": network}).spec.roles

    assert not gate_of(only)


def test_of_roles_those_have_a_gate_that_start_after_others():
    launcher = {**role("launcher", load="None"), "startAfter": ["workers"]}

    spec = parse(roles=(launcher, role("workers"))).spec

    assert [bool(gate_of(one)) for one in spec.roles] == [True, False]


def test_barrier_gives_every_role_a_gate():
    spec = parse(roles=(role("launcher", load="None"), role("workers")), spec=BARRIER).spec

    assert all(gate_of(one) for one in spec.roles)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"spec": BARRIER}, id="a barrier"),
        pytest.param({"roles": ({**role("a"), "startAfter": ["b"]}, role("b"))}, id="startAfter"),
    ],
)
def test_without_a_gate_image_no_member_can_wait(parts):
    refusal = parse(image="", **parts).refusal

    assert refusal.reason == "UnsupportedField"
    assert "The operator runs without a gate image" in refusal.message


@pytest.mark.parametrize(
    ("cpu", "memory", "want"),
    [
        pytest.param("1", "1Gi", (1000, 2**30), id="more than the gate"),
        pytest.param("50m", "1Mi", (100, 64 * 2**20), id="less than the gate"),
    ],
)
def test_what_the_gate_asks_for_counts_as_that_of_any_init_container(cpu, memory, want):
    pod_spec = {"containers": [container(requests={"cpu": cpu, "memory": memory})]}

    request = dict(parse(spec=BARRIER, pod_spec=pod_spec).spec.roles[0].request)

    assert (request["cpu"], request["memory"]) == want


def test_template_is_not_changed():
    manifest = gang("g", spec=BARRIER)
    before = repr(manifest)

    parse_gang(manifest, None, gate_image=IMAGE)

    assert repr(manifest) == before


def test_gate_reads_the_annotation_of_its_own_pod():
    spec = with_gate({"spec": {"containers": [container()]}}, IMAGE)["spec"]

    [gate], [volume] = spec["initContainers"], spec["volumes"]
    [item] = volume["downwardAPI"]["items"]
    assert item["fieldRef"] == {"fieldPath": "metadata.annotations['lockstep.dev/go']"}
    assert gate["command"] == ["lockstep", "gate", "--file", f"{gate['volumeMounts'][0]['mountPath']}/{item['path']}"]


def member(phase="Pending", inits=(), containers=(), **metadata):
    statuses = {"initContainerStatuses": list(inits), "containerStatuses": list(containers)}
    return parse_pod(pod("g-1-0", node="n1", phase=phase, status=statuses, **{**owned_by("g"), **metadata}))


@pytest.mark.parametrize(
    ("phase", "inits", "want"),
    [
        pytest.param("Pending", [], False, id="nothing yet"),
        pytest.param("Pending", [{"name": "fetch", **RUNNING}], False, id="another one runs"),
        pytest.param("Pending", [{"name": "lockstep-gate", **WAITING}], False, id="it is still to run"),
        pytest.param("Pending", [{"name": "lockstep-gate"}], False, id="nothing is known of it"),
        pytest.param("Pending", [{"name": "lockstep-gate", **RUNNING}], True, id="it runs"),
        pytest.param("Pending", [{"name": "lockstep-gate", **ENDED}], True, id="it has ended"),
        pytest.param("Running", [], True, id="the pod is past it"),
        pytest.param("Unknown", [], False, id="unknown"),
    ],
)
def test_member_is_up_once_its_gate_runs(phase, inits, want):
    assert member(phase, inits).is_up is want


def test_member_may_go_by_the_annotation():
    assert not member().may_go
    assert member(annotations={"lockstep.dev/go": "true"}).may_go


@pytest.mark.parametrize(
    ("containers", "want"),
    [
        pytest.param([], None, id="nothing known"),
        pytest.param([{"name": "a", **RUNNING}], 5, id="one"),
        pytest.param([{"name": "a", **ENDED}, {"name": "b", **RUNNING}], 5, id="the last of two"),
        pytest.param([{"name": "a", **RUNNING}, {"name": "b", **WAITING}], None, id="one has not"),
    ],
)
def test_member_started_when_its_last_container_did(containers, want):
    began = parse_pod(pod("g-1-0", status={"containerStatuses": containers}, **owned_by("g"))).started

    assert (None if began is None else began % 60) == want


def test_of_other_pods_nothing_of_this_is_kept():
    other = parse_pod(pod("other", phase="Running", annotations={"lockstep.dev/go": "true"}))

    assert (other.is_up, other.may_go, other.started) == (False, False, None)


@pytest.mark.parametrize(
    ("barrier", "after", "all_up", "running", "want"),
    [
        pytest.param(60.0, (), False, (), False, id="not all are up"),
        pytest.param(60.0, (), True, (), True, id="all are up"),
        pytest.param(None, ("a", "b"), True, ("a",), False, id="one role does not run yet"),
        pytest.param(None, ("a", "b"), False, ("a", "b"), True, id="both roles run"),
        pytest.param(60.0, ("a",), True, (), False, id="all are up, and the role does not run"),
        pytest.param(60.0, ("a",), False, ("a",), False, id="the role runs, and not all are up"),
        pytest.param(60.0, ("a",), True, ("a",), True, id="both"),
    ],
)
def test_what_ends_a_wait(barrier, after, all_up, running, want):
    wait = wait_of(NetworkSpec(barrier_seconds=barrier), after)

    assert wait.has_gate
    assert wait.is_over(all_are_up=all_up, running_roles=running) is want
