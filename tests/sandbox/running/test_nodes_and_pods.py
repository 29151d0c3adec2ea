import pytest

from builders.manifests import NEVER_RUNS
from eventually import eventually

PODS = "/api/v1/namespaces/{namespace}/pods"


@pytest.fixture
def namespace(full_sandbox, request):
    name = request.node.name.replace("_", "-")[:50].strip("-")
    full_sandbox.create_namespace(name)
    return name


def create_pod(sandbox, namespace, *, node="n01", metadata=None, **spec):
    manifest = {
        "metadata": {"name": "pod"} | (metadata or {}),
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "example"}],
            "tolerations": [{"operator": "Exists"}],
        }
        | ({"nodeName": node} if node else {})
        | spec,
    }
    return sandbox.request("POST", PODS.format(namespace=namespace), manifest)


def pod_status(sandbox, namespace):
    return sandbox.request("GET", f"{PODS.format(namespace=namespace)}/pod")["status"]


def wait_for_phase(sandbox, namespace, phase):
    def reached():
        status = pod_status(sandbox, namespace)
        assert status["phase"] == phase
        return status

    return eventually(reached)


def test_generic_nodes_are_ready_and_untainted(full_sandbox):
    nodes = {item["metadata"]["name"]: item for item in full_sandbox.request("GET", "/api/v1/nodes")["items"]}

    for name in ("n01", "n02"):
        [ready] = [c["status"] for c in nodes[name]["status"]["conditions"] if c["type"] == "Ready"]
        assert ready == "True"
        assert "taints" not in nodes[name]["spec"]
        assert nodes[name]["status"]["allocatable"] == {"cpu": "8", "memory": "16Gi", "pods": "110"}


def test_described_node_keeps_what_it_was_given_beside_kwok_and_the_controllers(full_sandbox, namespace):
    # A pod that kwok runs on it shows that kwok has taken the node under its care.
    create_pod(full_sandbox, namespace, node="tainted")
    wait_for_phase(full_sandbox, namespace, "Running")

    node = full_sandbox.request("GET", "/api/v1/nodes/tainted")

    assert node["metadata"]["labels"]["speed"] == "fast"
    assert node["spec"]["taints"] == [{"key": "pool", "value": "gangs", "effect": "NoSchedule"}]
    want = {"cpu": "2", "memory": "1Gi", "pods": "3", "example.com/gpu": "4"}
    assert node["status"]["allocatable"] == want
    assert node["status"]["capacity"] == want


def test_node_that_says_nothing_becomes_ready(full_sandbox):
    full_sandbox.request("POST", "/api/v1/nodes", {"metadata": {"name": "plain"}})

    def ready():
        conditions = full_sandbox.request("GET", "/api/v1/nodes/plain")["status"].get("conditions", [])
        return [c["status"] for c in conditions if c["type"] == "Ready"] == ["True"]

    eventually(ready)


def test_node_made_not_ready_is_left_alone(full_sandbox, namespace):
    condition = {"type": "Ready", "status": "False", "reason": "Test", "message": ""}
    full_sandbox.request("PATCH", "/api/v1/nodes/n02/status", {"status": {"conditions": [condition]}})

    # kwok has seen the node's change when it runs a pod that was bound later.
    create_pod(full_sandbox, namespace, node="n02")
    wait_for_phase(full_sandbox, namespace, "Running")

    [found] = full_sandbox.request("GET", "/api/v1/nodes/n02")["status"]["conditions"]
    assert found["status"] == "False"


def test_pod_that_is_never_to_run_stays_pending_on_its_node(full_sandbox, namespace):
    create_pod(full_sandbox, namespace, metadata={"name": "never", "annotations": {NEVER_RUNS: ""}})

    # kwok has seen the pod when it runs one that was bound later.
    create_pod(full_sandbox, namespace)
    wait_for_phase(full_sandbox, namespace, "Running")

    assert full_sandbox.request("GET", f"{PODS.format(namespace=namespace)}/never")["status"]["phase"] == "Pending"


