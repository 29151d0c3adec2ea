"""What the page shows of a known scene, in a real browser."""

import asyncio
import re
import time

import pytest

from builders.scene import HOUR, Scene, busy
from coschedule import GangKey
from live.timeline_page import open_table

pytestmark = pytest.mark.asyncio

# A bar's edge may be where the chart was drawn, up to a pixel of time ago.
PIXELS = 2.5
BARS = """
[...document.querySelectorAll('.row')].flatMap((row) => {
  const track = row.querySelector('.track').getBoundingClientRect();
  return [...row.querySelectorAll('.bar')].map((bar) => {
    const box = bar.getBoundingClientRect();
    const gang = view.picture.gangs[bar.dataset.gang];
    return {
      row: row.querySelector('span').textContent, text: bar.textContent, name: gang.name, stage: bar.className,
      start: view.span.from + (box.left - track.left) / track.width * (view.span.to - view.span.from),
      finish: view.span.from + (box.right - track.left) / track.width * (view.span.to - view.span.from),
      top: box.top - row.getBoundingClientRect().top,
    };
  });
})
"""
PROMISES = """
[...document.querySelectorAll('.row .promise')].map((mark) => [
  mark.closest('.row').querySelector('span').textContent,
  view.span.from + parseFloat(mark.style.left) / 100 * (view.span.to - view.span.from),
])
"""
SECONDS_OF_PIXELS = f"{PIXELS} * (view.span.to - view.span.from) / axis.clientWidth"


async def test_page_asks_its_own_process_only(show, scene):
    async with show(scene) as page:
        url = await page.evaluate("location.origin")

        assert set(page.requests) == {f"{url}/timeline", f"{url}/timeline.json"}
        assert page.complaints == []


async def test_bars_are_on_their_nodes_at_their_times(show, scene, now):
    async with show(scene) as page:
        slack = await page.evaluate(SECONDS_OF_PIXELS)
        bars = await page.evaluate(BARS)

    found = {(bar["row"], bar["name"]): bar for bar in bars}
    assert set(found) == {("n3", "first"), ("n3", "second"), ("n1", "first"), ("n1", "second"), ("n2", "first")}
    for (_, name), bar in found.items():
        start, finish = (now, now + HOUR) if name == "first" else (now + HOUR, now + 1.5 * HOUR)
        assert bar["start"] == pytest.approx(start, abs=slack)
        assert bar["finish"] == pytest.approx(finish, abs=slack)
        assert bar["stage"] == ("bar placed" if name == "first" else "bar planned")


async def test_now_is_a_line_and_the_window_of_a_node_is_shaded(show, scene):
    async with show(scene) as page:
        await page.click("[value='21600']")
        line = await page.evaluate("parseFloat(getComputedStyle(document.querySelector('#grid .now')).left)")
        width = await page.evaluate("axis.clientWidth")
        shaded = await page.evaluate(
            "[...document.querySelectorAll('.row')].map((row) => "
            "[row.querySelector('span').textContent, row.querySelectorAll('.shut').length])"
        )

    assert line == pytest.approx(width / 6, abs=PIXELS)
    assert shaded == [["n3", 1], ["n1", 0], ["n2", 0]]


async def test_promise_is_a_mark_at_the_latest_start(show, scene, now):
    async with show(scene) as page:
        slack = await page.evaluate(SECONDS_OF_PIXELS)
        marks = await page.evaluate(PROMISES)
        await page.point_at("#chart .bar.planned")
        shown = await page.until("!card.hidden && card.innerText")

    [want] = [one.promised for one in scene.decided.plan.decisions if one.gang.name == "second"]
    assert marks == [["n3", pytest.approx(want, abs=slack)], ["n1", pytest.approx(want, abs=slack)]]
    # Before the time stands the day, where that is not today.
    assert re.search(
        rf"^It starts by (\w+ \d+, )?{time.strftime('%H:%M', time.localtime(want))}\b", shown, re.MULTILINE
    )


async def test_time_of_another_day_is_shown_with_its_day(show, scene, now):
    later = now + 48 * HOUR
    async with show(scene) as page:
        today, another = await page.evaluate(f"[formatTime(now()), formatTime({later})]")

    day = time.localtime(later)
    assert re.fullmatch(r"\d\d:\d\d", today)
    assert another == f"{time.strftime('%b', day)} {day.tm_mday}, {time.strftime('%H:%M', day)}"


