"""The page follows what changes, and says when the operator does not answer."""

import time

import pytest

from builders.facts import node_fact
from builders.scene import HOUR, Scene
from live.chromium import tab
from live.timeline_page import served

pytestmark = pytest.mark.asyncio


@pytest.fixture
def scene():
    scene = Scene()
    scene.add_node("n1")
    scene.submit("first", seconds=HOUR)
    scene.plan(time.time())
    return scene


async def test_page_follows_what_changes_without_being_loaded_again(show, scene):
    async with show(scene) as page:
        await page.evaluate("window.isTheSame = true")
        await page.evaluate("chart.focus()")
        await page.press("Home")
        scene.submit("second", seconds=HOUR)
        scene.plan(time.time())
        await page.until("[...document.querySelectorAll('#chart .bar')].some((bar) => bar.textContent === 'second')")

        assert await page.evaluate("window.isTheSame")
        # Where the keyboard is does not move.
        assert await page.evaluate("document.querySelector('.chosen').textContent") == "first"
        assert await page.evaluate("card.querySelector('b').textContent") == "default/first"

        scene.end("first")
        await page.until("document.querySelectorAll('#chart .bar').length === 1")
        assert await page.evaluate("card.hidden")
        assert page.complaints == []


async def test_picture_that_stays_is_sent_once(show, scene):
    async with show(scene) as page:
        await page.until("answeredAt > view.present + 1")
        scene.state.nodes.record_change()
        count = len(page.statuses)
        while len(page.statuses) < count + 2:
            await page.until("answeredAt")

    # The page, its picture, and from then on the word that there is no other.
    assert page.statuses[:2] == [200, 200]
    assert set(page.statuses[2:]) == {304}


async def test_page_says_when_the_operator_does_not_answer_and_when_it_does_again(browser, scene):
    async with tab(browser) as page:
        async with served(scene) as url:
            await page.open(url)
            await page.until("view.picture !== null")
        shown = await page.until("!trouble.hidden && trouble.textContent")
        kept = await page.evaluate("document.querySelectorAll('#chart .bar').length")
        port = int(url.split(":")[2].split("/")[0])
        scene.state.nodes.apply(node_fact("n2"))
        async with served(scene, port=port):
            await page.until("trouble.hidden && document.querySelectorAll('.row').length === 2")

    assert shown.startswith("The operator has not answered since ")
    assert kept == 1
