"""Pictures of the timeline: when another one is made, and what is sent with the page."""

import asyncio
import base64
import hashlib
import re
from contextlib import asynccontextmanager

import aiohttp
import orjson
import pytest
from prometheus_client import CollectorRegistry

from builders.facts import gang_fact, node_fact, reservation
from lockstep.belief.state import State
from lockstep.process.pages.health import DEBUG_PAGES, Health
from lockstep.process.pages.listening import Listener, listen
from lockstep.process.timeline import PAGE, Pictures
from lockstep.report.metrics.metrics import Metrics

pytestmark = pytest.mark.asyncio


class Clock:
    """A time of day that is also a monotonic time."""

    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def state():
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    return state


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pictures(state, clock):
    return Pictures(state, lambda: None, now=clock, monotonic=clock)


@asynccontextmanager
async def asking(pictures):
    """Serve the pages; gives a function that asks for one."""
    metrics = Metrics(CollectorRegistry())
    health = Health(unready=str, decided=lambda: None, refresh=lambda: iter(()), metrics=metrics, pictures=pictures)
    listener = Listener(pages=DEBUG_PAGES, host="127.0.0.1", port=0)
    async with listen(health, listener) as (host, port), aiohttp.ClientSession() as session:

        async def ask(path, **headers):
            async with session.get(f"http://{host}:{port}{path}", headers=headers) as answer:
                return answer.status, answer.headers, await answer.read()

        yield ask


async def test_picture_is_there_before_the_first_plan(pictures):
    async with asking(pictures) as ask:
        code, headers, body = await ask("/timeline.json")

    assert (code, headers["Content-Type"]) == (200, "application/json")
    assert [row["nodes"] for kind in orjson.loads(body)["kinds"] for row in kind["rows"]] == ["n1"]


async def test_browser_that_has_the_picture_gets_not_modified(pictures, state, clock):
    async with asking(pictures) as ask:
        _, headers, _ = await ask("/timeline.json")
        tag = {"If-None-Match": headers["ETag"]}
        same, _, nothing = await ask("/timeline.json", **tag)
        state.apply_gang(gang_fact())
        clock.seconds += 1
        another, headers, _ = await ask("/timeline.json", **tag)

    assert (same, nothing, another) == (304, b"", 200)
    assert headers["ETag"] != tag["If-None-Match"]


async def test_change_that_is_not_visible_is_no_other_picture(pictures, state, clock):
    before = await pictures.newest()
    state.nodes.record_change()
    clock.seconds += 1

    assert await pictures.newest() == before


async def test_pictures_are_a_second_apart_however_often_belief_changes(pictures, state, clock):
    before = await pictures.newest()
    state.apply_gang(gang_fact())
    clock.seconds += 0.9
    soon = await pictures.newest()
    clock.seconds += 0.1

    assert soon is before
    assert (await pictures.newest()).tag != before.tag


async def test_end_moves_on_by_itself_when_a_gang_overruns(pictures, state, clock):
    state.assumptions.hold(reservation(start=0.0, finish=1010.0))
    before = await pictures.newest()
    clock.seconds += 9
    early = await pictures.newest()
    clock.seconds += 1

    assert early is before
    [gang] = orjson.loads((await pictures.newest()).body)["gangs"]
    assert gang["finish"] == 1060.5


async def test_many_who_ask_at_once_get_the_same_picture(pictures):
    found = await asyncio.gather(*(pictures.newest() for _ in range(20)))

    assert {id(one) for one in found} == {id(found[0])}


async def test_page_allows_its_own_style_and_script_and_nothing_from_elsewhere(pictures):
    async with asking(pictures) as ask:
        code, headers, body = await ask("/timeline")

    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert (code, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    for kind in ("style", "script"):
        [text] = re.findall(f"<{kind}>(.*?)</{kind}>", body.decode(), re.DOTALL)
        want = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert policy[f"{kind}-src"] == f"'sha256-{want}'"
    assert (policy["default-src"], policy["connect-src"]) == ("'none'", "'self'")


async def test_page_names_no_address():
    assert re.findall(r"(?:https?:)?//[a-z]", PAGE.text) == []
    assert "innerHTML" not in PAGE.text
