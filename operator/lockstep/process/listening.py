"""Where the pages are: which listener has which."""

import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import partial

from aiohttp import web

from lockstep.process.errors import StartError
from lockstep.process.health import DEBUG_PAGES, PAGES, Health, Page
from lockstep.process.settings import Settings

log = logging.getLogger(__name__)


async def start_pages(stack: AsyncExitStack, settings: Settings, health: Health) -> None:
    """Serve every page until the stack unwinds. Raises ``StartError`` where an address can't be had."""
    for pages, host, port in (
        (PAGES, settings.listen_host, settings.listen_port),
        (DEBUG_PAGES, settings.debug_listen_host, settings.debug_listen_port),
    ):
        try:
            runner = await listen(health, pages, host=host, port=port)
        except OSError as error:
            raise StartError(f"can't listen on {host}:{port}: {error.strerror}") from error
        stack.push_async_callback(runner.cleanup)


async def listen(health: Health, pages: Mapping[str, Page], *, host: str, port: int) -> web.AppRunner:
    """Serve these pages, and no others, at one address until the runner is cleaned up; port 0 takes a free one.

    Raises ``OSError`` where the address can't be had.
    """
    app = web.Application()
    app.add_routes([web.get(path, partial(page, health)) for path, page in pages.items()])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    await site.start()
    log.info("listening on %s port %d: %s", *runner.addresses[0][:2], ", ".join(pages))
    return runner
