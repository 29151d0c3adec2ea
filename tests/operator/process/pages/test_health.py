"""The pages of the process."""

import asyncio
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import orjson
import pytest
from prometheus_client import CollectorRegistry

from builders.facts import gang_fact, node_fact
from coschedule import encode_plan, encode_snapshot, plan
from lockstep.belief.state import State
from lockstep.cycle.planning.decided import LastPlan, Seen
from lockstep.process.pages.health import DEBUG_PAGES, METRICS, PROBES, Health
from lockstep.process.pages.listening import Listener, listen
from lockstep.process.timeline import Pictures
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.snapshot.snapshots import SnapshotCutter

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def pages(served, *, unready="", decided=None, refresh=lambda: iter(())):
    """Serve the pages; gives a function that asks for one."""
    metrics = Metrics(CollectorRegistry())
    pictures = Pictures(State(lambda: None), lambda: decided, now=lambda: 0.0, monotonic=lambda: 0.0)
    health = Health(
        unready=lambda: unready, decided=lambda: decided, refresh=refresh, metrics=metrics, pictures=pictures
    )
    listener = Listener(pages=served, host="127.0.0.1", port=0)
    async with listen(health, listener) as (host, port), aiohttp.ClientSession() as session:

        async def ask(path, **headers):
            async with session.get(f"http://{host}:{port}{path}", headers=headers) as answer:
                return answer.status, answer.headers["Content-Type"], await answer.text()

        yield ask


WAITS = "the first lists are still coming in"


@pytest.mark.parametrize(
    ("path", "unready", "want"),
    [
        ("/healthz", WAITS, (200, "ok\n")),
        ("/readyz", WAITS, (503, f"{WAITS}\n")),
        ("/readyz", "", (200, "ok\n")),
    ],
)
async def test_probe(path, unready, want):
    async with pages(PROBES, unready=unready) as ask:
        code, _, text = await ask(path)

    assert (code, text) == want


async def test_metrics_are_fresh_when_they_are_read():
    steps = iter(range(3))
    async with pages(METRICS, refresh=lambda: steps) as ask:
        code, kind, text = await ask("/metrics")

    assert (code, list(steps)) == (200, [])
    assert kind.startswith("text/plain")
    assert "lockstep_cycles_total" in text


async def test_metrics_speak_openmetrics_where_asked():
    async with pages(METRICS) as ask:
        _, kind, text = await ask("/metrics", Accept="application/openmetrics-text; version=1.0.0")

    assert kind.startswith("application/openmetrics-text")
    assert text.endswith("# EOF\n")


@pytest.mark.parametrize("accept", ["text/plain;version=x;escaping=dots", "application/openmetrics-text;version=1.x"])
async def test_metrics_are_plain_text_for_who_accepts_nonsense(accept):
    async with pages(METRICS) as ask:
        code, kind, _ = await ask("/metrics", Accept=accept)

    assert (code, kind.split(";")[0]) == (200, "text/plain")


async def test_no_decision_yet_is_not_found():
    async with pages(DEBUG_PAGES) as ask:
        assert (await ask("/debug/snapshot"))[0] == 404


def decided_once():
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    snapshot = SnapshotCutter(state).cut(0.0, [gang_fact("g")])
    return LastPlan(seen=Seen(snapshot, {}), plan=plan(snapshot), asked={}, preemptions=())


async def test_event_loop_turns_while_the_last_decision_is_written_down():
    class Slow(tuple):
        __slots__ = ()

        def __iter__(self):
            turned = threading.Event()
            loop.call_soon_threadsafe(turned.set)
            assert turned.wait(timeout=300)
            return super().__iter__()

    loop, decided = asyncio.get_running_loop(), decided_once()
    slow = replace(decided, plan=replace(decided.plan, decisions=Slow(decided.plan.decisions)))
    async with pages(DEBUG_PAGES, decided=slow) as ask:
        code, _, _ = await ask("/debug/snapshot")

    assert code == 200


async def test_last_decision_is_shown_with_its_facts():
    decided = decided_once()
    async with pages(DEBUG_PAGES, decided=decided) as ask:
        code, kind, text = await ask("/debug/snapshot")

    want = {"snapshot": encode_snapshot(decided.snapshot), "plan": encode_plan(decided.plan, format_refusal)}
    assert (code, kind.split(";")[0]) == (200, "application/json")
    assert orjson.loads(text) == orjson.loads(orjson.dumps(want))
