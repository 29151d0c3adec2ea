"""How the API server is found, and what it says when it can't."""

import ssl

import pytest

from fake_cluster.scripted import ScriptedServer, status
from lockstep.api.client import retry_after_seconds
from lockstep.api.configuration import (
    ConfigError,
    Configuration,
    load_configuration,
    session_told_to,
    tls_context,
    usual_namespace,
)

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


@pytest.mark.parametrize(
    ("text", "context"),
    [
        pytest.param(None, None, id="no such file"),
        pytest.param("", None, id="an empty file"),
        pytest.param("contexts: [", None, id="no YAML"),
        pytest.param("apiVersion: v1\nkind: Config\n", None, id="no context"),
        pytest.param(KUBECONFIG, "missing", id="no such context"),
        pytest.param("- a\n- b\n", None, id="a list"),
        pytest.param("just words", None, id="a string"),
        pytest.param(KUBECONFIG.replace('"http://127.0.0.1:1234"', "5"), None, id="a number for a server"),
    ],
)
def test_unusable_kubeconfig_is_one_sentence(tmp_path, monkeypatch, text, context):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)

    with pytest.raises(ConfigError) as caught:
        load_configuration(kubeconfig=str(path), context=context)

    assert str(caught.value).strip()
    assert "\n" not in str(caught.value)


def test_no_configuration_anywhere_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "none"))

    with pytest.raises(ConfigError) as caught:
        load_configuration(kubeconfig=None, context=None)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("headers", "want_seconds"),
    [
        pytest.param({}, 0, id="absent"),
        pytest.param({"Retry-After": "3"}, 3, id="seconds"),
        pytest.param({"Retry-After": "Fri, 20 Nov 2026 18:00:00 GMT"}, 0, id="a date"),
        pytest.param({"Retry-After": "-1"}, 0, id="negative"),
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
async def test_requests_of_a_framework_are_told_to_the_observer():
    told = []
    async with ScriptedServer(status(401), status(200)) as server:
        session = session_told_to(
            server.configuration, lambda *_: None, lambda verb, name, code, _: told.append((verb, name, code))
        )
        async with session:
            for query in ("?watch=true", ""):
                async with session.get(f"{server.configuration.host}/apis/lockstep.dev/v1alpha1/gangjobs{query}"):
                    pass

    assert told == [("WATCH", "gangjobs", 401), ("GET", "gangjobs", 200)]
