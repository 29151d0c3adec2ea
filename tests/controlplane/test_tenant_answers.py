"""Answers for tenants, asked through a real API server: by an editor, a viewer, and for what must not be seen."""

import http.client
import json
import ssl
from contextlib import contextmanager

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import POOL_LABEL, gang
from eventually import eventually
from live.arena import Arena
from live.quick_start import Forked
from lockstep.api.cluster.answers_service import APISERVICE
from lockstep.cli import main
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from rights.granted import OPERATOR
from sandbox import ApiError, Component, KubectlError, Options, start
from sandbox.pki import Authority
from sandbox.ports import LOOPBACK, KeptPort

RIGHTS = OPERATOR / "rbac-answers.yaml"
SYSTEM, SERVICE = "lockstep-system", "lockstep-answers"
API = "/apis/answers.lockstep.dev/v1alpha1"
APISERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
HOUR = {"work": {"serialTime": "1h"}}
# Neither may be found in any answer to tenants of other namespaces.
SECRET_NAMESPACE, SECRET_GANG = "zebra-project", "okapi-run"


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    """The authority of the API server's own certificate, and that certificate."""
    authority = Authority(tmp_path_factory.mktemp("front"))
    return authority, authority.issue_client("front-proxy-client")


@pytest.fixture(scope="module")
def cluster(front, tmp_path_factory):
    """A control plane whose API server hands on requests, with two nodes of four CPUs."""
    authority, pair = front
    flags = (
        f"--requestheader-client-ca-file={authority.certificate}",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={pair.certificate}",
        f"--proxy-client-key-file={pair.key}",
    )
    options = Options(
        name="tenants",
        addons=frozenset({Component.KWOK, Component.CONTROLLER_MANAGER}),
        state=tmp_path_factory.mktemp("sandboxes"),
        flags={Component.API_SERVER: flags},
    )
    with start(options) as sandbox:
        install(sandbox)
        sandbox.apply(RIGHTS)
        yield sandbox


@pytest.fixture(scope="module")
def operator(cluster, tmp_path_factory):
    """An operator that publishes its settings and guards against a server that is dead."""
    kubeconfig = cluster.kubeconfig_for_service_account(SYSTEM, "lockstep")
    log = tmp_path_factory.mktemp("operator") / "log"
    options = ("--leader-elect=true", "--leader-elect-resource-namespace=lockstep-system", "--tenant-answers=true")
    with running(OperatorProcess(kubeconfig, log, *options, spawn=Forked)) as process:
        yield process


class Server:
    """The server of answers, which can be killed and started again."""

    def __init__(self, cluster, folder):
        Authority(folder).issue_server("tls", f"{SERVICE}.{SYSTEM}.svc")
        self.folder, self._log = folder, folder / "log"
        self.port = KeptPort()
        self._kubeconfig = cluster.kubeconfig_for_service_account(SYSTEM, SERVICE)
        self._life = None

    def start(self):
        options = {
            "service": f"{SYSTEM}/{SERVICE}",
            "service-port": self.port.number,
            "listen-port": self.port.number,
            "listen-host": LOOPBACK,
            "certificates": self.folder,
            "kubeconfig": self._kubeconfig,
        }
        self._life = Forked(["answers", *(f"--{name}={value}" for name, value in options.items())], self._log)

    def kill(self):
        self._life.kill()
        self._life.wait(60)

    def log(self):
        return self._log.read_text()


@pytest.fixture(scope="module")
def server(cluster, operator, tmp_path_factory):
    """A server of answers that the API server reaches; the Service leads to the loopback."""
    server = Server(cluster, tmp_path_factory.mktemp("server"))
    spec = {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": server.port.number}]}
    cluster.request("POST", f"/api/v1/namespaces/{SYSTEM}/services", {"metadata": {"name": SERVICE}, "spec": spec})
    server.start()
    try:
        eventually(lambda: is_available(cluster), every=0.25)
        yield server
    finally:
        server.kill()


def is_available(cluster):
    try:
        conditions = cluster.request("GET", f"{APISERVICES}/{APISERVICE}")["status"]["conditions"]
    except (ApiError, KeyError):
        return False
    return conditions[0]["status"] == "True" and conditions[0]["reason"] == "Passed"


@pytest.fixture(scope="module")
def arena(cluster, server):
    """A tenant's namespace whose gang waits behind one of a namespace that it must not learn of."""
    cluster.create_namespace("tenant")
    cluster.create_namespace(SECRET_NAMESPACE)
    arena = Arena(cluster, "tenant")
    arena.add_nodes(2)
    secret = Arena(cluster, SECRET_NAMESPACE)
    secret.pool = arena.pool
    secret.submit(gang(SECRET_GANG, size=2, cpu="3", **HOUR))
    secret.until_placed(SECRET_GANG)
    arena.submit(gang("mine", size=2, cpu="3", **HOUR))
    pinned = gang("pinned", size=1, cpu="3", **HOUR)
    pinned["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": arena.nodes[0]}
    arena.submit(pinned)
    arena.until("mine", "Planned")
    return arena


def kubeconfig_of(cluster, namespace, name, role):
    """A kubeconfig with a role of Kubernetes' own in one namespace; without a role, with none."""
    cluster.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": name}})
    if role:
        cluster.kubectl(
            *("create", "rolebinding", name, f"--clusterrole={role}", f"--serviceaccount={namespace}:{name}"),
            f"--namespace={namespace}",
        )
    return cluster.kubeconfig_for_service_account(namespace, name)


@pytest.fixture(scope="module")
def editor(arena):
    return kubeconfig_of(arena.api, "tenant", "editor", "edit")


@pytest.fixture(scope="module")
def viewer(arena):
    return kubeconfig_of(arena.api, "tenant", "viewer", "view")


def asked(arena, kubeconfig, path):
    """The answer to a user of that kubeconfig, as kubectl gets it."""
    return json.loads(arena.api.kubectl(f"--kubeconfig={kubeconfig}", "get", "--raw", f"{API}/namespaces/{path}"))


def refusal(arena, kubeconfig, path):
    with pytest.raises(KubectlError) as caught:
        asked(arena, kubeconfig, path)
    return str(caught.value)


@pytest.mark.parametrize("user", ["editor", "viewer"])
def test_tenant_sees_when_the_own_gangs_start_and_only_numbers_of_others(arena, user, request):
    queue = asked(arena, request.getfixturevalue(user), "tenant/queues/default")

    mine, pinned = sorted(queue["gangs"], key=lambda one: one["name"])
    assert (mine["name"], mine["size"], pinned["name"]) == ("mine", 2, "pinned")
    assert mine["start"] is not None
    assert queue["others"]["waiting"] == 2
    assert (queue["others"]["running"], queue["others"]["members"]) == (1, 2)
    [freed] = queue["others"]["freed"]
    assert freed["nodes"] == 2
    assert freed["withinMinutes"] % 5 == 0
