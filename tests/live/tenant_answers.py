"""The server of answers for tenants beside a control plane, and users who ask it through the API server."""

import json
from contextlib import contextmanager

import pytest

from live.quick_start import Forked
from lockstep.api.cluster.answers_service import APISERVICE
from lockstep.recorder.history import HistoryError, opened_history
from lockstep_demo.installing import install
from rights.granted import OPERATOR
from sandbox import ApiError, Component, KubectlError, Options, start
from sandbox.pki import Authority
from sandbox.ports import LOOPBACK, KeptPort

RIGHTS, RECORD_RIGHTS = OPERATOR / "rbac-answers.yaml", OPERATOR / "rbac-record.yaml"
SWEEP_KIND = OPERATOR.parent / "crds" / "gangsweeps.yaml"
SYSTEM, SERVICE = "lockstep-system", "lockstep-answers"
API = "/apis/answers.lockstep.dev/v1alpha1"
APISERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
HOUR = {"work": {"serialTime": "1h"}}
# Neither may be found in any answer to tenants of other namespaces.
SECRET_NAMESPACE, SECRET_GANG, SECRET_LASTING = "zebra-project", "okapi-run", "okapi-lasting"


def _front_flags(authority, pair):
    """The API server's flags with which it hands on requests, with a certificate of its own ``authority``."""
    return (
        f"--requestheader-client-ca-file={authority.certificate}",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={pair.certificate}",
        f"--proxy-client-key-file={pair.key}",
    )


@contextmanager
def cluster_with_front(name, state, authority, pair):
    """A control plane whose API server hands on requests, with the rights and the kinds that answers need."""
    options = Options(
        name=name,
        addons=frozenset({Component.KWOK, Component.CONTROLLER_MANAGER}),
        state=state,
        flags={Component.API_SERVER: _front_flags(authority, pair)},
    )
    with start(options) as sandbox:
        install(sandbox)
        for part in (RIGHTS, RECORD_RIGHTS, SWEEP_KIND):
            sandbox.apply(part)
        yield sandbox


class RecorderBeside:
    """The recorder, which answers at a port of the loopback from the file ``database``, and can be started again."""

    def __init__(self, cluster, folder):
        Authority(folder).issue_server("tls")
        self.folder, self.database = folder, folder / "record.db"
        self.port = KeptPort()
        options = {
            "namespace": SYSTEM,
            "database": self.database,
            "listen-port": self.port.number,
            "listen-host": LOOPBACK,
            "certificates": folder,
            "kubeconfig": cluster.kubeconfig_for_service_account(SYSTEM, "lockstep-record"),
        }
        self._arguments = ["record", *(f"--{name}={value}" for name, value in options.items())]
        self._life = None

    def start(self):
        # It says once in each life that it answers.
        (self.folder / "log").write_text("")
        self._life = Forked(self._arguments, self.folder / "log")

    def is_ready(self):
        """Whether it answers, and from a file that is there."""
        try:
            with opened_history(self.database):
                return "answering on" in (self.folder / "log").read_text()
        except HistoryError:
            return False

    def kill(self):
        self._life.kill()
        self._life.wait(60)


class Server:
    """The server of answers, which can be killed and started again; it asks the ``recorder``."""

    def __init__(self, cluster, folder, recorder):
        Authority(folder).issue_server("tls", f"{SERVICE}.{SYSTEM}.svc")
        self.folder, self._log = folder, folder / "log"
        self._recorder = recorder
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
            "recorder": f"localhost:{self._recorder.port.number}",
            "recorder-certificates": self._recorder.folder,
            "kubeconfig": self._kubeconfig,
        }
        self._life = Forked(["answers", *(f"--{name}={value}" for name, value in options.items())], self._log)

    def make_service(self, cluster):
        """The Service of the answers, which leads to the loopback."""
        spec = {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": self.port.number}]}
        cluster.request("POST", f"/api/v1/namespaces/{SYSTEM}/services", {"metadata": {"name": SERVICE}, "spec": spec})

    @property
    def pid(self):
        return self._life.pid

    def kill(self):
        self._life.kill()
        self._life.wait(60)

    def log(self):
        return self._log.read_text()


def is_available(cluster):
    try:
        conditions = cluster.request("GET", f"{APISERVICES}/{APISERVICE}")["status"]["conditions"]
    except (ApiError, KeyError):
        return False
    return conditions[0]["status"] == "True" and conditions[0]["reason"] == "Passed"


def kubeconfig_of(cluster, namespace, name, role):
    """A kubeconfig with a role of Kubernetes' own in one namespace; without a role, with none."""
    cluster.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": name}})
    if role:
        cluster.kubectl(
            *("create", "rolebinding", name, f"--clusterrole={role}", f"--serviceaccount={namespace}:{name}"),
            f"--namespace={namespace}",
        )
    return cluster.kubeconfig_for_service_account(namespace, name)


def asked(arena, kubeconfig, path):
    """The answer to a user of that kubeconfig, as kubectl gets it."""
    return json.loads(arena.api.kubectl(f"--kubeconfig={kubeconfig}", "get", "--raw", f"{API}/namespaces/{path}"))


def refusal(arena, kubeconfig, path):
    with pytest.raises(KubectlError) as caught:
        asked(arena, kubeconfig, path)
    return str(caught.value)


def plan_of(arena, kubeconfig, manifest, namespace="tenant", *who):
    """The plan with a GangJob that is not there, as kubectl gets it; ``who`` may be options that name another user."""
    question = {
        "apiVersion": "answers.lockstep.dev/v1alpha1",
        "kind": "Plan",
        "metadata": {"name": manifest["metadata"]["name"]},
        "spec": {"gangJobSpec": manifest["spec"]},
    }
    arguments = ("create", "--raw", f"{API}/namespaces/{namespace}/plans", "--filename=-")
    return json.loads(arena.api.kubectl(f"--kubeconfig={kubeconfig}", *who, *arguments, stdin=json.dumps(question)))
