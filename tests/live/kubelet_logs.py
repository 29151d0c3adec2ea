"""As much of a kubelet as the API server asks for a log: HTTPS at a node's address, and what containers wrote."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from live.arena import Arena
from sandbox.pki import Authority


class _Logs(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer with two lines: what was asked of which container. Times are before them if they are asked for."""
        address = urlsplit(self.path)
        _, _, pod, container = address.path.strip("/").split("/")
        asked = {name: values[0] for name, values in sorted(parse_qs(address.query).items())}
        stamps = ["2027-01-15T07:00:00.000000001Z ", "2027-01-15T07:00:00.000000002Z "]
        one, other = stamps if asked.pop("timestamps", "") == "true" else ("", "")
        content = f"{one}{pod} {container} {asked}\n{other}ends\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the server's own name
        """Say nothing."""


@contextmanager
def kubelet_of(arena: Arena, folder: Path) -> Iterator[None]:
    """Have the nodes of the arena show logs."""
    pair = Authority(folder).issue_server("kubelet")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Logs) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        status = {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": server.server_port}},
        }
        for node in arena.nodes:
            arena.api.request("PATCH", f"/api/v1/nodes/{node}/status", {"status": status})
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
