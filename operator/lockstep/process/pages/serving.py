"""Serves an application at one address, with a bounded number of connections."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from aiohttp import web

from lockstep.process.pages.connection_acceptor import ConnectionAcceptor
from lockstep.process.pages.requests_log import requests_log

# When the process ends, it waits at most this long for slow clients.
_LAST_ANSWERS_SECONDS = 1.0
# The defaults of aiohttp.
_USUAL_HEADERS, _USUAL_FIELD_BYTES = 128, 8190
_USUAL_CONNECTIONS = 128


class ServedAt(NamedTuple):
    """An address and how to serve there. Port 0 means any free port. Without ``tls``, pages are served by plain HTTP.

    Errors are logged under the name ``log``. A request has at most ``most_headers`` headers, and each header at most
    ``most_header_bytes`` bytes. There are at most ``most_connections`` connections at once.
    """

    host: str
    port: int
    tls: ssl.SSLContext | None
    log: str
    most_headers: int = _USUAL_HEADERS
    most_header_bytes: int = _USUAL_FIELD_BYTES
    most_connections: int = _USUAL_CONNECTIONS


@asynccontextmanager
async def serve(app: web.Application, at: ServedAt) -> AsyncIterator[tuple[str, int]]:
    """Serve while the block runs; yields the address. Raises ``OSError`` if the address can't be used."""
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=requests_log(at.log),
        shutdown_timeout=_LAST_ANSWERS_SECONDS,
        max_headers=at.most_headers,
        max_field_size=at.most_header_bytes,
    )
    await runner.setup()
    assert runner.server is not None, "it was set up"
    try:
        acceptor = ConnectionAcceptor(at.host, at.port, runner.server, tls=at.tls, most=at.most_connections)
        try:
            yield acceptor.address
        finally:
            await acceptor.close()
    finally:
        await runner.cleanup()
