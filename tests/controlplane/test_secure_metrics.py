"""The metrics by TLS, to callers whose token the API server knows and who may get them."""

import ssl
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eventually import eventually
from live.callers import is_hung_up, silent_callers
from live.quick_start import Forked
from live.tokens import reissued, token_of
from lockstep_demo.operator_process import PAGE_SECONDS, OperatorProcess, running
from sandbox.pki import Authority
from sandbox.ports import LOOPBACK, KeptPort

ROOT = Path(__file__).parents[2]
RIGHTS = ROOT / "operator" / "rbac-metrics.yaml"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
# Together, so that they are a flood on a busy machine too.
MANY, AT_A_TIME = 300, 16


class Secured:
    """The metrics of one operator. ``shown_to`` is the answer to a client with a token: code, text, headers."""

    def __init__(self, operator, url, authority):
        self.operator = operator
        self.url = url
        # Like Prometheus, it trusts the authority of the certificate and no other.
        context = ssl.create_default_context(cafile=authority)
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
        )

    def shown_to(self, token):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        asked = urllib.request.Request(self.url, headers=headers)  # noqa: S310 - a page of the operator
        try:
            with self._opener.open(asked, timeout=PAGE_SECONDS) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers

    def reviewed_tokens(self, token):
        sample = 'lockstep_api_requests_total{code="201",resource="tokenreviews",verb="POST"} '
        _, text, _ = self.shown_to(token)
        return sum(float(line.removeprefix(sample)) for line in text.splitlines() if line.startswith(sample))


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """An authority that has issued a certificate in its own folder."""
    folder = tmp_path_factory.mktemp("certificate")
    Authority(folder).issue_server("tls")
    return folder / "ca.crt"


@pytest.fixture(scope="module")
def secured(installed, operator_kubeconfig, authority, tmp_path_factory):
    """An operator with secured metrics that may ask for reviews; one for all tests of this file."""
    installed.apply(RIGHTS)
    port = KeptPort()
    options = {"secure": "true", "listen-port": port.number, "cert-dir": authority.parent}
    process = OperatorProcess(
        operator_kubeconfig,
        tmp_path_factory.mktemp("operator") / "log",
        *(f"--metrics-{name}={value}" for name, value in options.items()),
        spawn=Forked,
    )
    with running(process) as operator:
        yield Secured(operator, f"https://{LOOPBACK}:{port.number}/metrics", authority)


@pytest.fixture
def scraper(control_plane, namespace):
    """A service account that may read the metrics."""
    add_account(control_plane, namespace, "prometheus")
    binding = {
        "metadata": {"name": f"{namespace}-prometheus"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "lockstep-metrics-reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "prometheus", "namespace": namespace}],
    }
    control_plane.request("POST", ROLES, binding)
    yield token_of(control_plane, namespace, "prometheus")
    control_plane.request("DELETE", f"{ROLES}/{binding['metadata']['name']}")


def test_metrics_are_shown_to_an_account_that_may_read_them(secured, scraper):
    code, text, headers = secured.shown_to(scraper)

    assert (code, headers.get_content_type()) == (200, "text/plain")
    assert "\nlockstep_cycles_total{" in text


def test_metrics_are_not_where_everybody_may_ask(secured):
    assert secured.operator.page("/healthz") == secured.operator.page("/readyz") == "ok\n"
    with pytest.raises(urllib.error.HTTPError, match="404") as caught:
        secured.operator.page("/metrics")
    caught.value.close()


def test_account_without_the_right_is_refused(secured, control_plane, namespace):
    add_account(control_plane, namespace, "stranger")

    code, text, _ = secured.shown_to(token_of(control_plane, namespace, "stranger"))

    assert (code, text) == (403, "the holder of this token has no right to get /metrics\n")


def test_caller_without_a_token_is_refused(secured):
    code, text, headers = secured.shown_to(None)

    assert (code, headers["WWW-Authenticate"]) == (401, "Bearer")
    assert text == "send the token of a service account: Authorization: Bearer TOKEN\n"


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda _token, _api: "garbage", id="garbage"),
        pytest.param(lambda token, _api: token[:-8] + "AAAAAAAA", id="a foreign signature"),
        pytest.param(
            lambda token, api: reissued(token, api._site.token_key, hours_ago=2), id="a token that has expired"
        ),
    ],
)
def test_token_that_is_not_good_is_refused(secured, control_plane, scraper, spoil):
    code, text, headers = secured.shown_to(spoil(scraper, control_plane))

    assert (code, headers["WWW-Authenticate"]) == (401, "Bearer")
    assert text == "the API server does not know this token, or it has expired\n"


def test_token_that_has_not_expired_is_good(secured, control_plane, scraper):
    assert secured.shown_to(reissued(scraper, control_plane._site.token_key, hours_ago=0))[0] == 200


def test_flood_of_bad_tokens_reaches_neither_the_api_server_nor_who_may_read(secured, scraper):
    before, started = secured.reviewed_tokens(scraper), time.monotonic()

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        codes = [*pool.map(lambda number: secured.shown_to(f"garbage-{number}")[0], range(MANY))]

    assert set(codes) == {401, 429}
    assert secured.reviewed_tokens(scraper) - before == codes.count(401)
    # 20 at once and 5 a second, however long the machine took.
    assert codes.count(401) <= 21 + 5 * (time.monotonic() - started)
    assert secured.shown_to(scraper)[0] == 200


def test_callers_that_never_shake_hands_keep_no_other_caller_out(secured, scraper):
    with silent_callers(secured.url) as callers:
        assert secured.shown_to(scraper)[0] == 200
        assert sum(map(is_hung_up, callers)) > 0


def test_header_that_is_no_text_is_no_token(secured):
    assert secured.shown_to("\xff\xfe")[0] == 401
    assert "Traceback" not in secured.operator.log_text()


def test_log_has_no_token(secured, scraper):
    for token in (scraper, scraper[:-8] + "AAAAAAAA", "garb\x01age"):
        secured.shown_to(token)

    assert [part for part in (scraper[:40], "garb") if part in secured.operator.log_text()] == []


def test_new_certificate_is_served_without_a_restart(secured, authority, scraper, tmp_path):
    Authority(tmp_path).issue_server("tls")
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).replace(authority.parent / name)

    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        secured.shown_to(scraper)
    trusting = Secured(secured.operator, secured.url, tmp_path / "ca.crt")
    # A token that was not shown yet has to wait behind those that this address has shown just now.
    eventually(lambda: trusting.shown_to(scraper)[0] == 200)


def add_account(api, namespace, name):
    api.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": name}})
