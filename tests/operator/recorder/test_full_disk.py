"""A disk that is full: the operator goes on, counts what is lost, and all else is on record once there is room."""

import sqlite3
import subprocess
from collections import deque
from contextlib import suppress

import pytest
import pytest_asyncio
from prometheus_client import CollectorRegistry

from builders.facts import gang_fact
from builders.records import record
from fake_cluster.clients import api_and_client
from fake_cluster.jumping import now
from lockstep.api.client.fence import Fence
from lockstep.api.records.record_maps import SLOTS
from lockstep.belief.records import gang_records
from lockstep.belief.state import State
from lockstep.process.election.elector import ElectionTerms
from lockstep.process.stores.record_store import RecordStore
from lockstep.recorder.database import Retention, StorageError
from lockstep.recorder.process import Recorder, RecorderSettings
from lockstep.report.metrics.usage_metrics import UsageMetrics

pytestmark = pytest.mark.asyncio

NAMESPACE = "lockstep-system"
TERMS = ElectionTerms(namespace=NAMESPACE, name="lease", lease_duration=15, renew_deadline=10, retry_period=2)
RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**30)
MOST_WAITING = 10
LOST = SLOTS
OTHERS = "others"


class SmallDisk:
    """A file system of 1 MiB, which other files fill."""

    def __init__(self, folder):
        self.path = folder / "record.db"
        self._others = folder / OTHERS

    def fill(self, _):
        with self._others.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))

    def make_room(self, _):
        self._others.unlink()


class BoundedFile:
    """A file that SQLite lets grow no further, for users who may not mount a file system."""

    def __init__(self, folder):
        self.path = folder / "record.db"

    def fill(self, recorder):
        _bound(recorder, 1)
        with suppress(StorageError):
            for number in range(1000):
                recorder._database.take_in([record(f"uid-of-{number:04}", name=OTHERS)], now())

    def make_room(self, recorder):
        _bound(recorder, 2**20)


def _bound(recorder, pages):
    """Bound the size of the file; less than it has now means what it has now."""
    recorder._database._connection.execute(f"PRAGMA max_page_count = {pages}")


@pytest.fixture
def disk(tmp_path):
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield BoundedFile(tmp_path)
        return
    yield SmallDisk(tmp_path)
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


class Operator:
    """What hands records over, and the metrics of it."""

    def __init__(self, client, fence):
        self.client = client
        self.state = State(lambda: None)
        self._store = RecordStore(client, fence, self.state, TERMS, has_users=False)
        self._store.begin()
        self._registry = CollectorRegistry()
        self._metrics = UsageMetrics(self._registry)

    async def see(self, name):
        """Another gang is there."""
        self.state.apply_gang(gang_fact(name))
        await self.hand_over()

    async def hand_over(self):
        await self._store.hand_over()

    def counted(self):
        """How many records wait, and how many are lost."""
        deque(self._metrics.refreshing(self.state))
        names = ("lockstep_records_waiting", "lockstep_records_dropped_total")
        return tuple(self._registry.get_sample_value(name) for name in names)


@pytest_asyncio.fixture
async def operator():
    fence = Fence(open_until=float("inf"))
    async with api_and_client(fence=fence) as (_, client):
        yield Operator(client, fence)


async def test_full_disk_costs_only_records_that_are_counted_and_recording_goes_on(operator, disk, monkeypatch, caplog):
    caplog.set_level("INFO", "lockstep")
    monkeypatch.setattr(gang_records, "MOST_WAITING", MOST_WAITING)
    settings = RecorderSettings(namespace=NAMESPACE, path=disk.path, retention=RETENTION)
    recorder = Recorder(operator.client, settings, now)
    await operator.see("before")
    assert await recorder.round()

    disk.fill(recorder)
    names = [f"gang-{number:03}" for number in range(SLOTS + MOST_WAITING + LOST)]
    for name in names:
        await operator.see(name)
        assert not await recorder.round()

    assert operator.counted() == (MOST_WAITING, LOST)
    assert on_record(disk.path) == {"before"}
    assert any("can't be stored now" in text and "disk is full" in text for text in caplog.messages)
    assert any("all 32 ConfigMaps are in use" in text for text in caplog.messages)
    losses = [text.partition(" ")[0] for text in caplog.messages if "records of gangs are lost" in text]
    assert losses == ["1", "3", "7", "15", "31"]

    disk.make_room(recorder)
    for _ in range(SLOTS):
        assert await recorder.round()
        await operator.hand_over()
    assert await recorder.round()

    assert operator.counted() == (0, LOST)
    assert on_record(disk.path) == {"before", *names[:SLOTS], *names[-MOST_WAITING:]}
    assert "records are stored again" in caplog.messages
    recorder.close()


def on_record(path):
    with sqlite3.connect(path) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM gangs")} - {OTHERS}
