"""Queries of the records: gangs, sums of the resources that they held, and members and work that they lost.

A gang counts if it existed in the period. Hours count only within the period. A stretch is the time in which a gang
held the same number of members. If the end of a stretch is not on record, the stretch ends when the next one begins,
when its gang ends, or now.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, assert_never

from lockstep.facts.records.history_question import HistoryQuestion, SumBy
from lockstep.recorder.schema import VERSION, recorded_key

Row = Mapping[str, Any]

_WEEK_SECONDS = 7 * 86_400
# The first of January 1970 was a Thursday, and a week begins on Monday.
_TO_MONDAY_SECONDS = 3 * 86_400
_OF_ALL = ("namespace", "group", "user", "sweep", "name", "kind")


class HistoryError(Exception):
    """The file can't be read; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """Selects gangs of the period from ``since`` to ``until`` whose properties equal all values that are not empty.

    It leaves out gangs that were created before ``made``. Times are in seconds since 1970.
    """

    since: int
    until: int
    now: int
    namespace: str = ""
    group: str = ""
    user: str = ""
    sweep: str = ""
    name: str = ""
    kind: str = ""
    made: int = 0

    @classmethod
    def of(cls, asked: HistoryQuestion, now: int, **scope: Any) -> Self:
        """The filter for a question's period and properties, and for the further values in ``scope``."""
        values = {name: getattr(asked, name) for name in ("since", "until", "user", "sweep", "name")}
        return cls(now=now, **values, **scope)

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of a query."""
        given = {name: getattr(self, name) for name in _OF_ALL}
        return {**given, "since": self.since, "until": min(self.until, self.now), "now": self.now, "made": self.made}

    @property
    def condition(self) -> str:
        """The condition on a gang ``g`` in SQL."""
        equal = [f'g."{name}" = :{name}' for name in _OF_ALL if getattr(self, name)]
        return " AND ".join(
            ["g.created < :until", "g.created >= :made", "(g.ended IS NULL OR g.ended >= :since)", *equal]
        )


@contextmanager
def opened_history(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for reading; the recorder may write at the same time. Raises ``HistoryError``."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10.0)
    except sqlite3.Error as error:
        raise HistoryError(f"{path} can't be read: {error}") from error
    connection.row_factory = sqlite3.Row
    try:
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            raise HistoryError(f"{path} has tables of version {version}, not {VERSION}")
        yield connection
    except sqlite3.Error as error:
        raise HistoryError(f"{path} can't be read: {error}") from error
    finally:
        connection.close()


def rows_of(connection: sqlite3.Connection, asked: HistoryQuestion, chosen: HistoryFilter, most: int) -> Iterator[Row]:
    """The rows that the question asks for, of the chosen gangs: at most ``most`` gangs or losses, or all sums."""
    if asked.losses:
        return losses_of(connection, chosen, most)
    return gangs_of(connection, chosen, most) if asked.by is None else sums_of(connection, chosen, asked.by)


def gangs_of(connection: sqlite3.Connection, asked: HistoryFilter, most: int) -> Iterator[Row]:
    """At most ``most`` gangs with their hours, the newest first."""
    query = f"""
        WITH chosen AS (SELECT * FROM gangs AS g WHERE {asked.condition} ORDER BY created DESC, uid LIMIT {int(most)})
        SELECT g.*, g.started - g.created AS wait, group_concat(s.kinds, ' ') AS kinds,
               group_concat(s.members || ' from ' || s.began, ', ') AS sizes, {_SUMS}
        FROM chosen AS g LEFT JOIN {_STRETCHES} AS s ON s.uid = g.uid
        GROUP BY g.uid ORDER BY g.created DESC, g.uid
    """  # noqa: S608 - our own names; all values are parameters
    return iter(map(dict, connection.execute(query, asked.values)))


def sums_of(connection: sqlite3.Connection, asked: HistoryFilter, by: SumBy) -> Iterator[Row]:
    """The hours of the gangs, summed by one of their properties; the most core-hours first, weeks in order."""
    query = _by_week(asked) if by is SumBy.WEEK else _by_column(asked, by)
    return iter(map(dict, connection.execute(query, asked.values)))


def losses_of(connection: sqlite3.Connection, asked: HistoryFilter, most: int) -> Iterator[Row]:
    """The losses of gangs, the newest first.

    A row says when, why and for which gang a gang lost members, how many members, and how much work. If the
    preemptor is of another namespace, the row has the preemptor's name if it is on record, and otherwise the UID.
    """
    query = f"""
        SELECT s.ended AS at, g.namespace, g.name, g.uid, g.user, s.attempt, s.reason, s.preemptor, s.members,
               s.lost / 3600.0 AS "lost member-hours", s.message,
               p.kind AS preemptor_kind, p.namespace AS preemptor_namespace, p.name AS preemptor_name
        FROM gangs AS g JOIN stretches AS s ON s.uid = g.uid LEFT JOIN gangs AS p ON p.uid = s.preemptor
        WHERE {asked.condition} AND s.ended >= :since AND s.ended < :until AND s.reason NOT IN ('', 'Succeeded')
              AND (s.lost > 0 OR s.preemptor <> '' OR s.reason <> 'ChangingSize')
        ORDER BY s.ended DESC, g.uid LIMIT {int(most)}
    """  # noqa: S608 - our own names; all values are parameters
    return map(_with_preemptor, connection.execute(query, asked.values))


def _with_preemptor(loss: sqlite3.Row) -> Row:
    """The row with one column for its preemptor: the preemptor's name if it is on record, otherwise its UID."""
    row = dict(loss)
    kind, namespace, name = (row.pop(f"preemptor_{column}") for column in ("kind", "namespace", "name"))
    return row if kind is None else {**row, "preemptor": str(recorded_key(kind, namespace, name))}


