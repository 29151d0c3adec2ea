"""A release whose operator really runs, with the rights and the arguments of its pods: `helm test`, and its lease."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventually import eventually
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import ApiError


@pytest.fixture
def operated(release, tmp_path):
    """A release whose operator really runs, as a process with the arguments and the rights of its pods."""
    release.install({"replicaCount": 1})
    [pod] = release.operators()
    [container] = pod["spec"]["containers"]
    kubeconfig = release.api.kubeconfig_for_service_account(release.namespace, pod["spec"]["serviceAccountName"])
    with running(OperatorProcess(kubeconfig, tmp_path / "operator" / "log", *container["args"][1:])) as operator:
        yield release, operator


def test_helm_test_places_a_gang_with_its_own_few_rights(operated):
    release, _ = operated
    with ThreadPoolExecutor() as threads:
        said = threads.submit(release.test)
        pod = eventually(lambda: the_test_pod(release))
        done = run_as_its_pod(release, pod)
        assert (done.returncode, done.stderr) == (0, "")
        end(release, pod, "Succeeded")

    assert "Phase:          Succeeded" in said.result()
    assert f"Lockstep works: a gang in {release.namespace} was placed after " in done.stdout
    # What a success leaves is nothing.
    eventually(lambda: the_test_pod(release) is None)


def test_lease_that_the_operator_holds_is_still_the_releases(operated):
    release, operator = operated
    eventually(lambda: operator.metrics()["lockstep_leader"] == 1)
    holder = lease(release)["spec"]["holderIdentity"]

    release.upgrade({"replicaCount": 1, "commonLabels": {"team": "batch"}})
    upgraded = lease(release)
    release.rollback(1)

    assert upgraded["metadata"]["labels"]["team"] == "batch"
    assert holder
    assert upgraded["spec"]["holderIdentity"] == lease(release)["spec"]["holderIdentity"] == holder
    # The last of its objects goes, though the operator has written it.
    operator.stop()
    release.uninstall()


def lease(release):
    return release.read("coordination.k8s.io/v1/leases/lockstep")


def the_test_pod(release):
    """The pod of the test once it runs, as the sandbox has it."""
    try:
        pod = release.read("v1/pods/lockstep-test")
    except ApiError:
        return None
    return pod if pod.get("status", {}).get("phase") == "Running" else None


def run_as_its_pod(release, pod):
    """Run the command of the pod's container, logged in as the pod is."""
    [container] = pod["spec"]["containers"]
    kubeconfig = release.api.kubeconfig_for_service_account(release.namespace, pod["spec"]["serviceAccountName"])
    command = [sys.executable, "-m", "lockstep", *container["args"], f"--kubeconfig={kubeconfig}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def end(release, pod, phase):
    path = f"/api/v1/namespaces/{release.namespace}/pods/{pod['metadata']['name']}/status"
    release.api.request("PATCH", path, {"status": {"phase": phase}})
