"""Answers for tenants, asked through a real API server: by an editor, a viewer, and for what must not be seen."""

import http.client
import json
import ssl
from contextlib import closing, contextmanager
from functools import partial

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import gang
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
SECRET_NAMESPACE, SECRET_GANG, SECRET_LASTING = "zebra-project", "okapi-run", "okapi-lasting"


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
    """An operator that publishes its settings and guards against a server that is dead.

    By default the gang that fits nowhere would hold nodes, and no other would have a start. That answers have one
    shows that these settings are used.
    """
    kubeconfig = cluster.kubeconfig_for_service_account(SYSTEM, "lockstep")
    log = tmp_path_factory.mktemp("operator") / "log"
    election = ("--leader-elect=true", f"--leader-elect-resource-namespace={SYSTEM}")
    options = (*election, "--tenant-answers=true", "--hold-for=0")
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
    """A tenant's namespace whose gangs wait behind two of a namespace that it must not learn of.

    One of these ends in an hour, on two of three nodes, and the other at an unknown time.
    """
    cluster.create_namespace("tenant")
    cluster.create_namespace(SECRET_NAMESPACE)
    arena = Arena(cluster, "tenant")
    arena.add_nodes(3)
    secret = Arena(cluster, SECRET_NAMESPACE)
    secret.pool = arena.pool
    secret.submit(gang(SECRET_GANG, size=2, cpu="3", **HOUR))
    secret.submit(gang(SECRET_LASTING, size=1, cpu="3"))
    secret.until_placed(SECRET_GANG, SECRET_LASTING)
    arena.submit(gang("mine", size=2, cpu="3", **HOUR))
    arena.submit(gang("blocked", size=3, cpu="3", **HOUR))
    pinned = gang("pinned", size=1, cpu="3", **HOUR)
    pinned["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": arena.nodes[0]}
    arena.submit(pinned)
    arena.until("mine", "Planned")
    arena.until("blocked", "Planned", "False")
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

    own = {one["name"]: one for one in queue["gangs"]}
    assert own.keys() == {"blocked", "mine", "pinned"}
    assert (own["mine"]["size"], own["blocked"]["start"]) == (2, None)
    assert own["mine"]["start"] is not None
    assert queue["others"]["waiting"] == 3
    assert (queue["others"]["running"], queue["others"]["members"], queue["others"]["lasting"]) == (2, 3, 1)
    [freed] = queue["others"]["freed"]
    assert freed["nodes"] == 2
    assert freed["withinMinutes"] % 5 == 0


def test_explanation_says_why_and_names_neither_the_gang_in_the_way_nor_its_namespace(arena, editor):
    answer = asked(arena, editor, "tenant/gangjobexplanations/mine")

    assert (answer["phase"], answer["plan"]["reason"]) == ("Waiting", "StartsLater")
    assert answer["plan"]["ahead"] == {"gangs": 0, "members": 0}
    assert "needs 2 members" in answer["plan"]["notNow"][0].lower()
    assert "starting at" in answer["plan"]["message"]


@pytest.mark.parametrize(
    "path",
    [
        "queues/default",
        "gangjobexplanations/mine",
        "gangjobexplanations/blocked",
        "gangjobexplanations/pinned",
    ],
    ids=["queue", "explanation", "no end of others", "selector on a host name"],
)
def test_no_answer_has_a_name_of_another_namespace(arena, editor, path):
    text = json.dumps(asked(arena, editor, f"tenant/{path}"))

    assert [name for name in ("zebra", "okapi") if name in text] == []


def test_gang_in_the_way_is_named_in_no_explanation_though_the_status_names_it(arena, editor):
    plan = asked(arena, editor, "tenant/gangjobexplanations/blocked")["plan"]

    assert SECRET_LASTING in arena.condition("blocked", "Planned")["message"]
    assert plan["reason"] == arena.condition("blocked", "Planned")["reason"]
    assert plan["message"].startswith("Needs 3 members, 2 fit: ")


@pytest.mark.parametrize(
    "path", [f"{SECRET_NAMESPACE}/queues/default", f"{SECRET_NAMESPACE}/gangjobexplanations/{SECRET_GANG}"]
)
def test_another_namespace_is_refused(arena, editor, path):
    assert "Forbidden" in refusal(arena, editor, path)


