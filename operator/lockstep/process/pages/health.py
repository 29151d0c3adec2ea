"""The pages: liveness, readiness, metrics, the last snapshot and plan, and the timeline."""

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
    """The sources of the pages' contents. ``pictures`` are the pictures of the timeline.

    ``unready`` returns one sentence that says why the process is not ready, or ''. ``decided`` returns the last
    snapshot and plan. ``refresh`` updates the gauges.
    """

    unready: Callable[[], str]
    decided: Callable[[], LastPlan | None]
    refresh: Callable[[], Generator[None, None, None]]
    metrics: Metrics
    pictures: Pictures
    showing_metrics: asyncio.Lock = field(default_factory=asyncio.Lock)
    showing_snapshot: asyncio.Lock = field(default_factory=asyncio.Lock)


async def _healthz(_: Health, _request: web.Request) -> web.Response:
    """Answer as long as the event loop runs; other fatal errors end the process."""
    return web.Response(text="ok\n")


async def _readyz(health: Health, _: web.Request) -> web.Response:
    why_not = health.unready()
    return web.Response(status=503, text=f"{why_not}\n") if why_not else web.Response(text="ok\n")


async def _metrics(health: Health, request: web.Request) -> web.Response:
    encode, content_type = _encoder(request.headers.get("Accept", ""))
    # One request at a time is answered, and its text is made in a thread: it has thousands of lines, and any client may
    # ask.
    async with health.showing_metrics:
        await in_turns(health.refresh())
        body = await asyncio.to_thread(encode, health.metrics.registry)
        return web.Response(body=body, headers={"Content-Type": content_type})


def _encoder(accept: str) -> tuple[Callable[[Collector], bytes], str]:
    """The encoder for that ``Accept`` header, and its content type."""
    try:
        return choose_encoder(accept)
    except (TypeError, ValueError):
        # The library raises on invalid versions in the header.
        return choose_encoder("")


async def _snapshot(health: Health, _: web.Request) -> web.Response:
    decided = health.decided()
    if decided is None:
        return web.Response(status=404, text="no gang has been planned yet\n")
    # One request at a time is answered. Its text is made in a thread: there may be many facts, and they are immutable.
    async with health.showing_snapshot:
        body = await asyncio.to_thread(_formatted, decided)
    return web.Response(body=body, content_type="application/json")


def _formatted(decided: LastPlan) -> bytes:
    document = {"snapshot": encode_snapshot(decided.snapshot), "plan": encode_plan(decided.plan, format_refusal)}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2)


async def _timeline(_: Health, _request: web.Request) -> web.Response:
    return web.Response(text=PAGE.text, headers=PAGE.headers)


async def _timeline_picture(health: Health, request: web.Request) -> web.Response:
    """Answer with the newest picture, or with 304 if the client already has it."""
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
# These pages show names of users' objects. So only clients on the operator's host or in its pod may read them.
DEBUG_PAGES: Mapping[str, Page] = {
    "/debug/snapshot": _snapshot,
    "/timeline": _timeline,
    "/timeline.json": _timeline_picture,
}
