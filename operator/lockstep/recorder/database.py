"""The file with the records. It is an SQLite database, and each ConfigMap with records is stored in one transaction.

The process may die at any line: records whose transaction has ended are on the disk. A record that is stored twice is
in the file once.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from lockstep.facts.records.gang_record import GangOutcome, GangRecord, merged, merged_stretch
from lockstep.recorder.schema import (
    LATER_INDEX,
    TABLES,
    VERSION,
    store_gang,
    store_stretch,
    stored_gang,
    stored_stretch,
)

_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
# The lower byte is the kind of an error; upper bits have details, for example that an index is broken.
_KIND_OF_ERROR = 0xFF
_FILES = ("", "-wal", "-shm")
_LARGEST_LOG_BYTES = 16 * 2**20
_REMOVED_AT_ONCE = 1000
_WAIT_SECONDS = 10.0
# More pages than one transaction needs.
_PAGES_OF_BATCH = 1000
_LATEST = 2**62

log = logging.getLogger(__name__)


class StorageError(Exception):
    """The file can't be read or written now, for example because the disk is full. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long records and names of users are kept after a gang's end, in seconds, and how large the file may be."""

    records: float
    users: float
    most_bytes: int


class OpenGang(NamedTuple):
    """A gang on record that has not ended."""

    uid: str
    kind: str
    namespace: str
    name: str


class RecordDatabase:
    """The file with the records. :meth:`open` creates it if it does not exist."""

    def __init__(self, connection: sqlite3.Connection, path: Path, retention: Retention) -> None:
        self._connection = connection
        self._path = path
        self._retention = retention

    @classmethod
    def open(cls, path: Path, retention: Retention, now: float) -> Self:
        """Open the file. A broken file is renamed, and a new one is created. Raises ``StorageError``."""
        try:
            try:
                return cls(_connected(path, retention), path, retention)
            except sqlite3.DatabaseError as error:
                if not _is_broken(error):
                    raise
                _set_aside(path, error)
            database = cls(_connected(path, retention), path, retention)
            database.note("begun_anew", round(now))
        except (sqlite3.Error, OSError) as error:
            raise StorageError(f"{path} can't be opened: {error}") from error
        return database

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def take_in(self, records: Iterable[GangRecord], now: float) -> None:
        """Store all of these records, or none. If the file has its maximum size, remove the oldest records first.

        Raises ``StorageError``.
        """
        wanted = [one for record in records if (one := self._kept(record, now)) is not None]
        try:
            self._write(lambda: self._put_all(wanted, round(now)))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_FULL or not self._is_at_bound():
                raise _trouble(self._path, error) from error
            self._make_room()
            self._guarded(lambda: self._put_all(wanted, round(now)))
            self.note("removed_early", round(now))
        except sqlite3.Error as error:
            raise _trouble(self._path, error) from error

    def remove_old(self, now: float) -> None:
        """Remove some records that are kept for too long, and some names of users. Raises ``StorageError``."""
        self._guarded(lambda: self._remove_old(now))

    def open_gangs(self, *, checked_before: float, most: int) -> list[OpenGang]:
        """At most ``most`` gangs that have not ended and were last checked before that time, the oldest check first."""
        query = (
            "SELECT uid, kind, namespace, name FROM gangs "
            "WHERE outcome = 'Open' AND checked < ? ORDER BY checked LIMIT ?"
        )
        try:
            return [OpenGang(*row) for row in self._connection.execute(query, (round(checked_before), most))]
        except sqlite3.Error as error:
            raise _trouble(self._path, error) from error

    def mark_there(self, uid: str, now: float) -> None:
        """Record that the gang existed at ``now``."""
        update = "UPDATE gangs SET checked = ? WHERE uid = ?"
        self._guarded(lambda: self._connection.execute(update, (round(now), uid)))

    def mark_gone(self, uid: str, now: float) -> None:
        """Record that the gang is gone, with an unknown outcome.

        The last time at which the recorder knew of it counts as its end.
        """
        update = (
            "UPDATE gangs SET outcome = ?, ended = max(checked, created), checked = ? "
            "WHERE uid = ? AND outcome = 'Open'"
        )
        self._guarded(lambda: self._connection.execute(update, (GangOutcome.UNKNOWN, round(now), uid)))

    def note(self, name: str, value: int) -> None:
        """Store a number under a name. Each answer shows these notes."""
        insert = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
        self._guarded(lambda: self._connection.execute(insert, (name, value)))

    def _kept(self, record: GangRecord, now: float) -> GangRecord | None:
        """The record, without the user if the record is too old for users' names; None if it is too old to be kept."""
        age = 0.0 if record.ended is None else now - record.ended
        if age > self._retention.records:
            return None
        return replace(record, user="") if age > self._retention.users else record

    def _put_all(self, records: Iterable[GangRecord], now: int) -> None:
        for record in records:
            self._put(record, now)

    def _put(self, record: GangRecord, now: int) -> None:
        known = stored_gang(self._connection, record.uid)
        if known is not None and known.outcome is GangOutcome.UNKNOWN and not record.outcome.is_over:
            # The gang exists again, for example after a backup was restored.
            known = replace(known, outcome=GangOutcome.OPEN, ended=None)
        alone = replace(record, stretches=())
        store_gang(self._connection, alone if known is None else merged(known, alone), now)
        for one in record.stretches:
            there = stored_stretch(self._connection, record.uid, one)
            store_stretch(self._connection, record.uid, one if there is None else merged_stretch(there, one))

    def _remove_old(self, now: float) -> None:
        self._remove_ended_before(round(now - self._retention.records))
        update = (
            "UPDATE gangs SET user = '' WHERE uid IN (SELECT uid FROM gangs WHERE user <> '' AND ended < ? LIMIT ?)"
        )
        self._connection.execute(update, (round(now - self._retention.users), _REMOVED_AT_ONCE))

    def _is_at_bound(self) -> bool:
        """Whether the file has about its maximum size. If other files have filled the disk, no record is removed."""
        try:
            [pages] = self._connection.execute("PRAGMA page_count").fetchone()
            [most] = self._connection.execute("PRAGMA max_page_count").fetchone()
        except sqlite3.Error as error:
            raise _trouble(self._path, error) from error
        return bool(pages >= most - max(most // 10, _PAGES_OF_BATCH))

    def _make_room(self) -> None:
        """Remove the gangs that ended longest ago, so that their pages can be used again."""
        self._guarded(lambda: self._remove_ended_before(_LATEST))
        log.warning("%s has reached its maximum size; the oldest records were removed", self._path)

    def _remove_ended_before(self, time: int) -> None:
        chosen = "SELECT uid FROM gangs WHERE ended < ? ORDER BY ended LIMIT ?"
        uids = self._connection.execute(chosen, (time, _REMOVED_AT_ONCE)).fetchall()
        self._connection.executemany("DELETE FROM stretches WHERE uid = ?", uids)
        self._connection.executemany("DELETE FROM gangs WHERE uid = ?", uids)

    def _guarded(self, work: Callable[[], object]) -> None:
        try:
            self._write(work)
        except sqlite3.Error as error:
            raise _trouble(self._path, error) from error

    def _write(self, work: Callable[[], object]) -> None:
        """Do the work in one transaction: all of it, or nothing."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            work()


def _connected(path: Path, retention: Retention) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # The recorder deletes a record from the API after the commit, so the record must be on the disk by then.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG_BYTES}")
        [page_bytes] = connection.execute("PRAGMA page_size").fetchone()
        connection.execute(f"PRAGMA max_page_count = {max(64, retention.most_bytes // page_bytes)}")
        _make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for table in TABLES:
                connection.execute(table)
    elif version != VERSION:
        # The file is not broken: the version of Lockstep that wrote it can read it.
        raise sqlite3.NotSupportedError(
            f"its tables are of version {version}, and this version of lockstep has {VERSION}; "
            "run the version that wrote it, or move the file away"
        )
    [(found,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        error = sqlite3.DatabaseError(found)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    _add_index(connection)


def _add_index(connection: sqlite3.Connection) -> None:
    """Add the index that older files lack.

    If the file is full, it is opened without the index, so that records can be removed. Queries work without the index.
    """
    try:
        connection.execute(LATER_INDEX)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
            raise


def _set_aside(path: Path, error: Exception) -> None:
    """Rename a broken file. It replaces an earlier broken file, so at most one broken file is kept."""
    log.error("%s is corrupt, and was renamed to %s.broken: %s", path, path, error)
    for suffix in _FILES:
        file = Path(f"{path}{suffix}")
        if file.exists():
            file.replace(f"{path}.broken{suffix}")


def _is_broken(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & _KIND_OF_ERROR in _BROKEN


def _trouble(path: Path, error: sqlite3.Error) -> StorageError:
    return BrokenFileError(f"{path} is broken: {error}") if _is_broken(error) else StorageError(f"{path}: {error}")


class BrokenFileError(StorageError):
    """The file is broken: :meth:`RecordDatabase.open` will rename it."""
