"""How the API server is found, and what it says when it can't."""

import json
import ssl
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from fake_cluster.scripted import ScriptedServer, reply, status
from lockstep.api.client.answer import Target, retry_after_seconds
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import (
    ConfigError,
    Configuration,
    load_configuration,
    observed_session,
    tls_context,
    usual_namespace,
)
from sandbox.pki import Authority

KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1234"}}, {name: d, cluster: {server: "http://127.0.0.1:5678"}}]
contexts:
- {name: one, context: {cluster: c, user: u}}
- {name: other, context: {cluster: d, user: u}}
current-context: one
users: [{name: u, user: {token: secret}}]
"""


@pytest.fixture
def kubeconfig(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    path = tmp_path / "config"
    path.write_text(KUBECONFIG)
    return str(path)


@pytest.mark.parametrize(
    ("context", "want_host"),
    [
        pytest.param(None, "http://127.0.0.1:1234", id="its current context"),
        pytest.param("other", "http://127.0.0.1:5678", id="a named context"),
    ],
)
def test_kubeconfig_is_obeyed(kubeconfig, context, want_host):
    configuration = load_configuration(kubeconfig=kubeconfig, context=context)

    assert configuration.host == want_host
    assert configuration.get_api_key_with_prefix("BearerToken", alias="authorization") == "Bearer secret"


@pytest.mark.parametrize(
    ("text", "context", "want"),
    [
        pytest.param(None, None, "default", id="no such file"),
        pytest.param(KUBECONFIG, None, "default", id="none in the context"),
        pytest.param(KUBECONFIG.replace("cluster: c,", "cluster: c, namespace: team,"), None, "team", id="current"),
        pytest.param(KUBECONFIG.replace("cluster: d,", "cluster: d, namespace: team,"), "other", "team", id="named"),
        pytest.param(KUBECONFIG, "missing", "default", id="no such context"),
        pytest.param("- a\n- b\n", None, "default", id="a list"),
        pytest.param("just words", None, "default", id="a string"),
        pytest.param("contexts: [", None, "default", id="no YAML"),
    ],
)
def test_usual_namespace_is_that_of_the_context(tmp_path, text, context, want):
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)

    assert usual_namespace(kubeconfig=str(path), context=context) == want


NO_KUBECONFIG = "FILE is not a kubeconfig: it has no list of clusters"
HAS_BOTH = "it has one, other"


@pytest.mark.parametrize(
    ("text", "context", "want"),
    [
        pytest.param(None, None, "there is no kubeconfig FILE", id="no such file"),
        pytest.param("", None, NO_KUBECONFIG, id="an empty file"),
        pytest.param("contexts: [", None, NO_KUBECONFIG, id="no YAML"),
        pytest.param("apiVersion: v1\nkind: Pod\n", None, NO_KUBECONFIG, id="something else"),
        pytest.param("- a\n- b\n", None, NO_KUBECONFIG, id="a list"),
        pytest.param("just words", None, NO_KUBECONFIG, id="a string"),
        pytest.param("clusters: []\n", None, "FILE has no current context; it has no contexts", id="no context"),
        pytest.param(KUBECONFIG, "missing", f"FILE has no context missing; {HAS_BOTH}", id="no such context"),
        pytest.param(
            KUBECONFIG.replace("current-context: one", ""),
            None,
            f"FILE has no current context; {HAS_BOTH}",
            id="no current context",
        ),
        pytest.param(
            KUBECONFIG.replace('"http://127.0.0.1:1234"', "5"),
            None,
            "FILE can't be used: 'int' object has no attribute 'rstrip'",
            id="a number for a server",
        ),
    ],
)
def test_unusable_kubeconfig_is_one_sentence_that_names_the_file_and_its_contexts(
    tmp_path, monkeypatch, text, context, want
):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)

    with pytest.raises(ConfigError) as caught:
        load_configuration(kubeconfig=str(path), context=context)

    assert str(caught.value) == want.replace("FILE", str(path))


SECURE = KUBECONFIG.replace("http://", "https://")
NONSENSE = "AAAA"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(
            SECURE.replace('1234"', f'1234", certificate-authority-data: {NONSENSE}'),
            "the certificate authority of FILE can't be read (OpenSSL says: no certificate or crl found)",
            id="authority",
        ),
        pytest.param(
            SECURE.replace('1234"', '1234", certificate-authority: nonsense'),
            "the certificate authority of FILE can't be read (OpenSSL says: no certificate or crl found)",
            id="a file for the authority",
        ),
        pytest.param(
            SECURE.replace("token: secret", f"client-certificate-data: {NONSENSE}, client-key-data: {NONSENSE}"),
            "the client certificate and key of FILE can't be read (OpenSSL says: PEM lib)",
            id="client certificate",
        ),
        pytest.param(
            SECURE.replace("token: secret", "client-certificate: nonsense, client-key: nonsense"),
            "the client certificate and key of FILE can't be read (OpenSSL says: PEM lib)",
            id="files for the client certificate",
        ),
    ],
)
def test_certificate_that_can_not_be_read_is_one_sentence_that_says_which(tmp_path, text, want):
    path = tmp_path / "config"
    path.write_text(text)
    (tmp_path / "nonsense").write_text("nonsense")

    with pytest.raises(ConfigError) as caught:
        load_configuration(kubeconfig=str(path), context=None)

    assert str(caught.value) == want.replace("FILE", str(path))


def test_certificate_that_is_gone_later_is_one_sentence_too(tmp_path):
    configuration = Configuration()
    configuration.host = "https://127.0.0.1:6443"
    configuration.ssl_ca_cert = str(tmp_path / "gone")

    with pytest.raises(ConfigError) as caught:
        tls_context(configuration)

    want = "the certificate authority of the configuration can't be read: No such file or directory"
    assert str(caught.value) == want


def test_contexts_that_are_named_are_not_too_many(tmp_path):
    path = tmp_path / "config"
    path.write_text("clusters: []\ncontexts: [" + ", ".join(f"{{name: c{one:02}}}" for one in range(23)) + "]")

    with pytest.raises(ConfigError) as caught:
        load_configuration(kubeconfig=str(path), context="x")

    assert str(caught.value).endswith("c18, c19 and 3 more")


def test_no_configuration_anywhere_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "none"))

    with pytest.raises(ConfigError) as caught:
        load_configuration(kubeconfig=None, context=None)

    assert str(caught.value) == f"there is no kubeconfig {tmp_path}/none (and this process has no service account)"


@pytest.mark.parametrize(
    ("headers", "want_seconds"),
    [
        pytest.param({}, 0, id="absent"),
        pytest.param({"Retry-After": "3"}, 3, id="seconds"),
        pytest.param({"Retry-After": "Fri, 20 Nov 2026 18:00:00 GMT"}, 0, id="a date"),
        pytest.param({"Retry-After": "-1"}, 0, id="negative"),
        pytest.param({"Retry-After": "86400"}, 60, id="a day, from a proxy"),
        pytest.param({"Retry-After": "9" * 400}, 60, id="longer than a float"),
        pytest.param({"Retry-After": "3²"}, 0, id="digits that are no number"),
    ],
)
def test_retry_after(headers, want_seconds):
    assert retry_after_seconds(headers) == want_seconds


def test_certificates_are_checked_unless_the_configuration_says_otherwise():
    configuration = Configuration()
    configuration.host = "https://127.0.0.1:6443"
    strict = tls_context(configuration)
    configuration.verify_ssl = False
    lax = tls_context(configuration)

    assert (strict.verify_mode, strict.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert (lax.verify_mode, lax.check_hostname) == (ssl.CERT_NONE, False)


@pytest.mark.asyncio
async def test_observer_gets_requests_of_a_framework():
    observed = []
    async with ScriptedServer(status(401), status(200)) as server:
        session = observed_session(
            server.configuration, lambda *_: None, lambda verb, name, code, _: observed.append((verb, name, code))
        )
        async with session:
            for query in ("?watch=true", ""):
                async with session.get(f"{server.configuration.host}/apis/lockstep.dev/v1alpha1/gangjobs{query}"):
                    pass

    assert observed == [("WATCH", "gangjobs", 401), ("GET", "gangjobs", 200)]


@pytest.mark.asyncio
async def test_certificate_is_for_the_name_of_the_server_that_the_kubeconfig_states(tmp_path):
    """As behind a tunnel or a proxy, whose own address is not in the certificate."""
    pair = Authority(tmp_path).issue_server("tls", "api.example.com")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pair.certificate, pair.key)
    server = RawTestServer(_answer, host="127.0.0.2")
    await server.start_server(ssl=context)
    file = tmp_path / "config"
    named = f'server: "https://127.0.0.2:{server.port}", certificate-authority: "{tmp_path / "ca.crt"}"'
    file.write_text(KUBECONFIG.replace('server: "http://127.0.0.1:1234"', f"{named}, tls-server-name: api.example.com"))

    configuration = load_configuration(kubeconfig=str(file), context=None)
    async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
        answer = await client.get(Target("/api/v1/namespaces/default", "namespaces"))

    await server.close()
    assert answer.is_success


AS = {
    "as": "ann",
    "as-uid": "7",
    "as-groups": ["physics", "chemistry"],
    "as-user-extra": {"example.com/reason": ["support", "night"]},
}
ACTS = [
    ("Impersonate-Extra-example.com%2Freason", "night"),
    ("Impersonate-Extra-example.com%2Freason", "support"),
    ("Impersonate-Group", "chemistry"),
    ("Impersonate-Group", "physics"),
    ("Impersonate-Uid", "7"),
    ("Impersonate-User", "ann"),
]


def write_acting(kubeconfig, server):
    """Write a user who acts as another one into the kubeconfig."""
    acting = KUBECONFIG.replace("token: secret", f"token: secret, {json.dumps(AS)[1:-1]}")
    Path(kubeconfig).write_text(acting.replace("http://127.0.0.1:1234", server))


@pytest.mark.asyncio
async def test_user_who_acts_as_another_one_has_only_the_rights_of_that_one(kubeconfig):
    """As kubectl does: a command must not use rights that its user has given up."""
    came = []

    async def note(http):
        came.append(sorted(one for one in http.headers.items() if one[0].startswith("Impersonate")))
        return await _answer(http)

    server = RawTestServer(note)
    await server.start_server()
    write_acting(kubeconfig, str(server.make_url("")).rstrip("/"))
    configuration = load_configuration(kubeconfig=kubeconfig, context="one")
    async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
        await client.get(Target("/api/v1/namespaces/default", "namespaces"))
    async with (
        observed_session(configuration, lambda *_: None, lambda *_: None) as session,
        session.get(f"{configuration.host}/version"),
    ):
        pass
    await server.close()

    assert came == [ACTS, ACTS]


def through(kubeconfig, proxy, server="http://api.example.invalid"):
    """Write the proxy, and the server behind it, into the kubeconfig."""
    with_proxy = KUBECONFIG.replace('server: "http://127.0.0.1:1234"', f'server: "{server}", proxy-url: "{proxy}"')
    Path(kubeconfig).write_text(with_proxy)


@pytest.mark.asyncio
async def test_requests_and_watches_go_through_the_proxy_of_the_kubeconfig(kubeconfig):
    async with ScriptedServer(reply(content={"kind": "Namespace"}), status(200)) as proxy:
        through(kubeconfig, proxy.configuration.host)
        configuration = load_configuration(kubeconfig=kubeconfig, context=None)
        async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
            answer = await client.get(Target("/api/v1/namespaces/default", "namespaces"))
        async with (
            observed_session(configuration, lambda *_: None, lambda *_: None) as session,
            session.get(f"{configuration.host}/version"),
        ):
            pass

    assert answer.is_success
    assert [one.headers["Host"] for one in proxy.asked] == ["api.example.invalid"] * 2


def test_proxy_of_the_environment_does_not_count(kubeconfig, monkeypatch):
    """An operator in a cluster may have one for its other requests, and its API server is not behind it."""
    monkeypatch.setenv("http_proxy", "http://proxy.example.invalid")
    monkeypatch.delenv("no_proxy", raising=False)

    assert load_configuration(kubeconfig=kubeconfig, context=None).proxy is None


def test_kind_of_proxy_that_is_not_supported_is_refused(kubeconfig):
    through(kubeconfig, "socks5://127.0.0.1:1080")

    with pytest.raises(ConfigError, match=r"the proxy-url of .*config must begin with http:// or https://"):
        load_configuration(kubeconfig=kubeconfig, context=None)


async def _answer(_):
    return web.json_response({"kind": "Namespace"})
