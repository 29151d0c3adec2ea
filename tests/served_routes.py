"""Routes of aiohttp that are served at a port of the loopback, with the log of requests that the operator has."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiohttp import web

from lockstep.process.pages.requests_log import requests_log


@asynccontextmanager
async def served_routes(routes: Iterable[web.AbstractRouteDef]) -> AsyncIterator[int]:
    """Serve these while the block runs; yields the port. What is in hand at the end is given up soon."""
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, logger=requests_log("test.requests"), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
