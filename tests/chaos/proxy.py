"""A proxy that disturbs what passes, as its settings say: requests, their answers, and single events of watches."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from fnmatch import fnmatchcase
from typing import Any

import aiohttp
import orjson
from aiohttp import web

from chaos.script import Fault
from live.proxy import Proxy, break_off, resource_of

# Every kind of trouble for a request. A number is the answer's code; "late" ones come after the server has acted.
REQUEST_FAULTS = (
    *("refused", "lost", "slow", "stale", "401", "409", "410", "429", "500", "503", "504", "504 late", "no JSON"),
)
OPENING_FAULTS = ("refused", "401", "410", "429", "500", "503")
WATCH_FAULTS = ("cut", "torn", "twice", "gone", "error", "silent", "delayed")
RETRY_AFTER_SECONDS = 1
LATE = " late"


class FaultyProxy(Proxy):
    """Faults lie in wait until their requests come. ``counts`` is how many of each kind have struck.

    ``forbidden`` is every write that the operator had no business to send.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._armed: list[Fault] = []
        self._answers: dict[str, web.Response] = {}
        self._healed = asyncio.Event()
        self.counts: Counter[str] = Counter()
        self.forbidden: list[str] = []

    def arm(self, fault: Fault) -> None:
        """Let a fault wait for its requests."""
        self._healed.clear()
        self._armed.append(fault)

    def heal(self) -> None:
        """Trouble nothing any more, and break what hangs."""
        self._armed.clear()
        self._healed.set()

    def _take(self, channel: str) -> Fault | None:
        for number, fault in enumerate(self._armed):
            if fnmatchcase(channel, fault.on):
                left = fault._replace(times=fault.times - 1)
                self._armed[number : number + 1] = [left] if left.times else []
                self.counts[f"{'watch' if channel.startswith('watch') else 'request'} {fault.kind}"] += 1
                return fault
        return None

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        resource = resource_of(request.path)
        if request.query.get("watch") == "true":
            fault = self._take(f"open {resource}")
            return await self._stream(request) if fault is None else self._refuse(request, fault.kind)
        self._check(request, resource)
        fault = self._take(f"{request.method} {resource}")
        if fault is None:
            return await self._remembered(request)
        return await self._troubled(request, fault)

    async def _troubled(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        if fault.kind == "slow":
            await self._unless_healed(fault.seconds)
            # Who has been killed meanwhile sends nothing any more.
            return await self._remembered(request) if request.transport else self._refuse(request, "refused")
        if fault.kind == "stale" and request.method == "GET":
            return again(self._answers.get(request.path_qs)) or await self._remembered(request)
        if fault.kind == "lost" or fault.kind.endswith(LATE):
            await self._remembered(request)
        return self._refuse(request, fault.kind.removesuffix(LATE))

    def _refuse(self, request: web.Request, kind: str) -> web.Response:
        if not kind.isdigit():
            if kind == "no JSON":
                return web.Response(text="<html>a page of another server</html>", status=502)
            break_off(request)
            return web.Response(status=500)
        headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if kind == "429" else {}
        return web.json_response(status_object(int(kind)), status=int(kind), headers=headers)

    async def _remembered(self, request: web.Request) -> web.Response:
        try:
            answer = await self._forward(request)
        except aiohttp.ClientError:
            return self._refuse(request, "refused")  # the API server is away
        if request.method == "GET" and request.path_qs not in self._answers:
            self._answers[request.path_qs] = again(answer)
        return answer

    def _check(self, request: web.Request, resource: str) -> None:
        """Note what the operator must not do: delete or stop what is no gang or member, write other kinds."""
        what = f"{request.method} {request.path}"
        allowed = {
            "POST": {"pods", "pods/binding", "services", "configmaps", "events", "gangs", "selfsubjectaccessreviews"},
            "PATCH": {"gangjobs/status", "nodebids/status", "pods/status", "gangs", "gangs/status", "jobs"},
        }
        named = {"DELETE": {"pods", "gangjobs"}, "PATCH": {"pods"}, "PUT": {"configmaps"}}
        is_ours = resource in named.get(request.method, set()) and f"/{resource}/gang" in request.path
        may_go = resource == "pods/eviction" and "/pods/set" in request.path
        if request.method != "GET" and not (is_ours or may_go) and resource not in allowed.get(request.method, set()):
            self.forbidden.append(what)

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        try:
            async with self._open(request) as answer:
                response.set_status(answer.status)
                await response.prepare(request)
                await self._pass_on_events(request, response, answer)
        except (ConnectionError, aiohttp.ClientError):
            break_off(request)  # the operator is gone, or the API server
        return response

    async def _pass_on_events(
        self, request: web.Request, response: web.StreamResponse, answer: aiohttp.ClientResponse
    ) -> None:
        channel = f"watch {resource_of(request.path)}"
        async for line in lines_of(answer.content.iter_any()):
            fault = self._take(channel)
            if fault is None:
                await response.write(line)
            elif not await self._trouble_event(request, response, line, fault):
                return

    async def _trouble_event(
        self, request: web.Request, response: web.StreamResponse, line: bytes, fault: Fault
    ) -> bool:
        """Do to one event what the fault says; returns whether the watch goes on."""
        match fault.kind:
            case "twice":
                await response.write(line + line)
            case "delayed":
                await self._unless_healed(fault.seconds)
                await response.write(line)
            case "gone" | "error":
                code = 410 if fault.kind == "gone" else 500
                await response.write(orjson.dumps({"type": "ERROR", "object": status_object(code)}) + b"\n")
                return False
            case "torn":
                await response.write(line[: len(line) // 2])
                break_off(request)
                return False
            case "silent":
                await self._unless_healed(fault.seconds)
                break_off(request)
                return False
            case _:
                break_off(request)
                return False
        return True

    async def _unless_healed(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._healed.wait(), timeout=seconds)
        except TimeoutError:
            return


def again(answer: web.Response | None) -> web.Response | None:
    """The same answer, to be sent once more."""
    if answer is None:
        return None
    headers = {name: value for name, value in answer.headers.items() if name.lower() not in ("content-length", "date")}
    return web.Response(status=answer.status, headers=headers, body=answer.body)


def status_object(code: int) -> dict[str, Any]:
    """What the API server says of a refusal."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "code": code,
        "message": "injected by the test",
    }


async def lines_of(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Every whole line, with its end."""
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line + b"\n"
