"""What runs have shown is kept in a ConfigMap: read before leading, written now and then, and no more than that."""

import asyncio
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from builders.facts import gang_fact, gang_spec
from coschedule import SerialWork
from fake_cluster.api import ANSWER_LOST, GET, POST, PUT, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.pages import PAGES, Proxy
from fake_cluster.rig import end
from fake_cluster.store import Place
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.gangjob.kept_runs import kept_runs_manifest, parse_kept_runs
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.facts.past_runs import Template, run_of
from lockstep.process.election.elector import ElectionTerms
from lockstep.process.stores.run_time_store import RunTimeStore

pytestmark = pytest.mark.asyncio

TERMS = ElectionTerms(namespace="lockstep-system", name="lease", lease_duration=15, renew_deadline=10, retry_period=2)
NAME = "lease-run-times"
PLACE = Place("configmaps", TERMS.namespace, NAME)
HEAT, RENDER = "0" * 32, "f" * 32


class Process:
    """One process: what it knows, and what it keeps."""

    def __init__(self, client, fence):
        self.fence = fence
        self.past_runs = PastRuns(lambda: None)
        self.store = RunTimeStore(client, fence, self.past_runs, TERMS)

    def learn(self, factor, digest=HEAT, namespace="default"):
        self.past_runs.learn(Template(namespace, digest), run_of(factor))


@pytest_asyncio.fixture
async def api():
    async with FakeApi(now) as api:
        yield api


@asynccontextmanager
async def process(api):
    fence = Fence(open_until=float("inf"))
    async with KubeClient(api.configuration, concurrency=2, observer=lambda *_: None, fence=fence) as client:
        yield Process(client, fence)


@asynccontextmanager
async def leading(one):
    """Let a process read, and keep written what it learns."""
    await one.store.read()
    task = asyncio.create_task(one.store.keep_written())
    try:
        yield
    finally:
        await end([task])


def kept(api):
    manifest = api.store.get(PLACE)
    return manifest and parse_kept_runs(manifest)


def writes(api):
    return [request.verb for request in api.writes]


def put_there(api, runs, **content):
    api.store.create("configmaps", {**kept_runs_manifest(*PLACE[1:], runs, version=""), **content})


async def test_what_was_learnt_is_kept_and_found_by_the_next_process(api):
    async with process(api) as first, leading(first):
        first.learn(1.5)
        await until(lambda: kept(api))
        first.learn(1.7)
        await until(lambda: kept(api) == {"default": {HEAT: (run_of(1.5), run_of(1.7))}})
    async with process(api) as second:
        await second.store.read()

        assert second.past_runs.runs == {"default": {HEAT: (run_of(1.5), run_of(1.7))}}
    assert writes(api) == [POST, PUT]


async def test_what_was_kept_counts_before_anything_is_planned(api):
    put_there(api, {"default": {HEAT: (run_of(1.5),) * 3}})
    asks = gang_fact("g", spec=gang_spec(work=SerialWork(serial=100.0), run_template=HEAT))
    async with process(api) as one:
        await one.store.read()

        assert one.past_runs.in_force(asks).times == 1.5


async def test_it_is_written_every_ten_seconds_at_most_and_only_where_there_is_something_new(api):
    async with process(api) as one, leading(one):
        for _ in range(300):
            one.learn(1)
            await asyncio.sleep(0.1)
        await asyncio.sleep(1000)

        assert writes(api) == [POST, PUT, PUT]


async def test_clean_stop_writes_what_is_new(api):
    async with process(api) as one, leading(one):
        await asyncio.sleep(5)
        one.learn(1.5)

    assert kept(api) == {"default": {HEAT: (run_of(1.5),)}}
    assert writes(api) == [POST]


async def test_stop_in_the_middle_of_a_write_leaves_it_written(api):
    under_way = []

    def stop_there(request):
        under_way.append(request)
        return ANSWER_LOST

    async with process(api) as one:
        async with leading(one):
            one.learn(1.5)
            api.fault = lambda request: stop_there(request) if request.is_write and not under_way else None
            await until(lambda: under_way)

        assert kept(api) == {"default": {HEAT: (run_of(1.5),)}}


async def test_who_does_not_lead_any_more_writes_nothing_and_waits_for_nothing(api):
    async with process(api) as one:
        async with leading(one):
            one.learn(1.5)
            one.fence.close()
            await asyncio.sleep(100)
            before = now()
        assert now() == before

    assert writes(api) == []


