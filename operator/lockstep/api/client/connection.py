"""The connection to the API server: one pooled session, and the token that each request carries."""

from collections.abc import Mapping
from http import HTTPStatus
from time import monotonic
from typing import Any, NamedTuple, Self

import aiohttp

from lockstep.api.client.answer import Answer, Target, decode_object, retry_after_seconds
from lockstep.api.client.configuration import Configuration, RequestObserver, tls_context
from lockstep.api.client.credentials import Credentials
from lockstep.api.client.instance import user_agent
from lockstep.api.client.long_answers import read_at_most
from lockstep.api.client.request_log import log_answer

JSON = "application/json"
DRY_RUN = "dryRun"

_REQUEST_TIMEOUT = aiohttp.ClientTimeout(total=30.0)
_TOKEN_SECONDS = 30.0
# Gangs come in bursts. To open all connections again for each burst would block the event loop.
_KEPT_SECONDS = 60.0
# In bytes. A connection keeps as much memory as its longest request needed, and a hundred connections may be open.
_MOST_KEPT_BYTES = 64 * 2**10


class WantedRequest(NamedTuple):
    """One request, which may be sent several times. An answer above ``most_bytes`` is cut off."""

    verb: str
    target: Target
    data: bytes
    params: Mapping[str, str] | None
    content_type: str = JSON
    most_bytes: int | None = None


class ApiConnection:
    """Sends single requests. Use as an asynchronous context manager.

    At most ``most`` requests are open at the same time. Each answer is reported to ``observer`` and the log.
    """

    def __init__(
        self, configuration: Configuration, credentials: Credentials, observer: RequestObserver, *, most: int
    ) -> None:
        self._configuration = configuration
        self._credentials = credentials
        self._observer = observer
        self._most = most
        self._session: aiohttp.ClientSession | None = None
        self._token: str | None = None
        self._ask_for_token_at = 0.0

    async def __aenter__(self) -> Self:
        """Open the session."""
        connector = aiohttp.TCPConnector(
            limit=self._most, ssl=tls_context(self._configuration), keepalive_timeout=_KEPT_SECONDS
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            # The API server sets no cookies, so no request needs to check them.
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=[("User-Agent", user_agent()), *self._configuration.impersonation],
            proxy=self._configuration.proxy,
            trust_env=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the session and its connections."""
        assert self._session is not None
        await self._session.close()

    async def send_once(self, wanted: WantedRequest, data: aiohttp.BytesPayload | None) -> tuple[Answer, float]:
        """Send the request once. Returns the answer, and the server's ``Retry-After`` in seconds or 0.

        Raises an error of aiohttp, or ``TimeoutError`` or ``OSError``, if there is no usable answer.
        """
        verb, target, _, params, content_type, most_bytes = wanted
        started = monotonic()
        is_last = data is not None and data.size is not None and data.size > _MOST_KEPT_BYTES
        async with self.open(
            verb, target, params=params, data=data, content_type=content_type, timeout=_REQUEST_TIMEOUT, is_last=is_last
        ) as response:
            raw = await read_at_most(response, most_bytes)
        self.answered(verb, target, response.status, started, params)
        if raw is None:
            return Answer(response.status, {}, is_cut_off=True), 0.0
        decoded = decode_object(raw)
        if decoded is None and response.ok:
            # Another server has answered, such as a proxy, so the outcome of the request is unknown.
            raise aiohttp.ClientPayloadError("its answer is not a JSON object")
        message = {"message": raw[:200].decode(errors="replace")}
        answer = Answer(response.status, message if decoded is None else decoded, len(raw))
        return answer, retry_after_seconds(response.headers)

    def open(
        self,
        verb: str,
        target: Target,
        *,
        content_type: str = JSON,
        accept: str = JSON,
        is_last: bool = False,
        **options: Any,
    ) -> "aiohttp.client._RequestContextManager":
        """Open a request. If it ``is_last``, its connection is closed after the answer."""
        assert self._session is not None, "the client is used outside its context"
        headers = {"Content-Type": content_type, "Accept": accept} | ({"Connection": "close"} if is_last else {})
        authorization = self._authorization()
        if authorization:
            headers["Authorization"] = authorization
        # A kubeconfig may state the name in the server's certificate, for example for a server behind a tunnel.
        name, url = self._configuration.tls_server_name, self._configuration.host + target.path
        return self._session.request(verb, url, headers=headers, server_hostname=name, **options)

    def answered(
        self, verb: str, target: Target, code: int, started: float, params: Mapping[str, str] | None = None
    ) -> None:
        """Report a request that was ``started`` at that time to the observer and the log."""
        seconds = monotonic() - started
        self._observer(verb, target.resource, code, seconds)
        log_answer(verb, target.path, code, seconds, is_dry=params is not None and DRY_RUN in params)

    def record_code(self, code: int) -> bool:
        """Record what an answer shows of our credentials. Returns whether the same request must be sent again.

        A refused token may have been renewed, so the next request reads the token anew.
        """
        if code == HTTPStatus.UNAUTHORIZED:
            self._ask_for_token_at = 0.0
        return self._credentials.answered(code)

    def _authorization(self) -> str | None:
        """The value of the header ``Authorization``; None without a token.

        To ask the configuration for a renewed token costs half as much as a request. So it is asked every 30 s at most.
        """
        if monotonic() >= self._ask_for_token_at:
            self._ask_for_token_at = monotonic() + _TOKEN_SECONDS
            self._token = self._configuration.get_api_key_with_prefix("BearerToken", alias="authorization")
        return self._token
