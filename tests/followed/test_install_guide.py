"""The install guide, typed in word by word: one release from its installation to its end."""

import subprocess
import sys

import pytest

from docs.markdown import ROOT, fences
from e2e.pod_processes import pod_processes
from e2e.release import NAMESPACE
from eventually import eventually
from followed.terminal import terminal
from live.definitions import definitions_that_end
from sandbox import ApiError, Component, Options, start

GUIDE = ROOT / "docs" / "install.md"
TEST_POD = f"/api/v1/namespaces/{NAMESPACE}/pods/lockstep-test"
ADDONS = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER, Component.SCHEDULER})
CHECK_SECONDS = 300


@pytest.fixture
def cluster(tmp_path):
    """A user's cluster, with twelve nodes, where only what the release brings really runs."""
    options = Options(name="followed", addons=ADDONS, nodes=12, state=tmp_path / "sandboxes")
    with start(options) as sandbox, pod_processes(sandbox, tmp_path / "logs"), definitions_that_end(sandbox):
        yield sandbox


def test_every_command_does_what_the_guide_says(cluster, at_hand, home):
    blocks = iter([fence.text for fence in fences(GUIDE) if (fence.language, fence.mark) == ("sh", "")])
    with terminal({**at_hand, "KUBECONFIG": str(cluster.kubeconfig)}, home / "owner") as owner:
        owner.stay_in(next(blocks))
        run_test_pod(cluster)
        owner.until_it_has_ended()
        for block in blocks:
            owner.follow(block)

    eventually(lambda: not exists(cluster, f"/api/v1/namespaces/{NAMESPACE}"))
    assert not exists(cluster, "/apis/lockstep.dev/v1alpha1/gangjobs")
    assert not exists(cluster, "/apis/rbac.authorization.k8s.io/v1/clusterroles/lockstep")


def run_test_pod(cluster):
    """Do what a kubelet would: run the pod of `helm test`, and say how it has ended."""
    pod = eventually(lambda: exists(cluster, TEST_POD), seconds=CHECK_SECONDS)
    kubeconfig = cluster.kubeconfig_for_service_account(NAMESPACE, pod["spec"]["serviceAccountName"])
    [container] = pod["spec"]["containers"]
    subprocess.run(
        [sys.executable, "-m", "lockstep", *container["args"], f"--kubeconfig={kubeconfig}"],
        check=True,
        timeout=CHECK_SECONDS,
    )
    eventually(lambda: cluster.request("GET", TEST_POD)["status"].get("phase") == "Running")
    cluster.request("PATCH", f"{TEST_POD}/status", {"status": {"phase": "Succeeded"}})


def exists(cluster, path):
    """The object there; nothing where there is none."""
    try:
        return cluster.request("GET", path)
    except ApiError:
        return None