def test_pod_without_annotation_runs_ready_with_an_address(full_sandbox, namespace):
    create_pod(full_sandbox, namespace)

    status = wait_for_phase(full_sandbox, namespace, "Running")

    assert {c["type"]: c["status"] for c in status["conditions"]}["Ready"] == "True"
    assert status["podIP"].startswith("10.200.")
    assert "running" in status["containerStatuses"][0]["state"]


def test_scheduler_binds_a_pod_that_names_no_node(full_sandbox, namespace):
    create_pod(full_sandbox, namespace, node="")

    wait_for_phase(full_sandbox, namespace, "Running")


@pytest.mark.parametrize(
    ("exit_code", "want_phase", "want_reason"),
    [
        pytest.param(None, "Succeeded", "Completed", id="without an exit code"),
        pytest.param("0", "Succeeded", "Completed", id="exit code 0"),
        pytest.param("3", "Failed", "Error", id="exit code 3"),
    ],
)
def test_pod_ends_after_its_run_time(full_sandbox, exit_code, want_phase, want_reason):
    namespace = f"ends-{exit_code or 'plain'}"
    full_sandbox.create_namespace(namespace)
    code = {"lockstep.dev/sandbox-exit-code": exit_code} if exit_code else {}
    annotations = {"lockstep.dev/sandbox-run-for": "300ms"} | code
    create_pod(full_sandbox, namespace, metadata={"annotations": annotations})

    status = wait_for_phase(full_sandbox, namespace, want_phase)

    terminated = status["containerStatuses"][0]["state"]["terminated"]
    assert terminated["exitCode"] == int(exit_code or 0)
    assert terminated["reason"] == want_reason
    assert terminated["startedAt"] == status["startTime"]


def test_pod_with_init_containers_and_a_sidecar_runs(full_sandbox, namespace):
    init = [{"name": "once", "image": "a"}, {"name": "beside", "image": "b", "restartPolicy": "Always"}]
    create_pod(full_sandbox, namespace, initContainers=init)

    status = wait_for_phase(full_sandbox, namespace, "Running")

    once, beside = status["initContainerStatuses"]
    assert once["state"]["terminated"]["exitCode"] == 0
    assert "running" in beside["state"]


def test_deleted_pod_is_gone_before_its_grace_period_ends(full_sandbox, namespace):
    create_pod(full_sandbox, namespace, terminationGracePeriodSeconds=3600)
    wait_for_phase(full_sandbox, namespace, "Running")

    full_sandbox.request("DELETE", f"{PODS.format(namespace=namespace)}/pod")

    eventually(lambda: not full_sandbox.request("GET", PODS.format(namespace=namespace))["items"])


def test_pod_that_is_stopped_by_its_deadline_fails_and_stays(full_sandbox, namespace):
    annotations = {"lockstep.dev/sandbox-run-for": "1h"}
    create_pod(full_sandbox, namespace, metadata={"annotations": annotations}, terminationGracePeriodSeconds=3600)
    wait_for_phase(full_sandbox, namespace, "Running")

    path = f"{PODS.format(namespace=namespace)}/pod"
    full_sandbox.request("PATCH", path, {"spec": {"activeDeadlineSeconds": 1}})

    status = wait_for_phase(full_sandbox, namespace, "Failed")
    assert status["reason"] == "DeadlineExceeded"
    assert status["containerStatuses"][0]["state"]["terminated"]["startedAt"] == status["startTime"]


def test_pod_goes_with_its_owner(full_sandbox, namespace):
    owners = f"/api/v1/namespaces/{namespace}/configmaps"
    owner = full_sandbox.request("POST", owners, {"metadata": {"name": "owner"}})["metadata"]
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"]}
    create_pod(full_sandbox, namespace, metadata={"ownerReferences": [reference]})

    full_sandbox.request("DELETE", f"{owners}/owner")

    eventually(lambda: not full_sandbox.request("GET", PODS.format(namespace=namespace))["items"])
