"""The file with the records: what is committed stays, whatever happens to the process, the disk or the file."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from builders.records import HOUR, ended, record, stretch
from lockstep.facts.records.gang_record import GangOutcome
from lockstep.recorder import database as database_module
from lockstep.recorder.database import BrokenFileError, OpenGang, RecordDatabase, Retention, StorageError

DAY = 24 * HOUR
NOW = 10_000
RETENTION = Retention(records=400 * DAY, users=90 * DAY, most_bytes=2**30)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "record.db"


def opened(path, now=NOW, **more):
    return RecordDatabase.open(path, Retention(**{**_of(RETENTION), **more}), now)


def _of(retention):
    return {name: getattr(retention, name) for name in ("records", "users", "most_bytes")}


def rows(path, query):
    with sqlite3.connect(path) as connection:
        return connection.execute(query).fetchall()


def test_records_that_are_taken_in_twice_and_in_any_order_stand_there_once(path):
    parts = [record("u", stretch()), ended("u"), record("u", stretch()), record("v")]
    for one in (*parts, *reversed(parts)):
        opened(path).take_in([one], NOW)

    assert rows(path, "SELECT uid, outcome, ended FROM gangs") == [("u", "Succeeded", 1000 + HOUR), ("v", "Open", None)]
    assert rows(path, "SELECT uid, ended, reason FROM stretches") == [("u", 1000 + HOUR, "Succeeded")]


def test_file_is_in_wal_mode_so_that_questions_are_answered_while_records_are_written(path):
    database = opened(path)
    database.take_in([ended("u")], NOW)

    assert rows(path, "PRAGMA journal_mode") == [("wal",)]
    with database._connection:
        database._connection.execute("BEGIN IMMEDIATE")
        assert rows(path, "SELECT uid FROM gangs") == [("u",)]


def test_gang_that_is_gone_ended_when_it_was_last_heard_of_until_its_end_is_known(path):
    database = opened(path)
    database.take_in([record("u", stretch())], 2000)
    assert database.open_gangs(checked_before=2000, most=9) == []
    assert database.open_gangs(checked_before=3000, most=9) == [OpenGang("u", "GangJob", "default", "g")]

    database.mark_gone("u", 3000)
    assert rows(path, "SELECT outcome, ended FROM gangs") == [("Unknown", 2000)]
    database.take_in([ended("u", 1500)], 4000)
    assert rows(path, "SELECT outcome, ended FROM gangs") == [("Succeeded", 1500)]


def test_gang_that_is_there_again_after_a_restored_backup_is_open_again(path):
    database = opened(path)
    database.take_in([record("u")], 2000)
    database.mark_gone("u", 3000)

    database.take_in([record("u")], 4000)

    assert rows(path, "SELECT outcome, ended FROM gangs") == [("Open", None)]


def test_gang_that_runs_again_after_a_restored_backup_is_on_record_once_with_its_last_end(path):
    database = opened(path)
    database.take_in([ended("u", 2000)], 2000)
    database.take_in([record("u", stretch())], 2100)
    database.take_in([ended("u", 2500)], 2500)

    assert rows(path, "SELECT outcome, ended FROM gangs") == [("Succeeded", 2500)]
    assert rows(path, "SELECT began, ended FROM stretches") == [(1000, 2500)]


def test_old_records_and_names_of_users_are_removed(path):
    database = opened(path, records=100.0, users=10.0)
    database.take_in([ended("old", 1000, user="ada"), ended("new", 1095, user="bob"), record("open", user="cy")], 1000)

    database.remove_old(1104)
    assert rows(path, "SELECT uid, user FROM gangs") == [("new", "bob"), ("open", "cy")]
    database.remove_old(1106)
    assert rows(path, "SELECT uid, user FROM gangs") == [("new", ""), ("open", "cy")]
    database.take_in([ended("new", 1095, user="bob"), ended("old", 1000)], 1106)
    assert rows(path, "SELECT uid, user FROM gangs") == [("new", ""), ("open", "cy")]
    assert rows(path, "SELECT uid FROM stretches") == [("new",)]


def test_file_that_is_as_large_as_it_may_be_loses_its_oldest_records(path):
    database = opened(path, most_bytes=2**19)
    for number in range(0, 4000, 100):
        database.take_in([ended(f"{one:05}", 2000 + one) for one in range(number, number + 100)], NOW)

    kept = [uid for (uid,) in rows(path, "SELECT uid FROM gangs ORDER BY ended")]
    assert kept[-1] == "03999"
    assert kept == [f"{one:05}" for one in range(4000 - len(kept), 4000)]
    assert path.stat().st_size <= 2**19
    assert rows(path, "SELECT name, value FROM notes") == [("removed_early", NOW)]


def test_full_disk_takes_nothing_and_goes_on_once_there_is_room(path):
    database = opened(path, most_bytes=2**19)
    open_gangs = [record(f"{one:05}", message="x" * 200) for one in range(3000)]
    with pytest.raises(StorageError, match="full"):
        database.take_in(open_gangs, NOW)
    assert rows(path, "SELECT count(*) FROM gangs") == [(0,)]
    database.close()

    opened(path).take_in(open_gangs, NOW)

    assert rows(path, "SELECT count(*) FROM gangs") == [(3000,)]


def test_disk_that_others_have_filled_costs_no_record(path, monkeypatch):
    database = opened(path)
    database.take_in([ended("old")], NOW)

    def is_full(*_):
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(RecordDatabase, "_put", is_full)
    with pytest.raises(StorageError, match="full"):
        database.take_in([ended("new")], NOW)

    assert rows(path, "SELECT uid FROM gangs") == [("old",)]


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda path: path.write_bytes(b"no database at all" * 500), id="another file"),
        pytest.param(lambda path: _overwrite(path, 100, b"\xff" * 5000), id="pages overwritten"),
        pytest.param(lambda path: os.truncate(path, path.stat().st_size // 2), id="cut off"),
    ],
)
def test_broken_file_is_set_aside_and_a_new_one_begins(path, harm):
    database = opened(path)
    database.take_in([ended(f"u{one}") for one in range(500)], NOW)
    database.close()
    harm(path)

    opened(path, now=NOW + 5).take_in([ended("next")], NOW + 5)

    assert rows(path, "SELECT uid FROM gangs") == [("next",)]
    assert rows(path, "SELECT name, value FROM notes") == [("begun_anew", NOW + 5)]
    assert (path.parent / "record.db.broken").exists()


def test_file_of_a_later_version_is_left_as_it_is(path):
    """As after a step back to an earlier version: what is in the file would be lost with the next broken one."""
    database = opened(path)
    database.take_in([ended("u")], NOW)
    database.close()
    _with_version(path, 7)

    with pytest.raises(StorageError, match=r"its tables are of version 7, and this version of lockstep has 1"):
        opened(path)
    assert not (path.parent / "record.db.broken").exists()

    _with_version(path, 1)
    opened(path)
    assert rows(path, "SELECT uid FROM gangs") == [("u",)]


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CORRUPT_INDEX, sqlite3.SQLITE_NOTADB])
def test_file_that_breaks_while_it_is_open_is_broken_whatever_of_it_is(path, monkeypatch, code):
    def fail(*_):
        error = sqlite3.DatabaseError("malformed")
        error.sqlite_errorcode = code
        raise error

    database = opened(path)
    monkeypatch.setattr(RecordDatabase, "_put", fail)
    with pytest.raises(BrokenFileError):
        database.take_in([ended("u")], NOW)


def test_folder_that_is_not_there_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(StorageError, match=r"missing/record\.db can't be opened"):
        opened(tmp_path / "missing" / "record.db")


WRITER = textwrap.dedent("""
    import sys
    from pathlib import Path
    from builders.records import ended
    from lockstep.recorder.database import RecordDatabase, Retention
    database = RecordDatabase.open(Path(sys.argv[1]), Retention(records=1e9, users=1e9, most_bytes=2**30), 1)
    for batch in range(10_000):
        database.take_in([ended(f"{batch}-{one}") for one in range(20)], 2000)
        print(batch, flush=True)
