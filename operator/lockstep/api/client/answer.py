"""What the API server answers.

An HTTP status is an answer, not an exception: 404, 409 and 403 are for the caller to read. What raises is an API server
that gives no answer.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import aiohttp
import orjson

from lockstep.api.client.credentials import UNAUTHORIZED
from lockstep.api.client.rights import is_denial


class ApiUnavailableError(Exception):
    """The API server gave no usable answer, in spite of several tries."""


class Answer(NamedTuple):
    """What the API server said. ``body`` is the decoded object, a ``Status`` where the request was refused.

    ``size`` is in bytes. One that ``is_cut_off`` was larger than the caller wanted: it was not read to its end.
    """

    code: int
    body: Mapping[str, Any]
    size: int = 0
    is_cut_off: bool = False

    @property
    def is_success(self) -> bool:
        """Whether the request was carried out."""
        return self.code < 300

    @property
    def is_about_rights(self) -> bool:
        """Whether the API server does not let us do that, whatever it is; one that has just started lets nobody in."""
        return self.code == UNAUTHORIZED or is_denial(self.code, self.message)

    @property
    def message(self) -> str:
        """The API server's own sentence about a refusal."""
        return str(self.body.get("message", f"HTTP {self.code}"))


class Target(NamedTuple):
    """Where a request goes: its path, and the resource's name as metrics show it."""

    path: str
    resource: str


@contextmanager
def unavailable(target: Target) -> Iterator[None]:
    """Raise ``ApiUnavailableError`` where the connection breaks."""
    try:
        yield
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise ApiUnavailableError(f"GET {target.resource}: {error or type(error).__name__}") from error


def decode_object(raw: bytes) -> Mapping[str, Any] | None:
    """The object in an answer; None where there is none, as in a proxy's page or a plain 'ok'."""
    try:
        decoded = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return decoded if isinstance(decoded, dict) else None


def retry_after_seconds(headers: Mapping[str, str]) -> float:
    """How long the server asks us to wait; 0 where it does not, or gives a date."""
    value = headers.get("Retry-After", "")
    return float(value) if value.isdigit() else 0.0
