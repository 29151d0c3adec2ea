import base64
import contextlib
import json
import socket
import ssl
from http.client import HTTPSConnection
from urllib.parse import urlsplit

import pytest
import yaml

from eventually import eventually
from fake_programs import put_program
from sandbox import ApiError, Component, HelmError, KubectlError, Node, Options, SandboxError, processes, start
from sandbox.folder import folder_of


def get_status(server, path, *, ca_file, token=None):
    tls = ssl.create_default_context(cafile=ca_file)
    address = urlsplit(server)
    with contextlib.closing(HTTPSConnection(address.hostname, address.port, context=tls)) as connection:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        return connection.getresponse().status


def token_in(kubeconfig):
    return yaml.safe_load(kubeconfig.read_text())["users"][0]["user"]["token"]


def listens(server):
    address = urlsplit(server)
    with socket.socket() as client:
        return client.connect_ex((address.hostname, address.port)) == 0


def test_client_that_does_not_know_the_authority_refuses_the_server(full_sandbox):
    with pytest.raises(ssl.SSLCertVerificationError):
        get_status(full_sandbox.server, "/version", ca_file=None)


def test_request_without_credentials_is_not_authenticated(full_sandbox):
    assert get_status(full_sandbox.server, "/version", ca_file=full_sandbox.ca_file) == 401


def test_service_account_has_no_rights_but_those_given(full_sandbox):
    token = token_in(full_sandbox.kubeconfig_for_service_account("default", "default"))

    def listing_nodes():
        return get_status(full_sandbox.server, "/api/v1/nodes", ca_file=full_sandbox.ca_file, token=token)

    assert listing_nodes() == 403

    full_sandbox.apply(
        [
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRole",
                "metadata": {"name": "reads-nodes"},
                "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}],
            },
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": "reads-nodes"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reads-nodes"},
                "subjects": [{"kind": "ServiceAccount", "namespace": "default", "name": "default"}],
            },
        ]
    )

    eventually(lambda: listing_nodes() == 200)


def test_service_account_token_is_good_for_a_day(full_sandbox):
    token = token_in(full_sandbox.kubeconfig_for_service_account("default", "default"))

    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))

    assert claims["exp"] - claims["iat"] == 24 * 60 * 60


def test_keys_and_kubeconfigs_are_for_their_owner_only(full_sandbox):
    keys = [*full_sandbox.ca_file.parent.glob("*.key"), full_sandbox.kubeconfig]

    assert len(keys) > 3
    assert {key.stat().st_mode & 0o077 for key in keys} == {0}


def test_unknown_service_account_gets_a_sentence(full_sandbox):
    with pytest.raises(ApiError, match='serviceaccounts "nobody" not found') as refusal:
        full_sandbox.kubeconfig_for_service_account("default", "nobody")

    assert refusal.value.status == 404


def test_apply_takes_a_file(full_sandbox, tmp_path):
    manifest = tmp_path / "namespace.yaml"
    manifest.write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: from-a-file}\n")

    assert full_sandbox.apply(manifest) == "namespace/from-a-file created\n"


def test_refused_apply_says_why(full_sandbox):
    with pytest.raises(KubectlError, match="a lowercase RFC 1123 label must consist of"):
        full_sandbox.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "Not Valid"}}])


