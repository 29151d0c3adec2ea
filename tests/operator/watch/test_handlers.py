import asyncio
import gc

import kopf
import pytest

from fake_cluster.scripted import ScriptedServer, page
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.belief.state import State
from lockstep.watch.handlers import _run_kopf, _settings, connection, watch_own_kinds
from lockstep.watch.streams import Streams


def client():
    return KubeClient(Configuration(), concurrency=1, observer=lambda *_: None)


def test_kopf_that_has_given_up_does_not_kill_the_process_that_starts_it_again():
    assert _settings().process.ultimate_exiting_timeout is None


@pytest.mark.asyncio
async def test_kopf_that_gives_up_cancels_no_task_of_ours(monkeypatch):
    ours = []

    async def give_up():
        raise RuntimeError("kopf gives up")

    async def spawn_tasks(**_):
        kopfs = asyncio.create_task(give_up())
        ours.append(asyncio.create_task(asyncio.Event().wait()))
        return [kopfs]

    monkeypatch.setattr(kopf, "spawn_tasks", spawn_tasks)
    with pytest.raises(RuntimeError, match="kopf gives up"):
        await _run_kopf(State(lambda: None), client(), Streams(()), asyncio.Event())

    assert not ours[0].cancelling()
    assert not ours[0].done()
    ours[0].cancel()


@pytest.mark.parametrize(
    ("name", "want"), [("watcher for gangjobs", []), ("cycle", ["Task exception was never retrieved"])]
)
@pytest.mark.asyncio
async def test_only_errors_of_kopfs_watchers_need_no_handler(caplog, name, want):
    async def break_off():
        raise RuntimeError("broken off")

    # What earlier tests in this process left behind is no part of this one.
    gc.collect()
    caplog.clear()
    watching = asyncio.create_task(watch_own_kinds(State(lambda: None), client(), Streams(()), stop := asyncio.Event()))
    stop.set()
    await watching
    failing = asyncio.create_task(break_off(), name=name)
    await asyncio.wait([failing])
    del failing
    gc.collect()

    assert [record.message.splitlines()[0] for record in caplog.records if record.name == "asyncio"] == want


@pytest.mark.asyncio
async def test_kopf_begins_anew_when_the_api_server_was_set_back(monkeypatch):
    started = asyncio.Queue()

    async def spawn_tasks(*, stop_flag, **_):
        started.put_nowait(stop_flag)
        return [asyncio.create_task(until_raised(stop_flag))]

    async def until_raised(flag):
        await flag

    monkeypatch.setattr(kopf, "spawn_tasks", spawn_tasks)
    streams, stop = Streams(("gangjobs",)), asyncio.Event()
    watching = asyncio.create_task(watch_own_kinds(State(lambda: None), client(), streams, stop))
    await started.get()
    streams.watch_answered("gangjobs", 200)
    streams.outdated.set()
    await started.get()

    assert not stop.is_set()
    assert not streams.all_open
    assert not streams.outdated.is_set()
    stop.set()
    await watching
    assert started.empty()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "want"),
    [
        pytest.param({"limit": "5"}, {"limit": "5", "fieldSelector": "metadata.name=-"}, id="a list has no objects"),
        pytest.param({"watch": "true"}, {"watch": "true"}, id="a watch has all"),
    ],
)
@pytest.mark.parametrize("resource", ["gangjobs", "nodebids"])
async def test_kopf_lists_no_objects_and_watches_all(resource, query, want):
    async with ScriptedServer(page()) as server:
        ours = KubeClient(server.configuration, concurrency=1, observer=lambda *_: None)
        session = connection(ours, Streams((resource,))).aiohttp_session
        async with session, session.get(f"{server.configuration.host}/apis/x/{resource}", params=query) as answer:
            await answer.read()

    assert [one.query for one in server.asked] == [want]


@pytest.mark.asyncio
async def test_kopf_finds_out_what_the_api_server_serves():
    async with ScriptedServer(page()) as server:
        ours = KubeClient(server.configuration, concurrency=1, observer=lambda *_: None)
        session = connection(ours, Streams(("gangjobs",))).aiohttp_session
        async with session, session.get(f"{server.configuration.host}/apis/lockstep.dev/v1alpha1") as answer:
            await answer.read()

    assert [one.query for one in server.asked] == [{}]
