"""The recorder takes records out of the API once, wherever it dies, and closes those of gangs that are gone."""

import sqlite3

import pytest
import pytest_asyncio

from builders.records import ended, record, stretch
from fake_cluster.api import DELETE, Refusal
from fake_cluster.clients import api_and_client
from fake_cluster.pages import PAGES
from fake_cluster.store import Place
from lockstep.api.client.client import KubeClient
from lockstep.api.names import RECORDS_LABEL
from lockstep.api.records.record_maps import record_line, records_manifest, records_map_name
from lockstep.recorder.database import RecordDatabase, Retention
from lockstep.recorder.process import Recorder, RecorderSettings

pytestmark = pytest.mark.asyncio

NAMESPACE = "lockstep-system"
OURS = {RECORDS_LABEL: "true"}
RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**30)


class Killed(BaseException):
    """The process is killed here: nothing catches it."""


class Kept:
    """The API, the volume of the recorder, and processes that come and go."""

    def __init__(self, api, client, path):
        self.api, self.client, self.path, self.time = api, client, path, 5000.0

    def process(self):
        settings = RecorderSettings(namespace=NAMESPACE, path=self.path, retention=RETENTION)
        return Recorder(self.client, settings, lambda: self.time)

    def hand_over(self, slot, *records):
        name = records_map_name("lease", slot)
        self.api.store.create("configmaps", records_manifest(NAMESPACE, name, map(record_line, records)))

    def maps(self):
        return [it["metadata"]["name"] for it in self.api.store.objects("configmaps")]

    def rows(self, query):
        with sqlite3.connect(self.path) as connection:
            return connection.execute(query).fetchall()


@pytest_asyncio.fixture
async def kept(tmp_path):
    async with api_and_client() as (api, client):
        yield Kept(api, client, tmp_path / "record.db")


async def test_records_are_taken_in_and_only_their_configmaps_are_removed(kept):
    kept.api.store.create("configmaps", {"metadata": {"namespace": NAMESPACE, "name": "settings"}, "data": {"a": "b"}})
    for slot in range(6):
        kept.hand_over(slot, ended(f"u{slot}"), record("open", stretch()))

    assert await kept.process().round()

    assert kept.maps() == ["settings"]
    assert kept.rows("SELECT uid FROM gangs") == [("open",), *((f"u{slot}",) for slot in range(6))]


@pytest.mark.parametrize("step", range(8))
async def test_process_that_is_killed_at_any_write_loses_and_doubles_nothing(kept, step, monkeypatch):
    kept.hand_over(0, record("u", stretch()), record("v", stretch()))
    kept.hand_over(1, ended("u"))
    with monkeypatch.context() as harmed:
        _kill_at(step, harmed)
        with pytest.raises(Killed):
            await kept.process().round()

    assert await kept.process().round()

    assert kept.maps() == []
    assert kept.rows("SELECT uid, outcome FROM gangs") == [("u", "Succeeded"), ("v", "Open")]
    assert kept.rows("SELECT uid, ended IS NULL FROM stretches") == [("u", 0), ("v", 1)]


def _kill_at(step, patch):
    """Kill the process before or after a write to the file or to the API: even steps are before it."""
    count = -1

    def killing(work):
        nonlocal count
        count += 1
        if count == step // 2 and not step % 2:
            raise Killed
        result = work()
        if count == step // 2:
            raise Killed
        return result

    write = RecordDatabase._write
    patch.setattr(RecordDatabase, "_write", lambda self, work: killing(lambda: write(self, work)))
    delete = KubeClient.delete

    async def deleting(self, *args, **more):
        nonlocal count
        count += 1
        if count == step // 2 and not step % 2:
            raise Killed
        result = await delete(self, *args, **more)
        if count == step // 2:
            raise Killed
        return result

    patch.setattr(KubeClient, "delete", deleting)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CORRUPT])
async def test_records_stay_in_the_api_while_the_file_takes_none(kept, monkeypatch, code):
    kept.hand_over(0, ended("u"))
    process = kept.process()
    with monkeypatch.context() as full:
        full.setattr(RecordDatabase, "_put", _failing(code))
        assert not await process.round()
        assert len(kept.maps()) == 1

    assert await process.round()

    assert kept.rows("SELECT uid FROM gangs") == [("u",)]


