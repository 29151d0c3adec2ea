"""Answers users' questions about the records of one namespace. Rows, bytes and time of an answer are bounded.

Sums count only gangs of the namespace. If a gang lost work for a gang of another namespace, the answer does not name
the other gang.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from sqlite3 import SQLITE_LIMIT_LENGTH, Connection, DataError, OperationalError
from typing import Any, NamedTuple

import orjson

from lockstep.api.names import GANG_KIND
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope
from lockstep.recorder.history import HistoryFilter, Row, notes_of, opened_history, rows_of
from lockstep.recorder.history_text import note_sentences, shown_values

MOST_BYTES = 2**20
"""The rows of an answer have at most this number of bytes."""

MOST_SECONDS = 5.0
"""An answer may take this number of seconds, since the recorder gives only one answer at a time."""

_STEPS_BETWEEN_CHECKS = 100_000
_OF_ANOTHER_NAMESPACE = "(another namespace)"
_OF_ANOTHER_KIND = "(a Gang)"


class TooMuchError(Exception):
    """The question asks for more than one answer may have, or the answer takes too long."""


class TenantHistory(NamedTuple):
    """The rows, sentences about the file, and whether there are more rows than the answer may have."""

    rows: list[dict[str, Any]]
    notes: list[str]
    is_cut_off: bool


def tenant_history(
    path: Path, asked: HistoryQuestion, scope: HistoryScope, now: int, monotonic: Callable[[], float]
) -> TenantHistory:
    """Answer a question about one namespace. Raises ``HistoryError`` and ``TooMuchError``."""
    kind = "" if scope.with_pod_gangs else GANG_KIND
    chosen = HistoryFilter.of(asked, now, namespace=scope.namespace, made=scope.made, kind=kind)
    with opened_history(path) as connection, _bounded(connection, monotonic):
        # This asks for one row more than the limit, to see whether there are more.
        found = rows_of(connection, asked, chosen, asked.limit + 1)
        rows = (shown_values(_unnamed(row, scope)) for row in found)
        shown, is_cut_off = _within_bounds(rows, asked.limit)
        return TenantHistory(shown, note_sentences(notes_of(connection)), is_cut_off)


@contextmanager
def _bounded(connection: Connection, monotonic: Callable[[], float]) -> Iterator[None]:
    """End queries of the block with ``TooMuchError`` if they take too long or make too large a value."""
    deadline = monotonic() + MOST_SECONDS
    connection.setlimit(SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.set_progress_handler(lambda: monotonic() > deadline, _STEPS_BETWEEN_CHECKS)
    try:
        yield
    except DataError as error:
        raise TooMuchError from error
    except OperationalError as error:
        if monotonic() > deadline:
            raise TooMuchError from error
        raise


def _unnamed(row: Row, scope: HistoryScope) -> Row:
    """The row without the preemptor and the message if the user may not read the preemptor."""
    preemptor = row.get("preemptor")
    if not preemptor:
        return row
    if not preemptor.startswith(f"{scope.namespace}/"):
        return {**row, "preemptor": _OF_ANOTHER_NAMESPACE, "message": ""}
    is_seen = scope.with_pod_gangs or not preemptor.startswith(str(pod_gang_key(scope.namespace, "")))
    return row if is_seen else {**row, "preemptor": _OF_ANOTHER_KIND, "message": ""}


def _within_bounds(rows: Iterable[dict[str, Any]], limit: int) -> tuple[list[dict[str, Any]], bool]:
    shown: list[dict[str, Any]] = []
    size = 0
    for row in islice(rows, limit + 1):
        size += len(orjson.dumps(row))
        if len(shown) == limit or size > MOST_BYTES:
            return shown, True
        shown.append(row)
    return shown, False