def notes_of(connection: sqlite3.Connection) -> dict[str, int]:
    """Notes about the file as a whole, such as that records were removed early: the time of each, by its name."""
    return {row["name"]: row["value"] for row in connection.execute("SELECT name, value FROM notes")}


_ENDED = """coalesce(s.ended,
    (SELECT min(n.began) FROM stretches AS n WHERE n.uid = s.uid AND n.began > s.began),
    (SELECT e.ended FROM gangs AS e WHERE e.uid = s.uid), :now)"""
# Work is lost when a stretch ends. So lost work counts in the period in which the stretch ended.
_STRETCHES = f"""(SELECT s.uid, s.attempt, s.began, s.ended, s.members, s.millicores, s.gpus, s.memory, s.kinds,
    CASE WHEN s.ended >= :since AND s.ended < :until THEN s.lost ELSE 0 END AS lost,
    max(0, min({_ENDED}, :until) - max(s.began, :since)) AS seconds, {_ENDED} AS until
    FROM stretches AS s)"""  # noqa: S608 - our own names


# Tenants choose amounts. SQL's sum() fails if the amounts are too large, and total() does not.
_SUMS = """
    total(millicores * seconds) / 3.6e6 AS "core-hours",
    total(gpus * seconds) / 3600.0 AS "GPU-hours",
    total(memory / 1073741824.0 * seconds) / 3600.0 AS "memory GiB-hours",
    total(lost) / 3600.0 AS "lost member-hours"
"""


def _by_column(asked: HistoryFilter, by: SumBy) -> str:
    """The query of sums by a property of gangs. Gangs without this property count as '(unknown)'."""
    match by:
        case SumBy.NAMESPACE | SumBy.GROUP | SumBy.USER:
            column = f'g."{by}"'
        case SumBy.WEEK:
            raise ValueError("weeks are no property of gangs")
        case _:
            assert_never(by)
    return f"""
        SELECT coalesce(nullif({column}, ''), '(unknown)') AS "{by}", count(DISTINCT g.uid) AS gangs, {_SUMS}
        FROM gangs AS g LEFT JOIN {_STRETCHES} AS s ON s.uid = g.uid
        WHERE {asked.condition} GROUP BY 1 ORDER BY "core-hours" DESC, 1
    """  # noqa: S608 - our own names; all values are parameters


def _by_week(asked: HistoryFilter) -> str:
    """The query of sums by week.

    A gang counts in a week if it held resources in this week, or lost work when a stretch ended in this week.
    """
    return f"""
        WITH chosen AS (
            SELECT s.*, max(s.began, :since) AS first, min(s.until, :until) AS last
            FROM gangs AS g JOIN {_STRETCHES} AS s ON s.uid = g.uid WHERE {asked.condition}
        ),
        held(uid, millicores, gpus, memory, first, last, week) AS (
            SELECT uid, millicores, gpus, memory, first, last, {_week_of("first")} FROM chosen WHERE seconds > 0
            UNION ALL
            SELECT uid, millicores, gpus, memory, first, last, week + 1 FROM held WHERE week < {_week_of("last - 1")}
        ),
        parts AS (
            SELECT uid, millicores, gpus, memory, {_IN_WEEK} AS seconds, 0 AS lost, week FROM held
            UNION ALL
            SELECT uid, 0, 0, 0, 0, lost, {_week_of("ended")} FROM chosen WHERE lost > 0
        )
        SELECT date({_start_of("parts.week")}, 'unixepoch') AS week, count(DISTINCT uid) AS gangs, {_SUMS}
        FROM parts GROUP BY parts.week ORDER BY parts.week
    """  # noqa: S608 - our own names; all values are parameters


def _week_of(seconds: str) -> str:
    return f"(({seconds} + {_TO_MONDAY_SECONDS}) / {_WEEK_SECONDS})"


def _start_of(week: str) -> str:
    return f"({week} * {_WEEK_SECONDS} - {_TO_MONDAY_SECONDS})"


_IN_WEEK = f"(min(last, {_start_of('(week + 1)')}) - max(first, {_start_of('week')}))"