""")


@pytest.mark.parametrize("commits", [1, 7])
def test_process_that_is_killed_while_it_writes_loses_nothing_that_was_committed(path, commits):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, env=environment) as writer:
        committed = [int(writer.stdout.readline()) for _ in range(commits)]
        writer.send_signal(signal.SIGKILL)

    opened(path).close()

    by_batch = rows(path, "SELECT substr(uid, 1, instr(uid, '-') - 1) + 0 AS batch, count(*) FROM gangs GROUP BY 1")
    assert {count for _, count in by_batch} == {20}
    assert set(committed) <= {batch for batch, _ in by_batch}
    assert rows(path, "SELECT count(*) FROM notes") == [(0,)]


def _overwrite(path, at, data):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def _with_version(path, version):
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def test_outcomes_are_stored_as_they_are_written(path):
    opened(path).take_in([ended(one, outcome=one) for one in GangOutcome], NOW)

    assert {outcome for (outcome,) in rows(path, "SELECT outcome FROM gangs")} == set(GangOutcome)


INDEXES = "SELECT name FROM sqlite_master WHERE name = 'gangs_by_namespace'"


def without_index(path):
    """A file as an earlier version has made it."""
    opened(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP INDEX gangs_by_namespace")


def test_file_of_an_earlier_version_gets_its_index(path):
    without_index(path)

    opened(path)

    assert rows(path, INDEXES) == [("gangs_by_namespace",)]


def test_full_file_without_the_index_is_used_as_it_is(path, monkeypatch):
    without_index(path)
    monkeypatch.setattr(database_module, "LATER_INDEX", "SELECT 1")
    many = [ended(f"{one:05}", 2000 + one, message="x" * 200) for one in range(1000)]
    before = opened(path, most_bytes=2**19)
    before.take_in(many, NOW)
    before.close()
    monkeypatch.undo()

    database = opened(path, most_bytes=path.stat().st_size)

    assert rows(path, INDEXES) == []
    database.take_in(many[:1], NOW)