def test_gang_of_another_namespace_is_not_there(arena, editor):
    assert "NotFound" in refusal(arena, editor, f"tenant/gangjobexplanations/{SECRET_GANG}")


def test_account_that_may_use_the_group_alone_is_refused_by_the_server(arena):
    """RBAC lets it through: the server asks for the right to the gangs themselves."""
    kubeconfig = kubeconfig_of(arena.api, "tenant", "half", "")
    where = "--namespace=tenant"
    arena.api.kubectl("create", "role", "half", "--verb=get", "--resource=queues.answers.lockstep.dev", where)
    arena.api.kubectl("create", "rolebinding", "half", "--role=half", "--serviceaccount=tenant:half", where)

    assert "may not get gangjobs of namespace tenant" in refusal(arena, kubeconfig, "tenant/queues/default")


def test_account_without_any_right_is_refused_by_the_api_server(arena):
    kubeconfig = kubeconfig_of(arena.api, "tenant", "nothing", "")

    assert "cannot get resource" in refusal(arena, kubeconfig, "tenant/queues/default")


def test_user_of_a_thousand_groups_is_answered(arena):
    """The API server hands on a header for each group."""
    groups = (f"--as-group=team-{number}" for number in range(1000))
    who = ("--as=somebody", "--as-group=system:masters", *groups)

    answer = arena.api.kubectl(*who, "get", "--raw", f"{API}/namespaces/tenant/queues/default")

    assert json.loads(answer)["kind"] == "Queue"


def test_kubectl_knows_the_resources(arena, editor):
    shown = arena.api.kubectl(
        f"--kubeconfig={editor}", "get", "gangjobexplanations", "mine", "--namespace=tenant", "--output=yaml"
    )

    assert yaml.safe_load(shown)["kind"] == "GangJobExplanation"


# What is not from the API server


def certificate_of(folder, front, name):
    """A client's certificate: the API server's own, one of the same authority for another name, or another's."""
    authority, pair = front
    match name:
        case "own":
            return pair
        case "other name":
            return authority.issue_client("somebody")
        case "other authority":
            return Authority(folder / "foreign").issue_client("front-proxy-client")


@pytest.fixture
def answered(arena, server, front, tmp_path):
    """The HTTP code of an answer to a client that calls the server itself."""
    return partial(answer_code, server, tmp_path, front)


