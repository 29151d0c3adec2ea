"""The timeline in a real browser, served as the operator serves it."""

import time
from contextlib import asynccontextmanager

import pytest

from builders.scene import HOUR, Scene
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
    scene = Scene()
    scene.add_node("n1")
    scene.add_node("n2")
    scene.add_node("n3", slowdown=0.5, until=now + 3 * HOUR)
    scene.submit("first", size=3, seconds=3 * HOUR, created=now)
    scene.plan(now)
    scene.submit("second", size=2, seconds=HOUR, created=now + 1)
    scene.submit("giant", size=9, created=now + 2)
    scene.plan(now)
    return scene
