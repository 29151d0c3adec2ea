"""Serves the timeline page on the loopback of the user's machine, with pictures from the cluster's API for tenants."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

import orjson
from aiohttp import web

from lockstep.answers.reading.errors import AnswerError
from lockstep.api.times import epoch_seconds
from lockstep.process.pages.loopback import is_for_loopback
from lockstep.process.timeline import PAGE, Picture
from lockstep.tenants.commands.asking import NoAnswer
from lockstep.tenants.documents import Document

LOOPBACK = "127.0.0.1"
# Seconds for which a picture is kept: the server keeps a plan for at least 15 s, and answers a user once a second.
_KEPT_SECONDS = 10.0
_NO_API = (
    "The cluster has no API for tenants, or this user may not use it. Administrators can open the operator's page "
    "/timeline."
)

Ask = Callable[[], Awaitable[Document | NoAnswer]]
"""Requests the timeline. It may raise ``AnswerError``."""


class _LastPicture(NamedTuple):
    picture: Picture | None
    why_not: str
    until: float


class TimelinePage:
    """Serves the page under a path that can't be guessed, since other users of this machine also reach the loopback."""

    def __init__(self, ask: Ask, monotonic: Callable[[], float]) -> None:
        self.path = f"/{secrets.token_urlsafe(16)}/timeline"
        self._ask = ask
        self._monotonic = monotonic
        self._asked = _LastPicture(None, "", 0.0)
        self._asking = asyncio.Lock()

    def routes(self) -> list[web.RouteDef]:
        """The routes of the page, and of the pictures that it requests."""
        return [web.get(self.path, self._page), web.get(f"{self.path}.json", self._picture)]

    async def newest(self) -> Picture:
        """The last picture, or a new one if the last is older than 10 s.

        Raises ``AnswerError`` if there is none now.
        """
        async with self._asking:
            if self._monotonic() >= self._asked.until:
                self._asked = await self._newly_asked()
        if self._asked.picture is None:
            raise AnswerError(self._asked.why_not)
        return self._asked.picture

    async def _newly_asked(self) -> _LastPicture:
        try:
            answer = await self._ask()
        except AnswerError as error:
            answer = NoAnswer(str(error))
        until = self._monotonic() + _KEPT_SECONDS
        if isinstance(answer, NoAnswer):
            return _LastPicture(None, answer.why or _NO_API, until)
        body = orjson.dumps({**answer["picture"], "asOf": epoch_seconds(answer["now"])})
        return _LastPicture(Picture(body=body, tag=f'"{hashlib.sha256(body).hexdigest()[:32]}"'), "", until)

    async def _page(self, request: web.Request) -> web.Response:
        return web.Response(text=PAGE.text, headers=PAGE.headers) if is_for_loopback(request) else _not_local()

    async def _picture(self, request: web.Request) -> web.Response:
        if not is_for_loopback(request):
            return _not_local()
        try:
            picture = await self.newest()
        except AnswerError as error:
            return web.Response(status=503, text=f"{error}\n")
        headers = {"ETag": picture.tag, "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == picture.tag:
            return web.Response(status=304, headers=headers)
        return web.Response(body=picture.body, headers=headers, content_type="application/json")


@asynccontextmanager
async def listen_on_loopback(page: TimelinePage, port: int) -> AsyncIterator[str]:
    """Serve the page while the block runs; yields its address. Raises ``OSError`` if the port can't be used."""
    app = web.Application()
    app.add_routes(page.routes())
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, LOOPBACK, port)
        await site.start()
        _, chosen = runner.addresses[0][:2]
        yield f"http://{LOOPBACK}:{chosen}{page.path}"
    finally:
        await runner.cleanup()


def _not_local() -> web.Response:
    return web.Response(status=403, text="ask for this page as localhost or 127.0.0.1\n")
