"""What admission makes of the members counts, whatever the template says."""

import pytest

from builders.manifests import foreign_pod, gang
from eventually import eventually
from live.releases import MUTATING_POLICIES
from sandbox import Taint, TaintEffect

pytestmark = pytest.mark.usefixtures("operator")

CLASSES = "/apis/node.k8s.io/v1/runtimeclasses"
NO_REQUESTS = {"resources": {}}
DEDICATED = Taint(key="dedicated", value="sandboxed", effect=TaintEffect.NO_SCHEDULE)


@pytest.fixture
def limit_range(arena):
    """Gives the arena's namespace defaults for containers that ask for nothing."""

    def create(**default):
        limits = [{"type": "Container", "default": default, "defaultRequest": default}]
        path = f"{arena.core}/limitranges"
        arena.api.request("POST", path, {"metadata": {"name": "defaults"}, "spec": {"limits": limits}})
        # An API server gives defaults once its own watch has shown it the range.
        eventually(lambda: dry_run_request(arena) == default.get("cpu"))

    return create


@pytest.fixture
def runtime_class(arena):
    """Creates a RuntimeClass of the arena's own, and returns its name."""
    name = f"{arena.pool}-sandboxed"

    def create(**fields):
        arena.api.request("POST", CLASSES, {"metadata": {"name": name}, "handler": "sandboxed", **fields})
        eventually(lambda: dry_run(arena, {"runtimeClassName": name}) is not None)
        return name

    yield create
    arena.delete(f"{CLASSES}/{name}")


@pytest.fixture
def policy(arena):
    """Lets a MutatingAdmissionPolicy change the pods of the arena's namespace."""
    name = f"{arena.pool}-policy"

    def create(pod, is_there):
        mutation = {
            "patchType": "ApplyConfiguration",
            "applyConfiguration": {"expression": f"Object{{spec: Object.spec{pod}}}"},
        }
        if "JSONPatch" in pod:
            mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": pod}}
        spec = {
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
                ]
            },
            "mutations": [mutation],
            "reinvocationPolicy": "Never",
        }
        arena.api.request(
            "POST", f"{MUTATING_POLICIES}/mutatingadmissionpolicies", {"metadata": {"name": name}, "spec": spec}
        )
        selector = {"matchLabels": {"kubernetes.io/metadata.name": arena.namespace}}
        binding = {"policyName": name, "matchResources": {"namespaceSelector": selector}}
        path = f"{MUTATING_POLICIES}/mutatingadmissionpolicybindings"
        arena.api.request("POST", path, {"metadata": {"name": name}, "spec": binding})
        eventually(
            lambda: is_there(dry_run(arena, {"nodeSelector": {"a": "b"}}) or {"nodeSelector": {}, "containers": [{}]})
        )

    yield create
    for kind in ("mutatingadmissionpolicybindings", "mutatingadmissionpolicies"):
        arena.delete(f"{MUTATING_POLICIES}/{kind}/{name}")


def test_defaults_of_a_limit_range_count(arena, limit_range, pods_seen):
    arena.add_nodes(1, cpu="8")
    limit_range(cpu="2")

    arena.submit(gang("heat", size=(2, 12), container=NO_REQUESTS, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert len(arena.pods("heat")) == 4
    accepted = arena.condition("heat", "Accepted")
    assert (accepted["status"], accepted["reason"]) == ("True", "ChangedByAdmission")
    assert (
        accepted["message"]
        == "Admission changes the members, and Lockstep plans them as changed: cpu 2 instead of none."
    )
    [event] = arena.until_events("heat", "ChangedByAdmission")
    assert event["note"] == accepted["message"]
    assert most_cpu_bound(pods_seen) <= 8_000


def test_overhead_and_nodes_of_a_runtime_class_count(arena, runtime_class):
    arena.add_nodes(1, cpu="8")
    [sandboxed] = arena.add_nodes(1, cpu="8", labels={"runtime": "sandboxed"}, taints=(DEDICATED,))
    name = runtime_class(
        overhead={"podFixed": {"cpu": "1"}},
        scheduling={
            "nodeSelector": {"runtime": "sandboxed"},
            "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}],
        },
    )

    arena.submit(gang("heat", size=(2, 12), pod={"runtimeClassName": name}, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [sandboxed] * 4
    assert arena.condition("heat", "Accepted")["message"] == (
        "Admission changes the members, and Lockstep plans them as changed: cpu 2 instead of 1,"
        " node selector runtime=sandboxed instead of none,"
        " a toleration of dedicated:NoSchedule instead of none."
    )


def test_what_a_policy_changes_counts(arena, policy):
    arena.add_nodes(1)
    [chosen] = arena.add_nodes(1, labels={"chosen": "yes"})
    add = 'JSONPatch{op: "add", path: "/spec/nodeSelector/chosen", value: "yes"}'
    policy(f"has(object.spec.nodeSelector) ? [{add}] : []", lambda pod: "chosen" in pod["nodeSelector"])

    arena.submit(gang("heat", size=2))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [chosen] * 2


def test_gang_that_a_policy_makes_unsupported_is_refused(arena, policy):
    arena.add_nodes(1)
    policy(
        '{schedulingGates: [Object.spec.schedulingGates{name: "example.com/wait"}]}',
        lambda pod: "schedulingGates" in pod,
    )

    arena.submit(gang("heat"))

    refused = arena.until("heat", "Accepted", "False", "UnsupportedField")
    assert refused["message"].startswith("Admission makes the members invalid: template.spec.schedulingGates: ")
    eventually(lambda: arena.pods("heat") == [])


def test_what_admission_adds_is_known_while_a_gang_waits(arena, limit_range):
    [node] = arena.add_nodes(1, cpu="8")
    arena.create(foreign_pod("owner", node, containers=[needing("16Gi")]))
    limit_range(cpu="2")
    arena.submit(gang("heat", size=(2, 12), container=needing("1Gi"), work={"serialTime": "1h"}))
    arena.until("heat", "Accepted", "True", "ChangedByAdmission")

    arena.delete_pod("owner")

    arena.until_placed("heat")
    assert (len(arena.pods("heat")), arena.status("heat")["attempt"]) == (4, 1)


def test_less_than_was_planned_counts_too(arena, policy):
    arena.add_nodes(1, cpu="8")
    policy(
        '{containers: [Object.spec.containers{name: "main", resources: Object.spec.containers.resources{'
        'requests: {"cpu": "1"}}}]}',
        lambda pod: pod["containers"][0].get("resources", {}).get("requests") == {"cpu": "1"},
    )

    arena.submit(gang("heat", size=(2, 12), cpu="4", work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert len(arena.pods("heat")) == 8


def needing(memory):
    """A container that asks for memory only."""
    return {"name": "main", "image": "x", "resources": {"requests": {"memory": memory}}}


def dry_run(arena, spec):
    """The spec of a pod as admission would make it, or None where it refuses it."""
    return arena.dry_run({"containers": [{"name": "main", "image": "x"}], **spec})


def dry_run_request(arena):
    """How much CPU a container gets that asks for nothing."""
    pod = dry_run(arena, {})
    return pod and pod["containers"][0].get("resources", {}).get("requests", {}).get("cpu")


def most_cpu_bound(pods_seen):
    """The most CPU that was ever bound at once, in milli-CPU."""
    return max(sum(pod.cpu for pod in pods.values() if pod.node) for pods in pods_seen.history)
