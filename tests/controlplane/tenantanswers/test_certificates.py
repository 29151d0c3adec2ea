"""Only the API server is accepted as the asker, and its users take turns."""

import http.client
import ssl
from contextlib import closing
from functools import partial

import pytest

from eventually import eventually
from live.tenant_answers import API
from sandbox.pki import Authority


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
def test_only_the_api_server_is_accepted_who_asks(answered, certificate, headers, want):
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
