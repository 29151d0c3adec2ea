"""The timeline in a real browser, served as the operator serves it."""

import time
from contextlib import asynccontextmanager

import pytest

from builders.scene import HOUR, three_gangs
from live.chromium import chromium, tab
from live.timeline_page import served


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
        async with served(scene) as url, tab(browser) as page:
            await page.resize(1200, 700)
            await page.prefer(scheme)
            await page.open(url)
            await page.until("view.picture !== null")
            yield page

    return shown


@pytest.fixture
def now():
    return time.time()


@pytest.fixture
def scene(now):
    """Two equal nodes and a faster one, all taken by a gang; another waits for it, and a third is too large."""
    return three_gangs(now, closes=now + 3 * HOUR)
