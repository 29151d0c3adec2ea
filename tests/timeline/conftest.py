"""The timeline in a real browser, served as the operator serves it."""

import time
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry

from live.chromium import chromium, tab
from lockstep.process.health import DEBUG_PAGES, Health
from lockstep.process.listening import Listener, listen
from lockstep.process.timeline import Pictures
from lockstep.report.metrics import Metrics


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One Chromium for all tests of a file."""
    with chromium(tmp_path_factory.mktemp("chromium")) as address:
        yield address


@pytest.fixture
def show(browser):
    """Serves a scene and opens the page; gives the tab once it shows the picture."""

    @asynccontextmanager
    async def shown(scene, *, scheme="light"):
        async with served(scene) as url, tab(browser) as opened:
            await opened.resize(1200, 700)
            await opened.prefer(scheme)
            await opened.open(url)
            await opened.until("view.picture !== null")
            yield opened

    return shown


@asynccontextmanager
async def served(scene):
    """The pages of a process that believes the scene; gives the address of the timeline."""
    pictures = Pictures(scene.state, lambda: scene.decided, now=time.time, monotonic=time.monotonic)
    health = Health(
        is_ready=lambda: True,
        decided=lambda: scene.decided,
        refresh=lambda: None,
        metrics=Metrics(CollectorRegistry()),
        pictures=pictures,
    )
    async with listen(health, Listener(pages=DEBUG_PAGES, host="127.0.0.1", port=0)) as (host, port):
        yield f"http://{host}:{port}/timeline"
