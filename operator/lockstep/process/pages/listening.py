"""Decides which pages are served at which address."""

import logging
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from aiohttp import web

from lockstep.api.client.client import KubeClient
from lockstep.process.pages.certificate import Certificate
from lockstep.process.pages.gate import behind_reviews
from lockstep.process.pages.health import DEBUG_PAGES, METRICS, PROBES, Health, Page
from lockstep.process.pages.loopback import for_loopback
from lockstep.process.pages.reviews import Reviews
from lockstep.process.pages.serving import ServedAt, serve
from lockstep.process.stores.errors import StartError
from lockstep.process.stores.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Pages at one address; port 0 means any free port. Without ``tls``, the pages are served by plain HTTP."""

    pages: Mapping[str, Page]
    host: str
    port: int
    tls: ssl.SSLContext | None = None


async def start_pages(stack: AsyncExitStack, settings: Settings, health: Health, client: KubeClient) -> None:
    """Serve all pages until the stack unwinds. Raises ``StartError`` if an address or certificate can't be used."""
    for listener in _listeners(settings, client):
        try:
            await stack.enter_async_context(listen(health, listener))
        except OSError as error:
            raise StartError(f"can't listen on {listener.host}:{listener.port}: {error.strerror}") from error


@asynccontextmanager
async def listen(health: Health, listener: Listener) -> AsyncIterator[tuple[str, int]]:
    """Serve pages while the block runs; yields the address. Raises ``OSError`` if the address can't be used."""
    app = web.Application()
    app.add_routes([web.get(path, partial(page, health)) for path, page in listener.pages.items()])
    at = ServedAt(listener.host, listener.port, listener.tls, f"{__name__}.requests")
    async with serve(app, at) as address:
        log.info("listening on %s port %d: %s", *address, ", ".join(listener.pages))
        yield address


def _listeners(settings: Settings, client: KubeClient) -> Iterator[Listener]:
    """All listeners: probes are open to all clients, and debug pages are only local.

    Metrics are open to all clients unless they are secured.
    """
    open_pages = PROBES if settings.metrics_secure else {**PROBES, **METRICS}
    yield Listener(pages=open_pages, host=settings.listen_host, port=settings.listen_port)
    debug_pages = {path: for_loopback(page) for path, page in DEBUG_PAGES.items()}
    yield Listener(pages=debug_pages, host=settings.debug_listen_host, port=settings.debug_listen_port)
    if settings.metrics_secure:
        yield _secured_metrics(settings, client)


def _secured_metrics(settings: Settings, client: KubeClient) -> Listener:
    if settings.metrics_cert_dir is None:
        raise StartError("--metrics-secure needs --metrics-cert-dir, a folder with tls.crt and tls.key")
    return Listener(
        pages={
            path: behind_reviews(page, Reviews(client, path=path, monotonic=monotonic))
            for path, page in METRICS.items()
        },
        host=settings.listen_host,
        port=settings.metrics_listen_port,
        tls=Certificate(Path(settings.metrics_cert_dir)).context(),
    )
