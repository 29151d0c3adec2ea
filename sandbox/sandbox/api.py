"""A small client of a server on the loopback, for setting a sandbox up: JSON over verified TLS."""

import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sandbox.errors import ApiError
from sandbox.pki import KeyPair

ANSWER_SECONDS = 30.0


class Connection:
    """One kept-alive connection; for one thread at a time."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the object that the server answers with; raise ApiError for any status but 2xx."""
        content_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
        encoded = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, encoded, {"Content-Type": content_type, "Accept": "application/json"})
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status // 100 != 2:
            raise ApiError(answer.status, _message(content))
        parsed: dict[str, Any] = json.loads(content)
        return parsed

    def status(self, path: str) -> int:
        """Return only the status of a GET."""
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status


class Client:
    """Opens connections to one server as one identity."""

    def __init__(self, *, ca_file: Path, identity: KeyPair) -> None:
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._tls.load_cert_chain(identity.certificate, identity.key)

    @contextmanager
    def connect(self, server: str) -> Iterator[Connection]:
        """Yield a connection to ``server``, a URL, and close it afterwards."""
        address = urlsplit(server)
        host = address.hostname or ""
        connection = (
            http.client.HTTPSConnection(host, address.port, timeout=ANSWER_SECONDS, context=self._tls)
            if address.scheme == "https"
            else http.client.HTTPConnection(host, address.port, timeout=ANSWER_SECONDS)
        )
        try:
            yield Connection(connection)
        finally:
            connection.close()

    def answers_ok(self, url: str) -> bool:
        """Tell whether a GET of ``url`` is answered by 200."""
        try:
            with self.connect(url) as connection:
                return connection.status(urlsplit(url).path) == http.client.OK
        except (OSError, http.client.HTTPException):
            return False


def _message(content: bytes) -> str:
    try:
        return str(json.loads(content)["message"])
    except (ValueError, KeyError, TypeError):
        return content.decode(errors="replace")
