"""A proxy between the operator and the API server: shows every request, counts writes, answers some in its place.

The operator talks plain HTTP to it and shows its own token, which is passed on: what the operator may do stays what its
role says.
"""

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

import aiohttp
import yaml
from aiohttp import web

from live.background import Background
from lockstep.api.client.configuration import load_configuration, tls_context
from sandbox import Sandbox

HOP_BY_HOP = frozenset({"connection", "content-length", "host", "keep-alive", "transfer-encoding"})


class Moment(StrEnum):
    """When a request is checked."""

    BEFORE = "just before it is sent"
    AFTER = "just after it was answered"


class Asked(NamedTuple):
    """One request that is no watch. ``text``: its path, its query and its body."""

    verb: str
    resource: str
    text: str


Witness = Callable[[Asked, Moment], bool]
"""Shown every request but watches, twice; says whether it goes on, or its connection breaks."""


class Write(NamedTuple):
    """One request that changes something other than events: ``resource`` as in the path, such as ``pods/binding``."""

    verb: str
    resource: str
    code: int


class Injected(NamedTuple):
    """What the proxy says instead of the API server. Code 0: it breaks the connection.

    ``is_lost``: the API server carries the request out first; only its answer is lost. ``retry_after``: so many seconds
    are to be waited. ``body`` goes with code 200.
    """

    code: int
    is_lost: bool = False
    retry_after: int | None = None
    body: bytes = b""


Fault = Callable[[str, str], Injected | None]
"""Asked for every write but events' and dry runs, by verb and resource: what to say instead, if anything."""

WatchFault = Callable[[str], Injected | None]
"""Asked for every watch, by its resource: what to say instead, if anything."""


class Proxy:
    """Forwards everything. ``writes`` is what was answered so far, ``kubeconfig`` leads here.

    ``after`` is called after the API server has carried out a write and before the operator hears of it. ``witness``
    sees everything but watches. While ``is_deaf``, every new list and watch fails; while it ``locks_out``, every
    request is answered 401. ``watch_fault`` is asked for every watch, by its resource.
    """

    def __init__(self, server: str, *, tls: ssl.SSLContext | bool, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig
        self._server = server
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None
        self._runner: web.AppRunner | None = None
        self.writes: list[Write] = []
        self.after: Callable[[Write], None] = lambda _: None
        self.fault: Fault = lambda _verb, _resource: None
        self.watch_fault: WatchFault = lambda _resource: None
        self.witness: Witness = lambda _asked, _moment: True
        self.is_deaf = False
        self.locks_out = False
        self.url = ""
        self._reading: list[web.Request] = []

    def reset(self) -> None:
        """Forget what was written, and disturb nothing any more."""
        self.writes.clear()
        self.after = lambda _: None
        self.fault = lambda _verb, _resource: None
        self.watch_fault = lambda _resource: None
        self.witness = lambda _asked, _moment: True

    async def start(self) -> None:
        """Listen on a free port."""
        connector = aiohttp.TCPConnector(ssl=self._tls, limit=0)
        self._session = aiohttp.ClientSession(
            connector=connector, auto_decompress=False, timeout=aiohttp.ClientTimeout(total=None)
        )
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def drop_watches(self) -> None:
        """Break every connection on which something is being read."""
        for request in list(self._reading):
            break_off(request)

    async def stop(self) -> None:
        """Close every connection."""
        assert self._runner is not None
        assert self._session is not None
        await self._runner.cleanup()
        await self._session.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if self.locks_out:
            return self._say(request, Injected(401))
        if request.query.get("watch") == "true":
            return await self._stream(request)
        body = (await request.read()).decode(errors="replace")
        asked = Asked(request.method, resource_of(request.path), f"{request.path_qs}\n{body}")
        if not self.witness(asked, Moment.BEFORE):
            return self._say(request, Injected(0))
        answer = await self._answer(request, asked)
        return answer if self.witness(asked, Moment.AFTER) else self._say(request, Injected(0))

    async def _answer(self, request: web.Request, asked: Asked) -> web.Response:
        if request.method == "GET" or asked.resource == "events" or "dryRun" in request.query:
            is_cut_off = self.is_deaf and request.method == "GET"
            return self._say(request, Injected(0)) if is_cut_off else await self._forward(request)
        injected = self.fault(asked.verb, asked.resource)
        if injected is not None and not injected.is_lost:
            return self._say(request, injected)
        answer = await self._forward(request)
        write = Write(asked.verb, asked.resource, answer.status)
        self.writes.append(write)
        self.after(write)
        return answer if injected is None else self._say(request, injected)

    def _say(self, request: web.Request, injected: Injected) -> web.Response:
        if not injected.code:
            break_off(request)
        if injected.body:
            return web.Response(body=injected.body, content_type="application/json")
        message = {"kind": "Status", "code": injected.code, "message": "injected by the test"}
        headers = {} if injected.retry_after is None else {"Retry-After": str(injected.retry_after)}
        return web.json_response(message, status=injected.code or 500, headers=headers)

    async def _forward(self, request: web.Request) -> web.Response:
        try:
            async with self._open(request, await request.read()) as answer:
                return web.Response(status=answer.status, headers=passed_on(answer.headers), body=await answer.read())
        except aiohttp.ClientError:
            return self._say(request, Injected(0))  # the API server is gone

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        if self.is_deaf:
            return self._say(request, Injected(0))
        injected = self.watch_fault(resource_of(request.path)) if "watch" in request.query else None
        if injected is not None:
            return self._say(request, injected)
        self._reading.append(request)
        try:
            return await self._pass_on(request)
        except aiohttp.ClientError:
            return self._say(request, Injected(0))  # the API server is gone
        finally:
            self._reading.remove(request)

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        async with self._open(request) as answer:
            response = web.StreamResponse(status=answer.status, headers=passed_on(answer.headers))
            try:
                await response.prepare(request)
                async for chunk in answer.content.iter_any():
                    await response.write(chunk)
            except ConnectionError:
                return response  # the operator is gone
            return response

    def _open(self, request: web.Request, body: bytes = b"") -> "aiohttp.client._RequestContextManager":
        assert self._session is not None
        return self._session.request(
            request.method, self._server + request.raw_path, headers=passed_on(request.headers), data=body or None
        )


AnyProxy = TypeVar("AnyProxy", bound=Proxy)


def break_off(request: web.Request) -> None:
    """Break the connection on which a request came, if it still stands."""
    if request.transport is not None:
        request.transport.abort()


def passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that are about the message, not about the connection."""
    return {name: value for name, value in headers.items() if name.lower() not in HOP_BY_HOP}


def resource_of(path: str) -> str:
    """The resource in a path of the API, with its subresource: ``pods/binding``."""
    parts = path.split("/")[3 if path.startswith("/api/") else 4 :]
    if parts[:1] == ["namespaces"] and len(parts) > 2:
        parts = parts[2:]
    return "/".join(parts[:1] + parts[2:])


@contextmanager
def proxied(
    api: Sandbox, kubeconfig: Path, target: Path, background: Background, *, make: type[AnyProxy] = Proxy
) -> Iterator[AnyProxy]:
    """Run a proxy, and write the kubeconfig that leads to it to ``target``."""
    tls = tls_context(load_configuration(kubeconfig=str(kubeconfig), context=None))
    proxy = make(api.server, tls=tls, kubeconfig=target)
    background.run(proxy.start())
    document = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    document["clusters"][0]["cluster"] = {"server": proxy.url}
    target.write_text(yaml.safe_dump(document), encoding="utf-8")
    yield proxy
    background.run(proxy.stop())
