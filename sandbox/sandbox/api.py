"""A small client of servers on the loopback, to set up a sandbox. It sends JSON over verified TLS."""

import http.client
import json
import select
import ssl
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sandbox.errors import ApiError
from sandbox.pki import KeyPair

# In seconds. An API server ends a request with an error after 60 seconds.
ANSWER_SECONDS = 90.0


class Connection:
    """One connection that stays open between requests. Only one thread at a time may use it.

    If the server has closed the connection, the next request opens it again.
    """

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request, and return the object in the answer. Raises ApiError for any status but 2xx."""
        content_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
        encoded = None if body is None else json.dumps(body).encode()
        status, content = self._ask(method, path, encoded, {"Content-Type": content_type, "Accept": "application/json"})
        if status // 100 != 2:
            raise ApiError(status, _message(content))
        parsed: dict[str, Any] = json.loads(content)
        return parsed

    def status(self, path: str) -> int:
        """Send a GET, and return only the status of the answer."""
        status, _ = self._ask("GET", path, None, {})
        return status

    def close(self) -> None:
        """Close the connection. The next request opens it again."""
        self._connection.close()

    def _ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        if self._is_ended():
            self.close()
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except BaseException:
            # The rest of this answer may still arrive. It must not count as the answer to a later request.
            self.close()
            raise

    def _is_ended(self) -> bool:
        # Between two requests a server sends nothing. So if there is something to read, the server has closed the
        # connection.
        if self._connection.sock is None:
            return False
        poller = select.poll()
        poller.register(self._connection.sock, select.POLLIN)
        return bool(poller.poll(0))


class Client:
    """Sends requests to servers as one user.

    Any thread may use it. Each request in progress has a connection of its own.
    """

    def __init__(self, *, ca_file: Path, identity: KeyPair) -> None:
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._tls.load_cert_chain(identity.certificate, identity.key)
        self._idle: defaultdict[str, list[Connection]] = defaultdict(list)

    def request(self, server: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send one request to ``server``, a URL, over a connection that stays open for the next request."""
        # A new connection costs more than most requests do.
        connection = self._kept_connection(server) or self._new_connection(server)
        try:
            return connection.request(method, path, body)
        finally:
            self._idle[server].append(connection)

    def close(self) -> None:
        """Close every connection that was kept."""
        for idle in self._idle.values():
            while idle:
                idle.pop().close()

    @contextmanager
    def connect(self, server: str) -> Iterator[Connection]:
        """Yield a connection to ``server``, a URL, and close it afterwards."""
        connection = self._new_connection(server)
        try:
            yield connection
        finally:
            connection.close()

    def answers_ok(self, url: str) -> bool:
        """Return whether a GET of ``url`` is answered by 200."""
        try:
            with self.connect(url) as connection:
                return connection.status(urlsplit(url).path) == http.client.OK
        except (OSError, http.client.HTTPException):
            return False

    def _kept_connection(self, server: str) -> Connection | None:
        try:
            return self._idle[server].pop()
        except IndexError:
            return None

    def _new_connection(self, server: str) -> Connection:
        address = urlsplit(server)
        host = address.hostname or ""
        if address.scheme == "https":
            tls = self._tls
            return Connection(http.client.HTTPSConnection(host, address.port, timeout=ANSWER_SECONDS, context=tls))
        return Connection(http.client.HTTPConnection(host, address.port, timeout=ANSWER_SECONDS))


def _message(content: bytes) -> str:
    try:
        return str(json.loads(content)["message"])
    except (ValueError, KeyError, TypeError):
        return content.decode(errors="replace")
