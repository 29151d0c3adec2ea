"""Requests of the agent: what it sends, and that whatever goes wrong is an answer."""

import json
import ssl
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lockstep.agent.bid.connection import UNANSWERED, Connection, RawAnswer, Server, applied, watching
from sandbox.pki import Authority

PATH = "/apis/lockstep.dev/v1alpha1/nodebids/n1"


class Handler(BaseHTTPRequestHandler):
    """Answers every request with what is next, and writes down what it was asked."""

    def do_PATCH(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.server.asked.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
        raw = self.server.answers.popleft()
        self.wfile.write(raw)
        self.close_connection = True

    def do_GET(self):
        self.do_PATCH()

    def log_message(self, *_):
        pass


class Api(ThreadingHTTPServer):
    """A server with a certificate of ``authority``."""

    def __init__(self, authority):
        super().__init__(("127.0.0.1", 0), Handler)
        pair = authority.issue_server("api")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.certificate, pair.key)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.asked, self.answers = [], deque()

    def handle_error(self, *_):
        """Say nothing of clients that hang up."""


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path / "pki")


@pytest.fixture
def api(authority):
    with Api(authority) as api:
        thread = threading.Thread(target=api.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield api
        api.shutdown()
        thread.join()


@pytest.fixture
def server(api, authority, tmp_path):
    token = tmp_path / "token"
    token.write_text("first\n")
    return Server(url=f"https://127.0.0.1:{api.server_port}", authority=authority.certificate, token=token)


def http(code, body, *headers):
    """An answer as it goes over the wire."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {code} said", f"Content-Length: {len(content)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + content


def test_apply_is_for_the_agents_fields_and_takes_nothing_from_others(api, server):
    api.answers.append(http(200, {"kind": "NodeBid"}))

    answer = applied(server, PATH, {"spec": {"dutyCycle": "250m"}})

    [(method, path, headers, body)] = api.asked
    assert answer.is_success
    assert answer.body == {"kind": "NodeBid"}
    assert (method, path) == ("PATCH", f"{PATH}?fieldManager=lockstep-agent&force=false")
    assert headers["Content-Type"] == "application/apply-patch+yaml"
    assert headers["Authorization"] == "Bearer first"
    assert json.loads(body) == {"spec": {"dutyCycle": "250m"}}


def test_answer_has_the_servers_time_and_the_pause_that_it_asks_for(api, server):
    api.answers.append(http(429, {"message": "slower"}, "Date: Fri, 15 Jan 2027 08:00:00 GMT", "Retry-After: 7"))

    answer = applied(server, PATH, {})

    assert answer == RawAnswer(429, {"message": "slower"}, wall=1_800_000_000.0, pause=7.0)
    assert (answer.is_success, answer.message) == (False, "slower")


def test_token_that_was_renewed_is_shown_from_the_next_connection_on(api, server):
    api.answers.extend([http(401, {}), http(200, {})])
    applied(server, PATH, {})

    server.token.write_text("second")
    applied(server, PATH, {})

    assert [headers["Authorization"] for _, _, headers, _ in api.asked] == ["Bearer first", "Bearer second"]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="a server that hangs up"),
        pytest.param(b"220 smtp.example.com\r\n\r\n", id="another protocol"),
        pytest.param(http(200, b"{"), id="half an object"),
        pytest.param(http(200, b"[]"), id="no object"),
        pytest.param(http(200, b"\xff\xfe"), id="no text"),
        pytest.param(http(200, b"[" * 100_000), id="lists in lists without end"),
        pytest.param(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"kind":', id="a length that is not true"),
        pytest.param(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", id="too many headers"),
    ],
)
def test_nonsense_is_no_answer(api, server, raw):
    api.answers.append(raw)

    answer = applied(server, PATH, {})

    assert (answer.code, answer.is_success) == (UNANSWERED, False)
    assert answer.message


@pytest.mark.parametrize(
    "headers",
    [
        ("Date: never", "Retry-After: soon"),
        ("Date: ", "Retry-After: -1"),
        (f"Date: Fri, 15 Jan {'9' * 20} 08:00:00 GMT",),
        (f"Date: Fri, 15 Jan 2027 08:00:00 +{'9' * 20}",),
    ],
)
def test_headers_that_say_nothing_are_none(api, server, headers):
    api.answers.append(http(200, {}, *headers))

    assert applied(server, PATH, {}) == RawAnswer(200, {})


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"url": "https://127.0.0.1:1"}, id="no process listens"),
        pytest.param({"url": "https://no-such-host.invalid"}, id="an unknown name"),
        pytest.param({"url": "http://127.0.0.1"}, id="no https"),
        pytest.param({"url": "https://127.0.0.1:port"}, id="no port"),
        pytest.param({"token": "missing"}, id="no token"),
        pytest.param({"token": "two\nlines"}, id="a token that is none"),
        pytest.param({"token": b"\xff\xfe"}, id="a token that is no text"),
        pytest.param({"authority": b"nothing"}, id="no certificate"),
        pytest.param({"authority": "other"}, id="another authority"),
    ],
)
def test_who_cannot_connect_says_so(server, tmp_path, change):
    [(field, value)] = change.items()
    if field == "token":
        server.token.unlink() if value == "missing" else _write(server.token, value)
        changed = server
    elif field == "authority":
        other = Authority(tmp_path / "other").certificate
        _write(tmp_path / "ca", value if isinstance(value, bytes) else other.read_bytes())
        changed = Server(url=server.url, authority=tmp_path / "ca", token=server.token)
    else:
        changed = Server(url=value, authority=server.authority, token=server.token)

    answer = applied(changed, PATH, {})

    assert (answer.code, bool(answer.message)) == (UNANSWERED, True)


def test_watch_yields_the_answer_and_every_event(api, server):
    lines = b'{"type": "ADDED"}\n{"type": "BOOKMARK"}\n'
    api.answers.append(http(200, lines))

    answer, *events = watching(server, "/bids", {"fieldSelector": "metadata.name=n1"})

    assert isinstance(answer, RawAnswer)
    assert events == [{"type": "ADDED"}, {"type": "BOOKMARK"}]
    assert api.asked[0][1] == "/bids?fieldSelector=metadata.name%3Dn1&watch=true"


def test_watch_that_is_refused_yields_why(api, server):
    api.answers.append(http(403, {"message": "no"}))

    assert [*watching(server, "/bids", {})] == [RawAnswer(403, {"message": "no"})]


def test_watch_that_breaks_off_yields_that(api, server):
    api.answers.append(http(200, b'{"type": "ADDED"}\n{"type":'))

    _, event, broken = watching(server, "/bids", {})

    assert event == {"type": "ADDED"}
    assert broken.code == UNANSWERED


def test_silent_server_is_no_answer(api, server):
    api.RequestHandlerClass = type("Silent", (Handler,), {"do_PATCH": lambda self: self.rfile.read()})

    assert Connection(server, timeout=0.05).apply(PATH, {}).code == UNANSWERED


def _write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