def answer_code(server, folder, front, certificate, headers):
    context = ssl.create_default_context(cafile=server.folder / "ca.crt")
    if certificate:
        pair = certificate_of(folder, front, certificate)
        context.load_cert_chain(pair.certificate, pair.key)
    connection = http.client.HTTPSConnection("localhost", server.port.number, context=context, timeout=60)
    try:
        connection.request("GET", f"{API}/namespaces/tenant/queues/default", headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


FORGED = {"X-Remote-User": "system:admin", "X-Remote-Group": "system:masters"}


@pytest.mark.parametrize(
    ("certificate", "headers", "want"),
    [
        pytest.param("own", FORGED, 200, id="the API server"),
        pytest.param("own", {}, 401, id="without a user"),
        pytest.param(None, FORGED, 401, id="without a certificate"),
        pytest.param("other name", FORGED, 401, id="with another name"),
    ],
)
def test_only_the_api_server_is_believed_who_asks(answered, certificate, headers, want):
    assert answered(certificate, headers) == want


def test_certificate_of_another_authority_ends_the_connection(answered):
    with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
        answered("other authority", FORGED)


def test_request_that_is_none_leaves_nothing_in_the_log(arena, server):
    """Anybody who reaches the port could fill the log."""
    context = ssl.create_default_context(cafile=server.folder / "ca.crt")
    connection = http.client.HTTPSConnection("localhost", server.port.number, context=context, timeout=60)
    with closing(connection):
        connection.request("NONSENSE", "/xyzzy")
        assert connection.getresponse().status == 400

    assert "xyzzy" not in server.log()
    assert "NONSENSE" not in server.log()


def test_user_who_asks_again_and_again_is_put_off(answered):
    """Kubectl would wait, and ask again."""
    eager, patient = ({**FORGED, "X-Remote-User": name} for name in ("eager", "patient"))

    assert eventually(lambda: answered("own", eager) == 429, every=0)
    assert answered("own", patient) == 200


# The command line


def lockstep(kubeconfig, *arguments):
    return CliRunner().invoke(main, [*arguments, f"--kubeconfig={kubeconfig}", "--namespace=tenant"])


def test_commands_of_a_tenant_are_answered_by_it_and_say_so(arena, viewer):
    shown = lockstep(viewer, "queue")
    explained = lockstep(viewer, "explain", "gj/mine")

    assert (shown.exit_code, explained.exit_code) == (0, 0), shown.output + explained.output
    for done in (shown, explained):
        assert "the cluster's API for tenants answers" in " ".join(done.stderr.split())
        assert "zebra" not in done.output
        assert "All namespaces: 3 gangs planned, 2 gangs on nodes with 3 members." in done.stdout
    assert "tenant/mine" in shown.stdout
    assert "tenant/mine is waiting." in explained.stdout


def test_commands_of_an_administrator_plan_themselves(arena):
    done = lockstep(arena.api.kubeconfig, "queue")

    assert done.exit_code == 0, done.output
    assert "tenant/mine" in done.stdout
    assert "API for tenants" not in done.stderr


# One gang more, so nothing after this counts gangs


def test_explanation_names_no_gang_of_the_namespace_that_the_user_may_not_get(arena, editor):
    """A role may be for gangs of some names only."""
    arena.submit(gang("small", size=1, cpu="3", **HOUR))
    arena.until("small", "Planned")
    kubeconfig = kubeconfig_of(arena.api, "tenant", "narrow", "")
    for kind in ("gangjobs.lockstep.dev", "gangjobexplanations.answers.lockstep.dev"):
        name = kind.partition(".")[0]
        where = "--namespace=tenant"
        arena.api.kubectl("create", "role", name, "--verb=get", f"--resource={kind}", "--resource-name=small", where)
        arena.api.kubectl("create", "rolebinding", name, f"--role={name}", "--serviceaccount=tenant:narrow", where)
    path = "tenant/gangjobexplanations/small"
    eventually(lambda: is_explained(arena, editor, path), every=1)

    assert "tenant/mine" in json.dumps(asked(arena, editor, path))
    assert "tenant/mine" not in json.dumps(asked(arena, kubeconfig, path))


def is_explained(arena, kubeconfig, path):
    """Whether the plan that answers are made from has that gang by now."""
    try:
        return asked(arena, kubeconfig, path)["plan"] is not None
    except KubectlError:
        return False


# A server that is dead


@contextmanager
def dead(server):
    server.kill()
    try:
        yield
    finally:
        server.start()


def is_gone(api, namespace):
    try:
        return not api.request("GET", f"/api/v1/namespaces/{namespace}")
    except ApiError as error:
        return error.status == 404


def test_namespace_can_be_deleted_while_the_server_lives(arena):
    arena.api.create_namespace("passing")
    arena.api.request("DELETE", "/api/v1/namespaces/passing")

    eventually(lambda: is_gone(arena.api, "passing"), every=0.25)
    assert is_available(arena.api)


def test_namespace_can_be_deleted_though_the_server_is_dead(arena, server):
    """Kubernetes deletes no namespace while a registered API does not answer; the operator ends that."""
    api = arena.api
    api.create_namespace("leaving")

    def is_stuck():
        conditions = api.request("GET", "/api/v1/namespaces/leaving")["status"].get("conditions", ())
        return any(one["type"] == "NamespaceDeletionDiscoveryFailure" and one["status"] == "True" for one in conditions)

    with dead(server):
        eventually(lambda: not is_available(api), every=0.25)
        api.request("DELETE", "/api/v1/namespaces/leaving")
        eventually(is_stuck, every=0.25)
        eventually(lambda: is_gone(api, "leaving"), seconds=240, every=1)
    # One that lives registers itself again.
    eventually(lambda: is_available(api), every=0.25)
    assert asked(arena, api.kubeconfig, "tenant/queues/default")["kind"] == "Queue"
