"""A server that answers request after request from a script, to the byte: for what no decent API server does."""

import asyncio
from dataclasses import dataclass, field
from enum import Enum, auto

import orjson
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from fake_cluster.jumping import now
from lockstep.api.client.configuration import Configuration


class Step(Enum):
    """What a server can do instead of answering, or in the middle of a stream."""

    RESET = auto()
    SILENCE = auto()


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer."""

    code: int
    content: bytes
    headers: dict = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream: pieces of bytes, each of them sent alone, and ``Step``s. It ends after the last."""

    pieces: tuple


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path and parameters, its headers, its body, and when it came."""

    verb: str
    path: str
    query: dict
    headers: dict
    body: bytes
    at: float


class ScriptedServer:
    """Serves ``script`` inside ``async with``, one entry a request; what comes after the end gets silence."""

    def __init__(self, *script):
        self._script = iter(script)
        self._closing = asyncio.Event()
        self.asked = []
        self.is_through = False

    async def __aenter__(self):
        self._server = RawTestServer(self._serve)
        await self._server.start_server()
        self.configuration = Configuration()
        self.configuration.host = str(self._server.make_url("")).rstrip("/")
        return self

    async def __aexit__(self, *_):
        self._closing.set()
        await self._server.close()

    async def _serve(self, http):
        body = await http.read()
        self.asked.append(Asked(http.method, http.path, dict(http.query), dict(http.headers), body, now()))
        entry = next(self._script, None)
        if isinstance(entry, Stream):
            return await self._stream(http, entry)
        if isinstance(entry, Reply):
            response = web.Response(status=entry.code, body=entry.content, headers=entry.headers)
            response.force_close()
            return response
        self.is_through = entry is None
        return await self._step(http, entry or Step.SILENCE)

    async def _stream(self, http, stream):
        response = web.StreamResponse()
        response.force_close()
        await response.prepare(http)
        for piece in stream.pieces:
            if isinstance(piece, Step):
                await self._step(http, piece)
                break
            await response.write(piece)
            # The reader gets each piece before the next is sent.
            await asyncio.sleep(0.001)
        return response

    async def _step(self, http, step):
        if step is Step.RESET:
            http.transport.abort()
        else:
            await self._closing.wait()
        return web.Response()


def reply(code=200, content=None, **headers):
    """An answer in JSON; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(code, orjson.dumps(content or {}), named)


def page(*items, version="10", following=""):
    """One page of a list."""
    metadata = {"resourceVersion": version, **({"continue": following} if following else {})}
    return reply(200, {"metadata": metadata, "items": list(items)})


def stream(*pieces):
    """A watch: events (type, object) as lines, bytes as they are, and steps."""
    return Stream(tuple(line(*piece) if isinstance(piece, tuple) else piece for piece in pieces))


def line(kind, manifest):
    """One event of a watch."""
    return orjson.dumps({"type": kind, "object": manifest}) + b"\n"


def status(code, message="no", **details):
    """An answer that refuses; ``details`` are about the object."""
    return reply(code, {"kind": "Status", "code": code, "message": message, "details": details})
