"""A small client of the API server: one connection for a few requests, with the token of the service account.

Errors are answers, never exceptions. The token is read for every request, and the authority's certificate for every
connection, since the kubelet renews both files.
"""

import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from lockstep.api.client.instance import user_agent
from lockstep.api.nodebid.offer import FIELD_MANAGER

_APPLY = "application/apply-patch+yaml"
_TIMEOUT_SECONDS = 10.0
# The API server sends a bookmark about once a minute. After a longer silence the connection may be dead.
_WATCH_SILENCE_SECONDS = 90.0
# This is larger than any object that the API server stores.
_MOST_BYTES = 4 * 2**20

UNANSWERED = 0
"""The code of a request that got no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The address of the API server, and the files with its authority's certificate and the agent's token."""

    url: str
    authority: Path
    token: Path


class RawAnswer(NamedTuple):
    """The answer to a request. ``body`` is the object, or a ``Status`` if the request was refused.

    ``wall`` is the server's time, in seconds since the epoch. ``pause`` is its Retry-After, in seconds.
    """

    code: int
    body: Mapping[str, Any]
    wall: float | None = None
    pause: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether the code is from 200 to 299."""
        return 200 <= self.code < 300

    @property
    def message(self) -> str:
        """Why the request has failed: the message of the ``Status``, or the code."""
        return str(self.body.get("message", f"HTTP {self.code}"))


class Connection:
    """One connection; it is opened by the first request, and must be closed after the last."""

    def __init__(self, server: Server, *, timeout: float = _TIMEOUT_SECONDS) -> None:
        self._server = server
        self._timeout = timeout
        self._open: http.client.HTTPConnection | None = None

    def apply(self, path: str, manifest: Mapping[str, Any]) -> RawAnswer:
        """Apply the manifest as the agent's field manager, without forcing conflicts."""
        query = urlencode({"fieldManager": FIELD_MANAGER, "force": "false"})
        body = json.dumps(manifest).encode()
        try:
            response = self._ask("PATCH", f"{path}?{query}", body, {"Content-Type": _APPLY})
            return _answer(response, response.read(_MOST_BYTES))
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            return _unanswered(error)

    def watch(self, path: str, query: Mapping[str, str]) -> Iterator[RawAnswer | Mapping[str, Any]]:
        """Yield the answer, and then every event until the watch ends.

        If it fails, the last item is an answer that says why.
        """
        try:
            response = self._ask("GET", f"{path}?{urlencode({**query, 'watch': 'true'})}", None, {})
            yield _answer(response, b"" if response.status < 300 else response.read(_MOST_BYTES))
            while response.status < 300 and (line := response.readline(_MOST_BYTES)):
                yield _object(line)
        except (OSError, http.client.HTTPException, ValueError) as error:
            yield _unanswered(error)
        finally:
            self.close()

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        if self._open is None:
            self._open = _connect(self._server, self._timeout)
        token = self._server.token.read_text(encoding="utf-8").strip()
        said = {"Accept": "application/json", "Authorization": f"Bearer {token}", "User-Agent": user_agent()}
        self._open.request(method, path, body, {**said, **headers})
        return self._open.getresponse()


def applied(server: Server, path: str, manifest: Mapping[str, Any]) -> RawAnswer:
    """Apply a manifest over a new connection."""
    with closing(Connection(server)) as connection:
        return connection.apply(path, manifest)


def watching(server: Server, path: str, query: Mapping[str, str]) -> Iterator[RawAnswer | Mapping[str, Any]]:
    """Watch over a new connection."""
    return Connection(server, timeout=_WATCH_SILENCE_SECONDS).watch(path, query)


def _connect(server: Server, timeout: float) -> http.client.HTTPConnection:
    url = urlsplit(server.url)
    if url.scheme != "https":
        raise ValueError(f"{server.url} is not an address that begins with https")
    context = ssl.create_default_context(cafile=str(server.authority))
    return http.client.HTTPSConnection(url.hostname or "", url.port, timeout=timeout, context=context)


def _answer(response: http.client.HTTPResponse, body: bytes) -> RawAnswer:
    return RawAnswer(
        response.status,
        _object(body) if body else {},
        wall=_wall(response.headers.get("Date", "")),
        pause=_seconds(response.headers.get("Retry-After", "")),
    )


def _object(text: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise ValueError("the answer is nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("the answer is not an object")  # noqa: TRY004 - json raises ValueError, too
    return found


def _wall(text: str) -> float | None:
    with suppress(ValueError, OverflowError):
        return parsedate_to_datetime(text).timestamp()
    return None


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() else 0.0


def _unanswered(error: Exception) -> RawAnswer:
    return RawAnswer(UNANSWERED, {"message": f"{type(error).__name__}: {error}"})