def _failing(code):
    def fail(*_):
        error = sqlite3.OperationalError(f"code {code}")
        error.sqlite_errorcode = code
        raise error

    return fail


async def test_configmap_that_can_not_be_removed_is_taken_in_once(kept):
    kept.hand_over(0, ended("u"))
    kept.api.fault = lambda request: Refusal(code=403) if request.verb == DELETE else None
    assert not await kept.process().round()
    kept.api.fault = lambda _: None

    assert await kept.process().round()

    assert (kept.maps(), kept.rows("SELECT uid FROM gangs")) == ([], [("u",)])


async def test_configmap_of_others_that_can_not_be_removed_keeps_no_other_one(kept):
    """The recorder may remove its own 32 ones only. One of others with the same label may come first."""
    for number in range(5):
        kept.api.store.create(
            "configmaps", {"metadata": {"namespace": NAMESPACE, "name": f"a{number}", "labels": OURS}}
        )
    kept.hand_over(0, ended("u"))
    kept.hand_over(1, record("gone"))
    kept.api.fault = lambda request: (
        Refusal(code=403) if request.verb == DELETE and request.name.startswith("a") else None
    )
    process = kept.process()
    await process.round()
    kept.time += 1000

    assert not await process.round(), "its administrator has to see it"

    assert kept.maps() == [f"a{number}" for number in range(5)]
    assert kept.rows("SELECT uid, outcome FROM gangs") == [("gone", "Unknown"), ("u", "Succeeded")]


async def test_gang_that_is_gone_is_closed_as_unknown_and_one_that_is_there_stays_open(kept):
    there = {
        "apiVersion": "lockstep.dev/v1alpha1",
        "metadata": {"namespace": "default", "name": "there", "uid": "there"},
    }
    kept.api.store.create("gangjobs", there)
    kept.hand_over(0, *(record(name, name=name) for name in ("there", "gone")), record("other", name="there"))
    process = kept.process()
    await process.round()
    kept.time += 1000

    await process.round()

    want = [("gone", "Unknown", 5000), ("other", "Unknown", 5000), ("there", "Open", None)]
    assert kept.rows("SELECT uid, outcome, ended FROM gangs") == want


@pytest.mark.parametrize("fault", [Refusal(code=403), *PAGES.values()], ids=["refusal", *PAGES])
async def test_gangs_are_not_taken_for_gone_while_the_api_server_refuses_to_say(kept, fault):
    kept.hand_over(0, record("u"))
    process = kept.process()
    await process.round()
    kept.time += 1000
    kept.api.fault = lambda request: fault if request.resource == "gangjobs" else None

    assert await process.round()

    assert kept.rows("SELECT outcome FROM gangs") == [("Open",)]


async def test_gangs_that_the_api_server_refuses_to_show_keep_no_other_from_being_closed(kept):
    kept.hand_over(0, *(record(f"hidden-{number}", name=f"hidden-{number}") for number in range(40)))
    process = kept.process()
    await process.round()
    kept.hand_over(0, record("gone"))
    kept.time += 10
    await process.round()
    kept.time += 1000
    kept.api.fault = lambda request: (
        Refusal(code=403) if request.resource == "gangjobs" and "hidden" in request.name else None
    )

    for _ in range(4):
        await process.round()
        kept.time += 10

    assert kept.rows("SELECT uid FROM gangs WHERE outcome = 'Unknown'") == [("gone",)]


async def test_file_that_breaks_is_set_aside_and_recording_goes_on(kept):
    process = kept.process()
    kept.hand_over(0, *(ended(f"u{one}") for one in range(500)))
    await process.round()
    process.close()
    kept.path.write_bytes(b"broken" * 1000)
    kept.hand_over(0, ended("next"))

    assert await process.round()

    assert kept.rows("SELECT uid FROM gangs") == [("next",)]
    assert Place("configmaps", NAMESPACE, records_map_name("lease", 0)).name not in kept.maps()
