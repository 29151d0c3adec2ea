"""A release whose operator really runs, with the rights and the arguments of its pods: `helm test`, and its lease."""

import base64
import os
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from charts.cluster import Release
from eventually import eventually
from live.quick_start import Forked, finished
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import ApiError
from sandbox.ports import LOOPBACK, KeptPort


class Operated(NamedTuple):
    """A release, its operator, the port of the secured metrics, and the authority that vouches for them."""

    release: Release
    operator: OperatorProcess
    metrics_port: KeptPort
    authority: Path


@pytest.fixture(scope="module")
def operated(cluster, chart, tmp_path_factory):
    """A release whose operator really runs; one for all tests of this file, since an installation costs a lot."""
    folder, port = tmp_path_factory.mktemp("operated"), KeptPort()
    release = Release(cluster, chart, "operated")
    release.install({"replicaCount": 1, "metrics": {"secure": {"enabled": True}}})
    for name, content in release.read("v1/secrets/lockstep-metrics-tls")["data"].items():
        (folder / name).write_bytes(base64.b64decode(content))
    options = (f"--metrics-cert-dir={folder}", f"--metrics-listen-port={port.number}")
    with running(operator_of(release, folder, *options)) as operator:
        yield Operated(release, operator, port, folder / "ca.crt")
    release.close()


def operator_of(release, folder, *options):
    """A process with the arguments and the rights of the release's pods, and options that no pod needs."""
    [pod] = release.operators()
    [container] = pod["spec"]["containers"]
    kubeconfig = release.api.kubeconfig_for_service_account(release.namespace, pod["spec"]["serviceAccountName"])
    log = folder / "operator" / "log"
    log.parent.mkdir()
    return OperatorProcess(kubeconfig, log, *container["args"][1:], *options, spawn=Forked)


def test_helm_test_places_a_gang_with_its_own_few_rights(operated):
    release = operated.release
    with ThreadPoolExecutor() as threads:
        said = threads.submit(release.test)
        pod = eventually(lambda: the_test_pod(release))
        done = run_as_its_pod(release, pod)
        assert (done.returncode, done.stderr) == (0, "Waiting until a gang is placed\n")
        end(release, pod, "Succeeded")

    assert "Phase:          Succeeded" in said.result()
    assert f"Lockstep works: a gang in {release.namespace} was placed after " in done.stdout
    # What a success leaves is nothing.
    eventually(lambda: the_test_pod(release) is None)


def test_secured_metrics_are_shown_to_who_has_the_role_and_by_the_certificate_of_the_service(operated):
    bind_reader(operated.release, "lockstep")

    assert asked(operated, "nonsense") == 401
    assert asked(operated, token(operated.release, "default")) == 403
    assert asked(operated, token(operated.release, "lockstep")) == 200


def test_lease_that_the_operator_holds_is_still_the_releases(operated):
    release, operator = operated.release, operated.operator
    holder = eventually(lambda: lease(release)["spec"].get("holderIdentity"))

    release.upgrade({"replicaCount": 1, "commonLabels": {"team": "batch"}})
    upgraded = lease(release)
    release.rollback(1)

    assert upgraded["metadata"]["labels"]["team"] == "batch"
    assert upgraded["spec"]["holderIdentity"] == lease(release)["spec"]["holderIdentity"] == holder
    # The last of its objects goes, though the operator has written it.
    operator.stop()
    release.uninstall()


def asked(operated, shown):
    """The code of the answer to who scrapes as the ServiceMonitor has it: by that authority and the Service's name."""
    server = f"lockstep.{operated.release.namespace}.svc"
    context = ssl.create_default_context(cafile=operated.authority)
    with (
        socket.create_connection((LOOPBACK, operated.metrics_port.number), timeout=300) as plain,
        context.wrap_socket(plain, server_hostname=server) as connection,
    ):
        lines = ("GET /metrics HTTP/1.1", f"Host: {server}", f"Authorization: Bearer {shown}", "Connection: close")
        connection.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        return int(connection.makefile("rb").readline().split()[1])


def token(release, account):
    """A token of an account of the release's namespace."""
    path = f"/api/v1/namespaces/{release.namespace}/serviceaccounts/{account}/token"
    return release.api.request("POST", path, {})["status"]["token"]


def bind_reader(release, account):
    subject = {"kind": "ServiceAccount", "name": account, "namespace": release.namespace}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "lockstep-metrics-reader"}
    metadata = {"name": f"{release.namespace}-reader"}
    path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    release.api.request("POST", path, {"metadata": metadata, "roleRef": role, "subjects": [subject]})


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
    return finished([*container["args"], f"--kubeconfig={kubeconfig}"], os.environ, seconds=300)


def end(release, pod, phase):
    path = f"/api/v1/namespaces/{release.namespace}/pods/{pod['metadata']['name']}/status"
    release.api.request("PATCH", path, {"status": {"phase": phase}})
