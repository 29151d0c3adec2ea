import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from eventually import eventually
from sandbox.api import Client
from sandbox.errors import ApiError
from sandbox.pki import Authority

PATH = "/api/v1/nodes"


class Server(ThreadingHTTPServer):
    """Answers every request with the number of the connection on which it came."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.connections = 0
        self.ended = 0
        self.status = 200
        self.keeps = True

    def shutdown_request(self, request):
        super().shutdown_request(request)
        self.ended += 1

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.server.connections += 1
        self.number = self.server.connections

    def do_GET(self):
        content = b'{"connection": %d, "message": "no"}' % self.number
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = not self.server.keeps

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def client(tmp_path, server):
    authority = Authority(tmp_path)
    client = Client(ca_file=authority.certificate, identity=authority.issue_client("somebody"))
    yield client
    client.close()


def connection_of(client, server):
    return client.request(server.url, "GET", PATH)["connection"]


def interrupted(_):
    raise KeyboardInterrupt


def test_requests_go_over_one_connection(client, server):
    assert [connection_of(client, server) for _ in range(3)] == [1, 1, 1]


def test_refused_request_keeps_its_connection(client, server):
    server.status = 409
    with pytest.raises(ApiError, match="no"):
        client.request(server.url, "GET", PATH)
    server.status = 200

    assert connection_of(client, server) == 1


def test_request_after_the_server_has_ended_the_connection_opens_another(client, server):
    server.keeps = False
    assert connection_of(client, server) == 1
    eventually(lambda: server.ended == 1)

    assert connection_of(client, server) == 2


def test_request_after_one_that_broke_off_opens_another_connection(client, server, monkeypatch):
    assert connection_of(client, server) == 1

    with monkeypatch.context() as patch:
        patch.setattr("http.client.HTTPResponse.read", interrupted)
        with pytest.raises(KeyboardInterrupt):
            connection_of(client, server)

    assert connection_of(client, server) == 2


def test_client_that_was_closed_opens_another_connection(client, server):
    assert connection_of(client, server) == 1

    client.close()

    assert connection_of(client, server) == 2