async def test_stop_waits_but_a_moment_for_an_api_server_that_is_away(api):
    async with process(api) as one:
        async with leading(one):
            one.learn(1.5)
            api.fault = lambda _: Refusal(code=503)
            before = now()
        assert now() - before < 3


async def test_what_another_writer_has_added_is_kept_beside_ours(api):
    async with process(api) as one:
        await one.store.read()
        put_there(api, {"default": {HEAT: (run_of(0.009),), RENDER: (run_of(0.007),)}})
        one.learn(1.5)
        await one.store.write()

        assert kept(api) == {"default": {RENDER: (run_of(0.007),), HEAT: (run_of(1.5),)}}
        assert writes(api) == [POST, PUT]


async def test_write_whose_answer_was_lost_is_made_good(api):
    async with process(api) as one:
        await one.store.read()
        one.learn(1.5)
        lost = [ANSWER_LOST]
        api.fault = lambda request: lost.pop() if lost and request.is_write else None
        await one.store.write()

        assert kept(api) == {"default": {HEAT: (run_of(1.5),)}}


async def test_what_was_deleted_is_made_again(api):
    async with process(api) as one, leading(one):
        one.learn(1.5)
        await until(lambda: kept(api))
        api.store.remove(PLACE)
        one.learn(1.5)
        await until(lambda: kept(api) == {"default": {HEAT: (run_of(1.5), run_of(1.5))}})


@pytest.mark.parametrize("kind", [PUT, POST, GET, None])
async def test_pages_of_a_proxy_lose_nothing_that_was_kept(api, kind):
    put_there(api, {"default": {RENDER: (run_of(1.5),)}})
    proxy = Proxy(PAGES["page in HTML"])
    api.fault = lambda request: proxy(request) if kind in (None, request.verb) else None
    async with process(api) as one, leading(one):
        one.learn(1.7)
        await until(lambda: kept(api) == {"default": {RENDER: (run_of(1.5),), HEAT: (run_of(1.7),)}})

    assert proxy.answered <= 22


async def test_conflicts_without_end_cost_two_writes_at_a_time(api):
    async with process(api) as one:
        put_there(api, {})
        await one.store.read()
        api.fault = lambda request: Refusal(code=409) if request.is_write else None
        one.learn(1.5)
        await one.store.write()
        assert writes(api) == [PUT, PUT]

        api.fault = lambda _: None
        await one.store.write()
        assert kept(api) == {"default": {HEAT: (run_of(1.5),)}}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"data": {"runs.json": "garbage"}}, id="garbage"),
        pytest.param({"data": {"runs.json": "[" * 10 * 2**20}}, id="10 MiB"),
        pytest.param({"data": {"theirs": "file"}}, id="foreign"),
        pytest.param({"data": None, "binaryData": {"runs.json": "AAEC"}}, id="binary"),
    ],
)
async def test_content_that_is_not_ours_is_dropped_with_one_sentence(api, caplog, content):
    put_there(api, {}, **content)
    async with process(api) as one, leading(one):
        assert len(one.past_runs) == 0
        await asyncio.sleep(100)
        assert writes(api) == []

        one.learn(1.5)
        await until(lambda: kept(api) == {"default": {HEAT: (run_of(1.5),)}})

    assert [record.getMessage() for record in caplog.records] == [
        f"ConfigMap lockstep-system/{NAME} does not contain run times, and is replaced"
    ]


async def test_process_without_the_right_goes_on_and_says_so_once(api, caplog):
    api.fault = lambda _: Refusal(code=403, message="configmaps is forbidden: not here")
    async with process(api) as one, leading(one):
        for _ in range(5):
            one.learn(1.5)
            await asyncio.sleep(30)

        assert len(one.past_runs) == 1

    assert [record.getMessage() for record in caplog.records] == [
        f"ConfigMap lockstep-system/{NAME} can't be read: configmaps is forbidden: not here"
    ]


async def test_api_server_that_does_not_answer_ends_nothing(api, caplog):
    api.fault = lambda _: Refusal(code=500, message="etcd is away")
    async with process(api) as one, leading(one):
        one.learn(1.5)
        await asyncio.sleep(100)
        api.fault = lambda _: None
        await until(lambda: kept(api) == {"default": {HEAT: (run_of(1.5),)}})

    assert all("etcd is away" in record.getMessage() for record in caplog.records)
    assert len(caplog.records) == 2