async def test_gangs_on_one_node_at_one_time_are_stacked(show, now):
    scene = Scene()
    scene.add_node("n1", slots=3)
    for name in ("one", "two", "three"):
        scene.submit(name, seconds=HOUR, created=now)
    scene.plan(now)
    async with show(scene) as page:
        bars = await page.evaluate(BARS)

    assert [bar["name"] for bar in bars] == ["one", "three", "two"]
    assert [bar["top"] for bar in bars] == sorted({bar["top"] for bar in bars})


async def test_gang_that_changes_its_size_has_a_bar_with_steps(show, now):
    scene = Scene()
    for number in range(1, 5):
        scene.add_node(f"n{number}")
    scene.submit("grows", size=2, most=3, seconds=4 * HOUR, created=now)
    scene.plan(now)
    [before] = scene.state.reservations.values()
    assert [entry.node for entry in before.members] == ["n1", "n2", "n3"]
    scene.give_notice("grows", "n3", "n4", at=now + 100, finish=now + HOUR / 2)
    async with show(scene) as page:
        await page.click("[value='3600']")
        slack = await page.evaluate(SECONDS_OF_PIXELS)
        bars = await page.evaluate(BARS)
        await page.point_at("#chart .bar")
        shown = await page.until("!card.hidden && card.innerText")
        summary = await page.evaluate("summary.textContent")

    # The members have a grace of 30 s.
    assert {bar["row"]: (bar["start"], bar["finish"]) for bar in bars} == {
        "n1, n2 (2 nodes)": pytest.approx((now, now + 130), abs=slack),
        "n3": pytest.approx((now, now + HOUR / 2), abs=slack),
        "n4": pytest.approx((now + 130, now + HOUR / 2), abs=slack),
    }
    assert shown.startswith("default/grows 3→2\n\n3 members, on its nodes from")
    assert re.search(r"^From .+: 2 members, on n3, n4\.$", shown, re.MULTILINE)
    assert summary.startswith("4 nodes. 1 gang on nodes, ")


async def test_gangs_that_fit_nowhere_are_listed_with_their_sentence(show, scene):
    async with show(scene) as page:
        listed = await page.evaluate("document.getElementById('waiting').innerText")

    assert "default/giant" in listed
    assert "It needs 9 members, and 3 fit: 3 of 3 nodes pass its constraints; bid slots: 9 needed, 3 free." in listed


async def test_pointer_shows_which_gang_and_why(show, scene):
    async with show(scene) as page:
        await page.point_at("#chart .bar.planned")
        shown = await page.until("!card.hidden && card.innerText")
        await page.point_at("#summary")
        await page.until("card.hidden")

    assert shown.startswith("default/second\n")
    assert "2 members, expected from" in shown
    assert scene.state.gangs[GangKey("default", "second")].status.condition("Planned").message in shown


COVERED = """
(() => {
  const over = card.getBoundingClientRect();
  const chosen = `[data-gang="${chosenNumber()}"]`;
  const bars = [...lines.querySelectorAll(chosen)].filter((one) => !one.hidden);
  const names = bars.map((one) => one.closest(".row").firstElementChild);
  const around = chart.getBoundingClientRect();
  const covered = [...bars, ...names].filter((one) => {
    const box = one.getBoundingClientRect();
    const isSeen = box.top < around.bottom && box.bottom > around.top;
    return isSeen && box.left < over.right && box.right > over.left && box.top < over.bottom && box.bottom > over.top;
  });
  const isWithin = over.left >= 0 && over.top >= 0 && over.right <= innerWidth && over.bottom <= innerHeight;
  return [card.querySelector("b").textContent, bars.length > 0, isWithin, covered.map((one) => one.textContent)];
})()
"""


async def test_card_covers_neither_bars_nor_nodes_of_its_gang(show, now):
    async with show(busy(now, nodes=40, gangs=24)) as page:
        gangs = await page.evaluate("view.scene.order")
        found = []
        for number in gangs:
            await page.evaluate(f"choose({number})")
            found.append(await page.evaluate(COVERED))

    assert len(found) > 10
    assert [has_bars and is_within for _, has_bars, is_within, _ in found] == [True] * len(found)
    assert {name: covered for name, _, _, covered in found if covered} == {}


async def test_summary_counts_one_as_one(show, now):
    scene = Scene()
    scene.add_node("n1")
    scene.submit("only", seconds=HOUR, created=now)
    scene.plan(now)
    async with show(scene) as page:
        summary = await page.evaluate("summary.textContent")

    assert summary.startswith("1 node. 1 gang on nodes, 0 with a place in the plan, 0 without.")


