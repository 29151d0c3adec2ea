"""Answers of the API server.

An HTTP error status is an answer, not an exception: the caller handles 404, 409 and 403. An exception means that the
API server gives no usable answer.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, NamedTuple

import aiohttp
import orjson

from lockstep.api.client.rights import is_denial

# The API server asks for seconds. A proxy in front of it may ask for days, but no write should wait that long.
_LONGEST_RETRY_AFTER_SECONDS = 60.0


class Answer(NamedTuple):
    """An answer of the API server. ``body`` is the decoded object, or a ``Status`` if the request was refused.

    ``size`` is in bytes. If ``is_cut_off``, the answer was larger than the caller's limit. Then ``body`` is empty, and
    ``size`` is 0.
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
    def is_about_access(self) -> bool:
        """Whether the API server refuses our credentials, or denies the request because we lack a right.

        While the API server starts, it may answer all requests in this way.
        """
        return self.code == HTTPStatus.UNAUTHORIZED or is_denial(self.code, self.message)

    @property
    def is_about_budget(self) -> bool:
        """Whether a PodDisruptionBudget refuses an eviction.

        Such a refusal ends when pods change, not with time alone.
        """
        causes = self._details.get("causes") or ()
        is_named = any(cause.get("reason") == "DisruptionBudget" for cause in causes)
        return self.code == HTTPStatus.TOO_MANY_REQUESTS and is_named

    @property
    def is_absence(self) -> bool:
        """Whether the API server says that the object does not exist. Then its answer has the object's name.

        Two other answers have the same code, and say nothing about the object: a proxy's page, and the API server's
        answer that it does not serve the resource.
        """
        return self.code == HTTPStatus.NOT_FOUND and bool(self._details.get("name"))

    @property
    def is_unserved(self) -> bool:
        """Whether a 404 names no object: the API server does not serve the resource, or a proxy has answered."""
        return self.code == HTTPStatus.NOT_FOUND and not self.is_absence

    @property
    def is_gone_or_changed(self) -> bool:
        """Whether a write was refused because the object does not exist, or is another one or another version."""
        return self.is_absence or self.code == HTTPStatus.CONFLICT

    @property
    def _details(self) -> Mapping[str, Any]:
        """The details of a refusal. A proxy may write anything in this field."""
        details = self.body.get("details")
        return details if isinstance(details, dict) else {}

    @property
    def message(self) -> str:
        """The API server's message about a refusal."""
        return str(self.body.get("message", f"HTTP {self.code}"))


class ApiUnavailableError(Exception):
    """The API server gave no usable answer after several tries.

    ``answer`` is its last unusable answer, if there was one.
    """

    def __init__(self, message: str, answer: Answer | None = None) -> None:
        super().__init__(message)
        self.answer = answer


def exists(answer: Answer, what: str) -> bool:
    """Whether an object exists, according to the answer to a read of it.

    ``what`` names the object. Raises ``ApiUnavailableError`` if the answer does not say.
    """
    if not answer.is_success and not answer.is_absence:
        raise ApiUnavailableError(f"{what} can't be read: {answer.message}", answer)
    return answer.is_success


def served(answer: Answer, what: str) -> Answer:
    """The answer about a resource that every API server serves.

    ``what`` names the request. Raises ``ApiUnavailableError`` if a proxy has answered in place of the API server.
    """
    if answer.is_unserved:
        raise ApiUnavailableError(f"{what}: {answer.message}", answer)
    return answer


class Target(NamedTuple):
    """The target of a request: its path, and the name of the resource for metrics."""

    path: str
    resource: str


@contextmanager
def unavailable(target: Target) -> Iterator[None]:
    """Raise ``ApiUnavailableError`` if the connection breaks in the block."""
    try:
        yield
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise ApiUnavailableError(f"GET {target.resource}: {error or type(error).__name__}") from error


def decode_object(raw: bytes) -> Mapping[str, Any] | None:
    """The object in an answer; None if the answer is not a JSON object, such as a proxy's page or a plain 'ok'."""
    try:
        decoded = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return decoded if isinstance(decoded, dict) else None


def retry_after_seconds(headers: Mapping[str, str]) -> float:
    """The seconds to wait, as the server asks, a minute at most; 0 if it does not ask, or if it gives a date."""
    value = headers.get("Retry-After", "")
    return min(float(value), _LONGEST_RETRY_AFTER_SECONDS) if value.isdecimal() else 0.0
