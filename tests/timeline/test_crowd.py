"""Five hundred nodes and three hundred gangs, in a real browser."""

import time

import pytest

from builders.scene import busy

pytestmark = pytest.mark.asyncio

NODES, GANGS = 500, 300
# What is in sight is drawn without a gap: there is a row at its top, in its middle and at its bottom.
IS_COVERED = """
(({ left, top, height }) =>
  [30, height / 2, height - 30].every((y) => document.elementFromPoint(left + 40, top + y).closest('.row, .kind'))
)(chart.getBoundingClientRect())
"""
VISITED = """
view.scene.order.map(() => {
  chart.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown' }));
  return view.chosen;
})
"""


@pytest.fixture(scope="module")
def crowd():
    return busy(time.time(), nodes=NODES, gangs=GANGS)


async def test_all_nodes_are_there_and_only_those_in_sight_are_drawn(show, crowd):
    async with show(crowd) as page:
        summary = await page.evaluate("summary.textContent")
        counted = await page.evaluate("view.picture.kinds.flatMap((kind) => kind.rows).map((row) => row.count)")
        drawn = await page.evaluate("document.querySelectorAll('.row').length")

    assert summary.startswith(f"{NODES} nodes. ")
    assert sum(counted) == NODES
    assert 0 < drawn < len(counted) / 3


async def test_kinds_of_nodes_are_together(show, crowd):
    async with show(crowd) as page:
        kinds = await page.evaluate("view.picture.kinds.map((kind) => [kind.speed, nodeCount(kind.rows)])")

    assert kinds == [[2.0, 100], [1.0, 250], [0.62, 150]]


async def test_every_row_comes_into_sight(show, crowd):
    async with show(crowd) as page:
        count = await page.evaluate("view.picture.kinds.flatMap((kind) => kind.rows).length")
        seen = set()
        height, step = await page.evaluate("[view.scene.height, chart.clientHeight]")
        for top in range(0, height, step):
            await page.evaluate(f"chart.scrollTop = {top}")
            await page.until(IS_COVERED)
            seen |= set(await page.evaluate("[...document.querySelectorAll('.row > span')].map((one) => one.title)"))

    assert len(seen) == count


async def test_keyboard_reaches_the_last_gang_and_brings_it_into_sight(show, crowd):
    async with show(crowd) as page:
        await page.evaluate("chart.focus()")
        await page.press("End")
        top, bottom, chosen = await page.evaluate(
            "[chart.getBoundingClientRect().top, chart.getBoundingClientRect().bottom,"
            " [...document.querySelectorAll('.chosen')].map((bar) => bar.getBoundingClientRect().top)]"
        )
        last = await page.evaluate("idOf(view.picture.gangs[view.scene.order.at(-1)])")
        shown = await page.evaluate("card.querySelector('b').textContent")

    assert shown == last
    assert any(top < one < bottom for one in chosen)


async def test_keyboard_visits_every_gang_once(show, crowd):
    async with show(crowd) as page:
        visited = await page.evaluate(VISITED)

    gangs = {f"{key.namespace}/{key.name}" for key in crowd.state.gangs if key.name != "atlas"}
    assert len(visited) == len(set(visited))
    assert set(visited) == gangs
