"""A scene, served as the operator serves its timeline."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from prometheus_client import CollectorRegistry

from live.chromium import Tab
from lockstep.process.pages.health import DEBUG_PAGES, Health
from lockstep.process.pages.listening import Listener, listen
from lockstep.process.timeline import Pictures
from lockstep.report.metrics.metrics import Metrics
from sandbox.ports import LOOPBACK


@asynccontextmanager
async def served(scene: Any, *, port: int = 0) -> AsyncIterator[str]:
    """Serve the pages of a process whose cache has the scene; gives the address of the timeline."""
    pictures = Pictures(scene.state, lambda: scene.decided, now=time.time, monotonic=time.monotonic)
    health = Health(
        unready=str,
        decided=lambda: scene.decided,
        refresh=lambda: None,
        metrics=Metrics(CollectorRegistry()),
        pictures=pictures,
    )
    async with listen(health, Listener(pages=DEBUG_PAGES, host=LOOPBACK, port=port)) as (host, taken):
        yield f"http://{host}:{taken}/timeline"


async def open_table(page: Tab) -> None:
    """Open the table of the page, and wait for its rows."""
    await page.click("#table summary")
    await page.until("document.querySelectorAll('tbody tr').length > 0")
