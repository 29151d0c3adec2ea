"""What the process says of itself, page by page: alive, ready, its metrics, its last decision, and gangs in time."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field

import orjson
from aiohttp import web
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from coschedule import encode_plan, encode_snapshot
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.planning.decided import LastPlan
from lockstep.process.timeline import PAGE, Pictures
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.text.refusal_sentences import format_refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What the pages ask. ``pictures`` are those of the timeline.

    ``unready``: one sentence on why the process is not ready, empty where it is. ``refresh`` brings the gauges up to
    date.
    """

    unready: Callable[[], str]
    decided: Callable[[], LastPlan | None]
    refresh: Callable[[], Generator[None, None, None]]
    metrics: Metrics
    pictures: Pictures
    showing_metrics: asyncio.Lock = field(default_factory=asyncio.Lock)
    showing_snapshot: asyncio.Lock = field(default_factory=asyncio.Lock)


async def _healthz(_: Health, _request: web.Request) -> web.Response:
    """Answer as long as the event loop turns: what can break otherwise ends the process."""
    return web.Response(text="ok\n")


async def _readyz(health: Health, _: web.Request) -> web.Response:
    why_not = health.unready()
    return web.Response(status=503, text=f"{why_not}\n") if why_not else web.Response(text="ok\n")


async def _metrics(health: Health, request: web.Request) -> web.Response:
    encode, content_type = _encoder(request.headers.get("Accept", ""))
    # One at a time, and spelled beside the event loop: there are thousands of lines, and anybody may ask.
    async with health.showing_metrics:
        await in_turns(health.refresh())
        body = await asyncio.to_thread(encode, health.metrics.registry)
        return web.Response(body=body, headers={"Content-Type": content_type})


def _encoder(accept: str) -> tuple[Callable[[Collector], bytes], str]:
    """How to write the metrics for who accepts that, and what that is called."""
    try:
        return choose_encoder(accept)
    except (TypeError, ValueError):
        # The library stumbles over versions that are none.
        return choose_encoder("")


async def _snapshot(health: Health, _: web.Request) -> web.Response:
    decided = health.decided()
    if decided is None:
        return web.Response(status=404, text="no gang has been planned yet\n")
    # One at a time, and beside the event loop: the facts are frozen, and there may be many of them.
    async with health.showing_snapshot:
        body = await asyncio.to_thread(_spelled, decided)
    return web.Response(body=body, content_type="application/json")


def _spelled(decided: LastPlan) -> bytes:
    document = {"snapshot": encode_snapshot(decided.snapshot), "plan": encode_plan(decided.plan, format_refusal)}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2)


async def _timeline(_: Health, _request: web.Request) -> web.Response:
    return web.Response(text=PAGE.text, headers=PAGE.headers)


async def _timeline_picture(health: Health, request: web.Request) -> web.Response:
    """Answer with the newest picture, unless the asker has it."""
    picture = await health.pictures.newest()
    headers = {"ETag": picture.tag, "Cache-Control": "no-cache"}
    if request.headers.get("If-None-Match") == picture.tag:
        return web.Response(status=304, headers=headers)
    return web.Response(body=picture.body, headers=headers, content_type="application/json")


Page = Callable[[Health, web.Request], Awaitable[web.Response]]

PROBES: Mapping[str, Page] = {
    "/healthz": _healthz,
    "/readyz": _readyz,
}
METRICS: Mapping[str, Page] = {
    "/metrics": _metrics,
}
# They show what users have asked for: only who may enter the operator's own host or pod should see them.
DEBUG_PAGES: Mapping[str, Page] = {
    "/debug/snapshot": _snapshot,
    "/timeline": _timeline,
    "/timeline.json": _timeline_picture,
}
