"""A recorder that SIGKILL ends at each of its steps: the next one goes on, and nothing is lost or there twice."""

import signal
import sqlite3
from itertools import count

import pytest

from builders.records import ended, record, stretch
from fake_cluster.api import FakeApi
from live.background import Background
from live.mortal_recorder import NAMESPACE, TIME, mortal_recorders
from lockstep.api.records.record_maps import record_line, records_manifest, records_map_name

FIRST = ([record("u", stretch()), record("v", stretch())], [ended("u"), record("w")])
LATER = [ended("v"), record("w", stretch(2, 2000))]
WANT_GANGS = [("u", "Succeeded"), ("v", "Succeeded"), ("w", "Open")]
WANT_STRETCHES = [("u", 1, 4600), ("v", 1, 4600), ("w", 2, None)]


@pytest.fixture
def api():
    background = Background()
    api = FakeApi(lambda: TIME)
    background.run(api.__aenter__())
    yield api
    background.run(api.__aexit__())
    background.stop()


@pytest.fixture
def recorders(api):
    with mortal_recorders(api.configuration.host) as recorders:
        yield recorders


def test_recorder_that_is_killed_at_any_step_loses_and_doubles_nothing(api, recorders, tmp_path):
    for step in count(1):
        path = tmp_path / f"{step}.db"
        for slot, records in enumerate(FIRST):
            hand_over(api, slot, records)
        code = recorders.record(path, killed_at=step)
        if not code:
            break
        assert code == -signal.SIGKILL
        hand_over(api, len(FIRST), LATER)

        assert not recorders.record(path)

        assert not api.store.objects("configmaps"), step
        assert rows(path, "SELECT uid, outcome FROM gangs") == WANT_GANGS, step
        assert rows(path, "SELECT uid, attempt, ended FROM stretches") == WANT_STRETCHES, step
        assert rows(path, "SELECT * FROM notes") == [], "the file was never broken"
    assert step > len(WANT_GANGS) * len(FIRST) * 4, "each record is read and written, in a transaction of its ConfigMap"


def hand_over(api, slot, records):
    name = records_map_name("lease", slot)
    api.store.create("configmaps", records_manifest(NAMESPACE, name, map(record_line, records)))


def rows(path, query):
    with sqlite3.connect(path) as connection:
        return connection.execute(query).fetchall()
