"""The client of the API server: requests with raw JSON. Each is tried up to six times, until it is answered.

It sends all requests, except those by which kopf watches GangJobs and NodeBids. The typed calls of the ``kubernetes``
package cost five to eight times the CPU, and can't decode the answer to a Binding.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Any, Self

import aiohttp
import orjson

from lockstep.api.client.answer import Answer, ApiUnavailableError, Target, unavailable
from lockstep.api.client.configuration import WATCH, Configuration, RequestObserver
from lockstep.api.client.connection import DRY_RUN, JSON, ApiConnection, WantedRequest
from lockstep.api.client.credentials import Credentials
from lockstep.api.client.fence import Fence
from lockstep.api.client.fenced_body import FencedBody
from lockstep.api.client.long_answers import Lines, Text
from lockstep.api.client.object_names import may_exist
from lockstep.api.client.request_log import log_silence
from lockstep.api.client.rights import Need, Rights, is_denial, need_of
from lockstep.api.client.turns import ANYTHING, Urgency, WriteTurns

MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
_ANY = "*/*"

# The API server sends a bookmark about once a minute, unless there are no objects of a kind. After a longer silence the
# connection may be dead.
_WATCH_SILENCE_SECONDS = 90.0
LANDING_SECONDS = 1.0
"""In seconds: for this time after a write was cancelled, the API server may still carry it out."""
_NO_OBJECT = Answer(
    HTTPStatus.NOT_FOUND, {"message": "no object may have that name", "details": {"name": "an impossible name"}}
)
_TRIES = 6
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0


class KubeClient:
    """Requests to one API server. Use as an asynchronous context manager.

    At most ``concurrency`` writes are in progress, ordered by urgency and then by arrival. 429, 5xx and broken
    connections are retried with growing pauses, or after ``Retry-After``. But a 429 of a PodDisruptionBudget is an
    answer. While ``fence`` is closed, no write is sent: callers wait until the fence opens again after a late renewal,
    or until leadership ends and their tasks are cancelled. While the API server refuses ``credentials`` that it
    accepted before, every request waits. With ``rights``, requests whose right was denied are sent rarely. A caller
    that passes ``rights`` must call ``rights.record_review`` whenever ``rights.needs_review`` is set: writes wait for
    this call.
    """

    def __init__(
        self,
        configuration: Configuration,
        *,
        concurrency: int,
        observer: RequestObserver,
        fence: Fence | None = None,
        credentials: Credentials | None = None,
        rights: Rights | None = None,
    ) -> None:
        self.configuration = configuration
        self._rights = rights
        self.credentials = Credentials() if credentials is None else credentials
        self._fence = Fence(open_until=float("inf")) if fence is None else fence
        self._writes = WriteTurns(concurrency)
        # In addition to the writes: watches, reads and reviews.
        most = concurrency + 32
        self._connection = ApiConnection(configuration, self.credentials, observer, most=most)

    async def __aenter__(self) -> Self:
        """Open the session."""
        await self._connection.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the session and its connections."""
        await self._connection.__aexit__()

    async def get(
        self, target: Target, params: Mapping[str, str] | None = None, *, most_bytes: int | None = None
    ) -> Answer:
        """Read an object, or a page of a list. An answer of more than ``most_bytes`` is cut off."""
        return await self._carry_out(WantedRequest("GET", target, b"", params, most_bytes=most_bytes), None)

    async def create(self, target: Target, body: Mapping[str, Any], urgency: Urgency = Urgency.ACT) -> Answer:
        """Create an object. Its name must be given, so that a retry can't create a second object."""
        return await self._request("POST", target, body=body, urgency=urgency)

    async def dry_run(
        self, target: Target, body: Mapping[str, Any], *, urgency: Urgency = Urgency.REPORT, **params: str
    ) -> Answer:
        """Send a dry run of the creation of an object. Nothing is created."""
        asked = {DRY_RUN: "All", **params}
        return await self._request("POST", target, body=body, params=asked, urgency=urgency)

    async def review(self, target: Target, body: Mapping[str, Any]) -> Answer:
        """Post a review. It creates nothing, so it does not wait for writes, and passes even a fence that is closed."""
        return await self._request("POST", target, body=body)

    async def wait_until_idle(self, *, at_most_seconds: float, of: Collection[Urgency] = ANYTHING) -> bool:
        """Wait until no write of these urgencies is in progress or waits for its turn; returns whether there is none.

        Returns after ``at_most_seconds`` at the latest.
        """
        return await self._writes.wait_until_idle(at_most_seconds, of)

    async def patch(self, target: Target, body: Mapping[str, Any], urgency: Urgency = Urgency.ACT) -> Answer:
        """Merge ``body`` into an object; with ``metadata.resourceVersion``, only if the object is unchanged."""
        return await self._request("PATCH", target, body=body, content_type=MERGE_PATCH, urgency=urgency)

    async def dry_run_of_patch(self, target: Target, body: Mapping[str, Any]) -> Answer:
        """Send a dry run of what ``patch`` would do. Nothing is changed."""
        asked = {DRY_RUN: "All"}
        return await self._request(
            "PATCH", target, body=body, params=asked, content_type=MERGE_PATCH, urgency=Urgency.ACT
        )

    async def patch_entries(self, target: Target, body: Mapping[str, Any], urgency: Urgency = Urgency.DELETE) -> Answer:
        """Merge ``body`` into a built-in object of Kubernetes, with its lists merged entry by entry."""
        return await self._request("PATCH", target, body=body, content_type=STRATEGIC_MERGE_PATCH, urgency=urgency)

    async def apply(self, target: Target, body: Mapping[str, Any], *, manager: str) -> Answer:
        """Create the object, or set these fields of it, which ``manager`` owns from then on."""
        params = {"fieldManager": manager, "force": "true"}
        return await self._request(
            "PATCH", target, body=body, params=params, content_type=APPLY_PATCH, urgency=Urgency.ACT
        )

    async def replace(self, target: Target, body: Mapping[str, Any]) -> Answer:
        """Replace an object by ``body``; with ``metadata.resourceVersion``, only if the object is unchanged."""
        return await self._request("PUT", target, body=body, urgency=Urgency.ACT)

    async def delete(
        self,
        target: Target,
        *,
        uid: str,
        version: str = "",
        grace_seconds: int | None = None,
        urgency: Urgency = Urgency.DELETE,
    ) -> Answer:
        """Delete the object if it has that UID, and that version if one is given.

        ``grace_seconds`` replaces the object's own grace period, also if the object is being deleted already.
        """
        preconditions = {"uid": uid, **({"resourceVersion": version} if version else {})}
        grace = {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        body = {"preconditions": preconditions, **grace}
        return await self._request("DELETE", target, body=body, urgency=urgency)

    @asynccontextmanager
    async def watch(self, target: Target, params: Mapping[str, str]) -> AsyncIterator[Lines]:
        """Open a watch, which ends after a long silence. Raises ``ApiUnavailableError`` if the connection fails."""
        try:
            async with AsyncExitStack() as stack:
                yield Lines(await self._open_watch(stack, target, params))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ApiUnavailableError(f"watch of {target.resource}: {error or type(error).__name__}") from error

    @asynccontextmanager
    async def text(self, target: Target, params: Mapping[str, str]) -> AsyncIterator[Text]:
        """Open a text of unlimited length, such as a log. Raises ``ApiUnavailableError``."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10)
        started = monotonic()
        with unavailable(target):
            response = await self._connection.open("GET", target, accept=_ANY, params=params, timeout=timeout)
        self._connection.answered("GET", target, response.status, started)
        try:
            yield Text(response, target)
        finally:
            response.close()

    async def _open_watch(
        self, stack: AsyncExitStack, target: Target, params: Mapping[str, str]
    ) -> aiohttp.ClientResponse:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=_WATCH_SILENCE_SECONDS)
        while True:
            await self.credentials.turn()
            started = monotonic()
            opening = self._connection.open("GET", target, params={**params, "watch": "true"}, timeout=timeout)
            response = await stack.enter_async_context(opening)
            self._connection.answered(WATCH, target, response.status, started)
            must_repeat = self._connection.record_code(response.status)
            if not must_repeat:
                if self._rights is not None:
                    self._rights.watch_answered(need_of(WATCH, target.path, target.resource), response.status)
                return response
            await stack.aclose()

    async def _request(
        self,
        verb: str,
        target: Target,
        *,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        content_type: str = JSON,
        urgency: Urgency | None = None,
    ) -> Answer:
        data = b"" if body is None else orjson.dumps(body)
        return await self._carry_out(WantedRequest(verb, target, data, params, content_type), urgency)

    async def _carry_out(self, wanted: WantedRequest, urgency: Urgency | None) -> Answer:
        """Send a request. If its right was denied recently, return the last denial instead.

        A write waits while no status may be written. If no object can have the path, the answer is 404. Raises
        ``ApiUnavailableError``.
        """
        if not may_exist(wanted.target.path):
            return _NO_OBJECT
        ask = partial(self._ask, wanted, urgency)
        rights = self._rights
        if rights is None:
            return await ask(patience=_TRIES)
        need = need_of(wanted.verb, wanted.target.path, wanted.target.resource)
        while True:
            if urgency is not None:
                await rights.to_write()
            answer = await _ask_if_granted(rights, need, ask)
            # While no status may be written, no status can report the refusal of this write. So the write waits until
            # statuses may be written, and is sent again.
            if urgency is None or answer.code != HTTPStatus.FORBIDDEN or not rights.needs_review.is_set():
                return answer

    async def _ask(self, wanted: WantedRequest, urgency: Urgency | None, *, patience: int) -> Answer:
        """Send a request until it is answered, up to six times.

        A write counts as in progress during each try, but not during the pauses between tries.
        A request whose access is refused is tried up to ``patience`` times. Raises ``ApiUnavailableError``.
        """
        pause = _FIRST_PAUSE_SECONDS
        problem, useless = "", None
        for attempt in range(_TRIES):
            if attempt:
                # Jitter only adds to the pause, so Retry-After is respected.
                await asyncio.sleep(pause * random.uniform(1, 1.5))  # noqa: S311 - jitter is no secret
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            try:
                answer, retry_after = await self._try_as_known(wanted, urgency)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                problem, useless = str(error) or type(error).__name__, None
                log_silence(wanted.verb, wanted.target.path, problem)
                continue
            is_trouble = (answer.code == 429 and not answer.is_about_budget) or answer.code >= 500
            if not is_trouble and not (answer.is_about_access and attempt < patience - 1):
                return answer
            problem, useless, pause = answer.message, answer, max(pause, retry_after)
        raise ApiUnavailableError(f"{wanted.verb} {wanted.target.resource}: {problem}", useless)

    async def _try_as_known(self, wanted: WantedRequest, urgency: Urgency | None) -> tuple[Answer, float]:
        """Try once, and again while the API server refuses credentials that it accepted before."""
        while True:
            await self.credentials.turn()
            if urgency is None:
                payload = aiohttp.BytesPayload(wanted.data) if wanted.data else None
                answer, retry_after = await self._connection.send_once(wanted, payload)
            else:
                await self._fence.opened()
                async with self._writes.turn(urgency):
                    answer, retry_after = await self._write_once(wanted, urgency)
            must_repeat = self._connection.record_code(answer.code)
            if not must_repeat:
                return answer, retry_after

    async def _write_once(self, wanted: WantedRequest, urgency: Urgency) -> tuple[Answer, float]:
        """Try once. The API server may still carry out a write that was sent and then cancelled.

        So ``wait_until_idle`` counts such a write for ``LANDING_SECONDS`` more.
        """
        payload = FencedBody(wanted.data, self._fence)
        try:
            return await self._connection.send_once(wanted, payload)
        except asyncio.CancelledError:
            if payload.is_handed_over:
                self._writes.count_for(LANDING_SECONDS, urgency)
            raise


async def _ask_if_granted(rights: Rights, need: Need, ask: Callable[..., Awaitable[Answer]]) -> Answer:
    """Send a request and record whether its right is denied. If it was denied recently, return that denial instead."""
    message = rights.denial_or_try(need)
    if message:
        return Answer(HTTPStatus.FORBIDDEN, {"message": message})
    answer = await ask(patience=1 if rights.is_denied(need) else _TRIES)
    if is_denial(answer.code, answer.message):
        rights.deny(need, answer.message)
    elif answer.code != HTTPStatus.UNAUTHORIZED:
        rights.grant(need)
    return answer
