"""The timeline of a running operator, in a real browser."""

import pytest

from builders.manifests import bid, gang
from eventually import eventually
from live.chromium import chromium, tab

SHOWN = """
Object.fromEntries(
  [...document.querySelectorAll('#chart .bar')].map((bar) => [
    view.picture.gangs[bar.dataset.gang].name,
    [bar.className, bar.closest('.row').querySelector('span').title, view.picture.gangs[bar.dataset.gang].says],
  ])
)
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("chromium")) as address:
        yield address


def test_gangs_that_run_wait_and_fit_nowhere_are_shown(operator, arena, browser, background):
    [node] = arena.add_nodes(1, cpu="2")
    arena.create(bid(node, slots=2))
    arena.submit(gang("heat", size=2, work={"serialTime": "1h"}))
    arena.until_placed("heat")
    arena.submit(gang("later", size=2, work={"serialTime": "1h"}))
    arena.submit(gang("giant", size=50))
    arena.until("later", "Planned", reason="StartsLater")
    arena.until("giant", "Placed", "False")

    def shows_all():
        shown, waiting = background.run(seen(browser, f"{operator.debug_url}/timeline"))
        for name, stage in (("heat", "placed"), ("later", "planned")):
            assert shown[name] == [f"bar {stage}", node, arena.condition(name, "Planned")["message"]]
        return arena.condition("giant", "Planned")["message"] in waiting

    assert eventually(shows_all)


async def seen(browser, url):
    """What the page shows once it has two gangs with a place, and who has none."""
    async with tab(browser) as page:
        await page.open(url)
        await page.until("document.querySelectorAll('#chart .placed, #chart .planned').length === 2")
        return await page.evaluate(SHOWN), await page.evaluate("document.getElementById('waiting').innerText")
