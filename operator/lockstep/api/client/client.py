"""The client of the API server: raw JSON over one pooled session.

It sends all requests, except those by which kopf lists and watches our own kinds. The typed calls of the ``kubernetes``
package cost five to eight times the CPU, and can't decode the answer to a Binding.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Any, NamedTuple, Self

import aiohttp
import orjson

from lockstep.api.client.answer import (
    Answer,
    ApiUnavailableError,
    Target,
    decode_object,
    retry_after_seconds,
    unavailable,
)
from lockstep.api.client.configuration import WATCH, Configuration, RequestObserver, tls_context
from lockstep.api.client.credentials import Credentials
from lockstep.api.client.fence import Fence
from lockstep.api.client.fenced_body import FencedBody
from lockstep.api.client.instance import user_agent
from lockstep.api.client.long_answers import Lines, Text, read_at_most
from lockstep.api.client.object_names import may_exist
from lockstep.api.client.request_log import log_answer, log_silence
from lockstep.api.client.rights import Need, Rights, is_denial, need_of
from lockstep.api.client.turns import ANYTHING, Urgency, WriteTurns

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
DRY_RUN = "dryRun"
_ANY = "*/*"

_REQUEST_TIMEOUT = aiohttp.ClientTimeout(total=30.0)
# The API server sends a bookmark about once a minute, unless there are no objects of a kind. After a longer silence the
# connection may be dead.
_WATCH_SILENCE_SECONDS = 90.0
_TOKEN_SECONDS = 30.0
# Gangs come in bursts: opening all connections again for each would block the event loop.
_KEPT_SECONDS = 60.0
# A connection keeps as much memory as its longest request had: a hundred may be open.
_MOST_KEPT_BYTES = 64 * 2**10
LANDING_SECONDS = 1.0
"""In seconds: for this time after a request was cut off, the API server may still carry it out."""
_NO_OBJECT = Answer(HTTPStatus.NOT_FOUND, {"message": "no object may have that name"})
_TRIES = 6
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0


class _Wanted(NamedTuple):
    """One request, independent of its sender and its retries. An answer above ``most_bytes`` is cut off."""

    verb: str
    target: Target
    data: bytes
    params: Mapping[str, str] | None
    content_type: str = JSON
    most_bytes: int | None = None


class KubeClient:
    """Requests to one API server. Use as an asynchronous context manager.

    At most ``concurrency`` writes are in progress, ordered by urgency and then by arrival. 429, 5xx and broken
    connections are retried with growing pauses, or after ``Retry-After``. While ``fence`` is closed, no write is sent:
    callers wait until their tasks are cancelled, as all are when leadership ends. While ``credentials`` that were
    accepted are refused, every request waits. With ``rights``, denied requests are sent rarely. Then the caller must
    call ``rights.judged`` whenever ``rights.doubted`` is set, since writes wait for that.
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
        self._observer = observer
        self._writes = WriteTurns(concurrency)
        self._connections = concurrency + 32  # for watches, lists and reports beside the writes
        self._session: aiohttp.ClientSession | None = None
        self._token: str | None = None
        self._ask_for_token_at = 0.0

    async def __aenter__(self) -> Self:
        """Open the session."""
        connector = aiohttp.TCPConnector(
            limit=self._connections, ssl=tls_context(self.configuration), keepalive_timeout=_KEPT_SECONDS
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            # The API server sets no cookies, so no request needs to check them.
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": user_agent()},
            trust_env=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the session and its connections."""
        assert self._session is not None
        await self._session.close()

    async def get(
        self, target: Target, params: Mapping[str, str] | None = None, *, most_bytes: int | None = None
    ) -> Answer:
        """Read an object, or a page of a list; an answer of more than ``most_bytes`` is cut off."""
        return await self._carry_out(_Wanted("GET", target, b"", params, most_bytes=most_bytes), None)

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
        """Post a review. Nothing is created, so it does not wait for writes and passes the fence."""
        return await self._request("POST", target, body=body)

    async def lull(self, *, at_most_seconds: float, of: Collection[Urgency] = ANYTHING) -> bool:
        """Wait until no write of these urgencies is in progress, or the time is over; returns whether there is none."""
        return await self._writes.lull(at_most_seconds, of)

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
        """Have an object with these fields, which ``manager`` owns from then on; it is created where there is none."""
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
        """Delete the object if it still is the one with that UID, and that version of it where one is given.

        ``grace_seconds`` goes in the place of the object's own grace period, also where it is being deleted already.
        """
        preconditions = {"uid": uid, **({"resourceVersion": version} if version else {})}
        grace = {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        body = {"preconditions": preconditions, **grace}
        return await self._request("DELETE", target, body=body, urgency=urgency)

    @asynccontextmanager
    async def watch(self, target: Target, params: Mapping[str, str]) -> AsyncIterator[Lines]:
        """Open a watch, which ends after a long silence. Raises ``ApiUnavailableError`` where the connection fails."""
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
            response = await self._open("GET", target, accept=_ANY, params=params, timeout=timeout)
        self._answered("GET", target, response.status, started)
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
            opening = self._open("GET", target, params={**params, "watch": "true"}, timeout=timeout)
            response = await stack.enter_async_context(opening)
            self._answered(WATCH, target, response.status, started)
            if not self._is_asked_again(response.status):
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
        return await self._carry_out(_Wanted(verb, target, data, params, content_type), urgency)

    async def _carry_out(self, wanted: _Wanted, urgency: Urgency | None) -> Answer:
        """Send a request when its rights allow: not if it was denied recently, and no write while all are denied."""
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
            # While no status may be written, no status could report the refusal of this write.
            if urgency is None or answer.code != HTTPStatus.FORBIDDEN or not rights.doubted.is_set():
                return answer

    async def _ask(self, wanted: _Wanted, urgency: Urgency | None, *, patience: int) -> Answer:
        """Send a request until it is answered; a write takes a turn for each try, and none during a pause.

        A lack of rights is an answer after ``patience`` tries.
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
            if not is_trouble and not (answer.is_about_rights and attempt < patience - 1):
                return answer
            problem, useless, pause = answer.message, answer, max(pause, retry_after)
        raise ApiUnavailableError(f"{wanted.verb} {wanted.target.resource}: {problem}", useless)

    async def _try_as_known(self, wanted: _Wanted, urgency: Urgency | None) -> tuple[Answer, float]:
        """Try once; try again while credentials that were accepted before are refused."""
        while True:
            await self.credentials.turn()
            if urgency is None:
                payload = aiohttp.BytesPayload(wanted.data) if wanted.data else None
                answer, retry_after = await self._try_once(wanted, payload)
            else:
                if not self._fence.is_open:
                    await asyncio.get_running_loop().create_future()
                async with self._writes.turn(urgency):
                    answer, retry_after = await self._write_once(wanted, urgency)
            if not self._is_asked_again(answer.code):
                return answer, retry_after

    def _is_asked_again(self, code: int) -> bool:
        """Record what an answer shows of our credentials; return whether the same request must be sent again.

        A refused token may have been renewed, so the next request reads the token anew.
        """
        if code == HTTPStatus.UNAUTHORIZED:
            self._ask_for_token_at = 0.0
        return self.credentials.answered(code)

    async def _write_once(self, wanted: _Wanted, urgency: Urgency) -> tuple[Answer, float]:
        """Try once. A cancelled write that was sent may still be carried out."""
        payload = FencedBody(wanted.data, self._fence)
        try:
            return await self._try_once(wanted, payload)
        except asyncio.CancelledError:
            if payload.is_handed_over:
                self._writes.count_for(LANDING_SECONDS, urgency)
            raise

    async def _try_once(self, wanted: _Wanted, data: aiohttp.BytesPayload | None) -> tuple[Answer, float]:
        verb, target, _, params, content_type, most_bytes = wanted
        started = monotonic()
        is_last = data is not None and data.size is not None and data.size > _MOST_KEPT_BYTES
        async with self._open(
            verb, target, params=params, data=data, content_type=content_type, timeout=_REQUEST_TIMEOUT, is_last=is_last
        ) as response:
            raw = await read_at_most(response, most_bytes)
        self._answered(verb, target, response.status, started, params)
        if raw is None:
            return Answer(response.status, {}, is_cut_off=True), 0.0
        decoded = decode_object(raw)
        if decoded is None and response.ok:
            # Another server has answered, such as a proxy, so the outcome of the request is unknown.
            raise aiohttp.ClientPayloadError("its answer is not a JSON object")
        message = {"message": raw[:200].decode(errors="replace")}
        answer = Answer(response.status, message if decoded is None else decoded, len(raw))
        return answer, retry_after_seconds(response.headers)

    def _answered(
        self, verb: str, target: Target, code: int, started: float, params: Mapping[str, str] | None = None
    ) -> None:
        """Report the request to the observer and the log."""
        seconds = monotonic() - started
        self._observer(verb, target.resource, code, seconds)
        log_answer(verb, target.path, code, seconds, is_dry=params is not None and DRY_RUN in params)

    def _open(
        self,
        verb: str,
        target: Target,
        *,
        content_type: str = JSON,
        accept: str = JSON,
        is_last: bool = False,
        **options: Any,
    ) -> "aiohttp.client._RequestContextManager":
        """Open a request; if it ``is_last``, its connection is closed after it."""
        assert self._session is not None, "the client is used outside its context"
        headers = {"Content-Type": content_type, "Accept": accept} | ({"Connection": "close"} if is_last else {})
        authorization = self._authorization()
        if authorization:
            headers["Authorization"] = authorization
        return self._session.request(verb, self.configuration.host + target.path, headers=headers, **options)

    def _authorization(self) -> str | None:
        """The token to send. The configuration reads a renewed one, but each call costs half as much as a request."""
        if monotonic() >= self._ask_for_token_at:
            self._ask_for_token_at = monotonic() + _TOKEN_SECONDS
            self._token = self.configuration.get_api_key_with_prefix("BearerToken", alias="authorization")
        return self._token


async def _ask_if_granted(rights: Rights, need: Need, ask: Callable[..., Awaitable[Answer]]) -> Answer:
    """Send a request, or return the last denial if it is recent."""
    message = rights.denial(need)
    if message:
        return Answer(HTTPStatus.FORBIDDEN, {"message": message})
    answer = await ask(patience=1 if rights.is_denied(need) else _TRIES)
    if is_denial(answer.code, answer.message):
        rights.deny(need, answer.message)
    elif answer.code != HTTPStatus.UNAUTHORIZED:
        rights.grant(need)
    return answer