async def test_arrow_keys_move_between_gangs_and_escape_leaves(show, scene):
    async with show(scene) as page:
        await page.press("Tab")
        while await page.evaluate("document.activeElement !== chart"):
            await page.press("Tab")
        ring = await page.evaluate("getComputedStyle(chart).outlineStyle")
        shown = []
        for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "End", "Home"):
            await page.press(key)
            shown.append(await page.evaluate("card.querySelector('b').textContent"))
        chosen = await page.evaluate("[...document.querySelectorAll('.chosen')].map((bar) => bar.textContent)")
        await page.press("Escape")
        left = await page.evaluate("[document.activeElement === document.body, card.hidden]")

    first, second = "default/first", "default/second"
    assert ring == "solid"
    assert shown == [first, second, second, first, second, first]
    assert chosen == ["first"] * 3
    assert left == [True, True]


async def test_ranges_show_more_or_less_time(show, scene):
    async with show(scene) as page:
        spans = []
        for button in ("[value='3600']", "[value='21600']", "[value='0']"):
            await page.click(button)
            spans.append(await page.evaluate("view.span.to - view.span.from"))
            assert await page.evaluate(f'document.querySelector("{button}").ariaPressed') == "true"

    assert spans[:2] == pytest.approx([3600, 21600])
    # From the start of the first gang to the end of the last, and a little room.
    assert spans[2] == pytest.approx(1.5 * HOUR * 1.06, rel=0.01)


async def test_page_begins_with_a_range_that_fits_and_can_show_the_past_hour(show, scene, now):
    async with show(scene) as page:
        fits = await page.evaluate("[view.span.from - view.present, view.span.to - view.present]")
        await page.click("[value='-3600']")
        past = await page.evaluate("[view.span.from - view.present, view.span.to - view.present]")

    # Up to the end of the last gang, and as much of the past as a fifth of that.
    assert fits[1] == pytest.approx(1.5 * HOUR, rel=0.1)
    assert -0.4 * HOUR < fits[0] < 0
    assert past == pytest.approx([-3600, 300])


async def test_filter_leaves_the_gangs_of_one_namespace(show, scene, now):
    scene.submit("theirs", size=9, namespace="other", created=now + 3)
    scene.plan(now)
    async with show(scene) as page:
        await page.evaluate("namespaces.value = 'other'; namespaces.dispatchEvent(new Event('change'))")
        theirs = await page.evaluate("[view.picture.gangs.length, view.picture.waiting.map(idOf), location.hash]")
        bars = await page.evaluate("document.querySelectorAll('#chart .bar').length")
        await page.evaluate("namespaces.value = ''; namespaces.dispatchEvent(new Event('change'))")
        every = await page.evaluate("view.picture.gangs.length")

    assert (theirs, bars, every) == ([0, ["other/theirs"], "#namespace=other"], 0, 2)


async def test_link_leads_to_a_gang_and_its_sentence(show, scene):
    async with show(scene) as page:
        await open_table(page)
        await page.click("tbody tr:nth-child(2) a")
        shown = await page.until("!card.hidden && card.textContent")
        link = await page.evaluate("location.hash")

    assert link == "#gang=default%2Fsecond"
    assert "default/second" in shown
    assert "The start is expected at" in shown


async def test_ticks_are_round_local_times(show, scene):
    async with show(scene) as page:
        await page.send("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
        await page.click("[value='21600']")
        ticks = await page.evaluate("ticksOf(view.span, 800).map((tick) => tick.time)")

    # Half an hour off whole hours elsewhere.
    assert len(ticks) == 6
    assert {(tick + 5.5 * HOUR) % HOUR for tick in ticks} == {0}


async def test_table_has_all_gangs_in_words(show, scene):
    async with show(scene) as page:
        await open_table(page)
        rows = await page.evaluate(
            "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
        )

    assert [row[:3] for row in rows] == [
        ["default/first", "on its nodes", "3"],
        ["default/second", "expected", "2"],
        ["default/giant", "waits", ""],
    ]


async def test_tabs_side_by_side_show_the_same(show, scene):
    async with show(scene) as one, show(scene) as other:
        assert await asyncio.gather(*(page.evaluate("view.picture.gangs.length") for page in (one, other))) == [2, 2]
