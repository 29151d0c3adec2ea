"""The tables of the file, and how records become rows."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from coschedule import GangKey
from lockstep.api.names import POD_GANG_KIND
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.records.gang_record import GangOutcome, GangRecord, Stretch

VERSION = 1
"""The version of the tables. A file with another version stays unchanged, and is not used."""

TABLES = (
    """
    CREATE TABLE gangs (
        uid TEXT PRIMARY KEY, kind TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
        created INTEGER NOT NULL, user TEXT NOT NULL, "group" TEXT NOT NULL, template TEXT NOT NULL,
        sweep TEXT NOT NULL, promised INTEGER, started INTEGER, predicted INTEGER, ended INTEGER,
        outcome TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL, attempts INTEGER NOT NULL,
        restarts INTEGER NOT NULL, checked INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE stretches (
        uid TEXT NOT NULL, attempt INTEGER NOT NULL, began INTEGER NOT NULL, ended INTEGER,
        members INTEGER NOT NULL, millicores INTEGER NOT NULL, memory INTEGER NOT NULL, gpus INTEGER NOT NULL,
        kinds TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL, preemptor TEXT NOT NULL,
        lost INTEGER NOT NULL, PRIMARY KEY (uid, attempt, began)
    ) WITHOUT ROWID
    """,
    "CREATE TABLE notes (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX gangs_by_end ON gangs (ended)",
    "CREATE INDEX gangs_by_creation ON gangs (created)",
    "CREATE INDEX open_gangs ON gangs (checked) WHERE outcome = 'Open'",
    "CREATE INDEX named_users ON gangs (ended) WHERE user <> ''",
    f"PRAGMA user_version = {VERSION}",
)

LATER_INDEX = "CREATE INDEX IF NOT EXISTS gangs_by_namespace ON gangs (namespace, created)"
"""An index that older files of this version lack. With it, a tenant's question reads only records of its namespace."""

_GANG_COLUMNS = tuple(one.name for one in fields(GangRecord) if one.name != "stretches")
_STRETCH_COLUMNS = tuple(one.name for one in fields(Stretch))


def recorded_key(kind: str, namespace: str, name: str) -> GangKey:
    """The key of the gang with these values in its columns."""
    return pod_gang_key(namespace, name) if kind == POD_GANG_KIND else GangKey(namespace, name)


def stored_gang(connection: sqlite3.Connection, uid: str) -> GangRecord | None:
    """The recorded gang, without its stretches; None if it is not on record."""
    columns = ", ".join(f'"{name}"' for name in _GANG_COLUMNS)
    row = connection.execute(f"SELECT {columns} FROM gangs WHERE uid = ?", (uid,)).fetchone()  # noqa: S608 - our names
    if row is None:
        return None
    values = dict(zip(_GANG_COLUMNS, row, strict=True))
    return GangRecord(**{**values, "outcome": GangOutcome(values["outcome"])})


def stored_stretch(connection: sqlite3.Connection, uid: str, one: Stretch) -> Stretch | None:
    """The recorded stretch with the key of ``one``; None if it is not on record."""
    columns = ", ".join(_STRETCH_COLUMNS)
    where = "uid = ? AND attempt = ? AND began = ?"
    query = f"SELECT {columns} FROM stretches WHERE {where}"  # noqa: S608 - our names
    row = connection.execute(query, (uid, *one.key)).fetchone()
    if row is None:
        return None
    values = dict(zip(_STRETCH_COLUMNS, row, strict=True))
    return Stretch(**{**values, "kinds": tuple((kind, count) for kind, count in json.loads(values["kinds"]))})


def store_gang(connection: sqlite3.Connection, record: GangRecord, checked: int) -> None:
    """Write the gang, without its stretches. It replaces an earlier record of the gang."""
    values = [getattr(record, name) for name in _GANG_COLUMNS]
    _replace(connection, "gangs", (*_GANG_COLUMNS, "checked"), (*values, checked))


def store_stretch(connection: sqlite3.Connection, uid: str, one: Stretch) -> None:
    """Write the stretch. It replaces an earlier record of the stretch."""
    values = {**{name: getattr(one, name) for name in _STRETCH_COLUMNS}, "kinds": json.dumps(one.kinds)}
    _replace(connection, "stretches", ("uid", *_STRETCH_COLUMNS), (uid, *values.values()))


def _replace(connection: sqlite3.Connection, table: str, columns: Sequence[str], values: Sequence[Any]) -> None:
    names, places = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
    connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})", values)  # noqa: S608 - our names
