"""The appearance of the page: words of tenants, colours, widths and modes, in a real browser."""

from dataclasses import replace

import pytest

from builders.scene import HOUR, Scene
from coschedule import GangKey
from live.timeline_page import open_table

pytestmark = pytest.mark.asyncio

HOSTILE = "<img src=x onerror='window.struck=1'>\"'><script>window.struck=1</script>\u202e{{name}}"
CONTRASTS = """
[...document.querySelectorAll('#chart .bar, #summary, .kind, .row > span, #waiting span, #axis span')].map((one) => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(one);
  const clear = (colour) => colour === 'rgba(0, 0, 0, 0)';
  const hatched = style.backgroundImage.match(/rgb\\([^)]*\\)/g);
  const grounds = hatched ?? [style.backgroundColor];
  return Math.min(...grounds.map((ground) => {
    const under = clear(ground) ? getComputedStyle(document.body).backgroundColor : ground;
    const [low, high] = [light(style.color), light(under)].sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  }));
})
"""


async def test_words_of_tenants_are_words_and_nothing_else(show, scene, now):
    scene.add_node("z" + HOSTILE)
    scene.submit(HOSTILE, namespace=HOSTILE, seconds=HOUR, created=now)
    scene.plan(now)
    key = GangKey(HOSTILE, HOSTILE)
    gang = scene.state.gangs[key]
    condition = gang.status.condition("Planned")._replace(message=HOSTILE)
    others = tuple(one for one in gang.status.conditions if one.type != "Planned")
    status = replace(gang.status, conditions=(*others, condition))
    scene.state.apply_gang(replace(gang, resource_version="2", status=status))
    scene.submit("waits " + HOSTILE, size=9, created=now)
    async with show(scene) as page:
        await open_table(page)
        await page.evaluate("chart.focus()")
        await page.press("End")
        shown = await page.evaluate("card.textContent")
        made = await page.evaluate("document.querySelectorAll('body img, body b script, body div script').length")
        struck = await page.evaluate("window.struck === undefined")
        complaints = page.complaints

    assert shown.startswith(f"{HOSTILE}/{HOSTILE}")
    assert shown.endswith(HOSTILE)
    assert (made, struck, complaints) == (0, True, [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_words_stand_out_in_both_modes(show, now, scheme):
    scene = Scene()
    # Names enough for every colour that a bar may have.
    for number in range(48):
        scene.add_node(f"n{number:02}")
        scene.submit(f"g{number}", seconds=HOUR, created=now)
        scene.submit(f"later-{number}", seconds=HOUR, created=now + 1)
    scene.plan(now)
    async with show(scene, scheme=scheme) as page:
        await page.resize(1200, 1600)
        contrasts = await page.until(f"document.querySelectorAll('#chart .bar').length === 96 && {CONTRASTS}")
        hues = await page.evaluate("new Set(view.picture.gangs.map(hueOf)).size")

    # Web Content Accessibility Guidelines 2.1, 1.4.3: words of this size.
    assert min(contrasts) >= 4.5
    assert hues == 24


@pytest.mark.parametrize("width", [420, 1200, 2400])
async def test_nothing_sticks_out_however_wide_the_window_is(show, scene, width):
    async with show(scene) as page:
        await page.resize(width, 800)
        sizes = await page.until(
            f"innerWidth === {width} && [chart.scrollWidth, chart.clientWidth, document.body.scrollWidth, {width}]"
        )

    chart_holds, chart_has, body_holds, body_has = sizes
    assert chart_holds <= chart_has
    assert body_holds <= body_has


async def test_modes_differ_without_a_reload(show, scene):
    grounds = []
    async with show(scene) as page:
        for scheme in ("light", "dark"):
            await page.prefer(scheme)
            grounds.append(await page.evaluate("getComputedStyle(document.body).backgroundColor"))

    assert grounds == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]