def test_helm_talks_to_the_sandbox_and_keeps_its_files_there(full_sandbox, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("{apiVersion: v2, name: tiny, version: 0.1.0}")
    (tmp_path / "templates" / "note.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: tiny}}")

    full_sandbox.helm("install", "tiny", str(tmp_path))

    assert full_sandbox.request("GET", "/api/v1/namespaces/default/configmaps/tiny")["metadata"]["name"] == "tiny"
    cache = full_sandbox.helm("env", "HELM_CACHE_HOME").strip()
    assert cache.startswith(str(full_sandbox.kubeconfig.parent))


def test_refused_helm_says_why(full_sandbox, tmp_path):
    with pytest.raises(HelmError, match="not found"):
        full_sandbox.helm("install", "nothing", str(tmp_path / "absent"))


def test_second_start_under_the_same_name_is_refused(full_sandbox):
    state = full_sandbox.kubeconfig.parent.parent

    with pytest.raises(SandboxError, match="full is running already"):
        start(Options(name="full", state=state))

    assert full_sandbox.is_running(Component.API_SERVER)


@pytest.mark.parametrize("name", ["", "Capitals", "../elsewhere", "-edge", "a" * 41])
def test_name_that_cannot_be_a_folder_is_refused(name, tmp_path):
    with pytest.raises(SandboxError, match="cannot name a sandbox"):
        start(Options(name=name, state=tmp_path))


def test_part_that_every_sandbox_has_is_no_addon(tmp_path):
    with pytest.raises(SandboxError, match="etcd cannot be added: every sandbox has it"):
        start(Options(addons=frozenset({Component.ETCD}), state=tmp_path))


def test_life_of_a_second_sandbox_beside_the_first(full_sandbox, tmp_path):
    with start(Options(name="second", nodes=1, state=tmp_path)) as second:
        folder = folder_of("second", tmp_path)
        kubeconfig = second.kubeconfig.read_text()
        assert second.server != full_sandbox.server
        assert get_status(second.server, "/version", ca_file=second.ca_file) == 401
        with pytest.raises(ssl.SSLCertVerificationError):
            get_status(second.server, "/version", ca_file=full_sandbox.ca_file)

        # A crash and a restart lose nothing, and clients find the server where it was.
        second.kill(Component.API_SERVER)
        assert not second.is_running(Component.API_SERVER)
        assert not listens(second.server)
        second.restart(Component.API_SERVER)
        assert second.kubeconfig.read_text() == kubeconfig
        assert [n["metadata"]["name"] for n in second.request("GET", "/api/v1/nodes")["items"]] == ["n01"]

        second.kill(Component.ETCD)
        second.restart(Component.ETCD)
        second.create_nodes([Node(name="later")])

        # An API server that has lost its etcd hangs when it is asked to stop.
        second.kill(Component.ETCD)
        server = second.server

    assert processes.running(folder.root) == {}
    assert not listens(server)
    assert not folder.root.exists()
    assert full_sandbox.is_running(Component.API_SERVER)


def test_component_that_cannot_start_is_quoted_and_leaves_nothing(tmp_path, monkeypatch):
    put_program(tmp_path / "bin", "etcd", "echo 'no room on the disk' >&2; exit 1")
    monkeypatch.setenv("LOCKSTEP_SANDBOX_BIN", str(tmp_path / "bin"))
    folder = folder_of("broken", tmp_path / "state")

    with pytest.raises(SandboxError, match="etcd ended while it was starting; its last line: no room on the disk"):
        start(Options(name="broken", state=tmp_path / "state"))

    assert processes.running(folder.root) == {}
    assert not folder.root.exists()


def test_port_taken_meanwhile_is_exchanged_for_another(tmp_path, monkeypatch):
    ports = tmp_path / "ports"
    once_taken = f"""
        case "$*" in *secure-port*) ;; *) exit 9 ;; esac
        echo "$*" | grep -o 'secure-port=[0-9]*' >> {ports}
        if [ "$(wc -l < {ports})" = 1 ]; then echo 'listen tcp: bind: address already in use' >&2; exit 1; fi
        echo 'the second attempt' >&2; exit 1
    """
    put_program(tmp_path / "bin", "kube-apiserver", once_taken)
    monkeypatch.setenv("LOCKSTEP_SANDBOX_BIN", str(tmp_path / "bin"))

    with pytest.raises(SandboxError, match="its last line: the second attempt"):
        start(Options(name="unlucky", state=tmp_path / "state"))

    assert len(set(ports.read_text().split())) == 2


def test_flags_given_to_a_component_go_over_its_own(tmp_path):
    flags = {Component.API_SERVER: ("--anonymous-auth=true",)}
    with start(Options(name="flags", state=tmp_path, flags=flags)) as sandbox:
        # It is not a known user, so it may not see that; but it is not asked for its user.
        assert get_status(sandbox.server, "/api", ca_file=sandbox.ca_file) == 403
