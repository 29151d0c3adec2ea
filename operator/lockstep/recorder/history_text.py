"""Formats answers from the record: as a table for people, as CSV, or as JSON."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, assert_never

import orjson

from lockstep.api.times import rfc3339
from lockstep.recorder.history import Row

_TIMES = frozenset({"at", "created", "promised", "started", "predicted", "ended"})
_SHOWN = ("namespace", "name", "user", "outcome", "created", "wait", "started", "ended", "attempts", "core-hours")
_SHOWN_OF_LOSSES = ("at", "namespace", "name", "reason", "preemptor", "members", "lost member-hours")
_NOTES = {
    "begun_anew": "The file was corrupt at {}: it was renamed, and earlier records are not shown.",
    "removed_early": "The file reached its maximum size at {}: the oldest records were removed.",
}


class HistoryFormat(StrEnum):
    """The format of an answer."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


def history_lines(values: Iterable[Row], form: HistoryFormat) -> Iterator[str]:
    """The lines of an answer, from rows that :func:`shown_values` has made."""
    match form:
        case HistoryFormat.TEXT:
            yield from _table(list(values))
        case HistoryFormat.CSV:
            yield from _csv(values)
        case HistoryFormat.JSON:
            yield from map(_json_line, values)
        case _:
            assert_never(form)


def note_sentences(notes: Mapping[str, int]) -> list[str]:
    """A sentence for each note, with its time."""
    return [_NOTES[name].format(rfc3339(time)) for name, time in sorted(notes.items()) if name in _NOTES]


def shown_values(row: Row) -> dict[str, Any]:
    """The row with times as texts, rounded hours, and the kinds of its nodes as one text."""
    values = {name: _value(name, value) for name, value in row.items() if name != "checked"}
    if "kinds" in values:
        values["kinds"] = _kinds(values["kinds"] or "")
    return values


def _value(name: str, value: Any) -> Any:
    if name in _TIMES and value is not None:
        return rfc3339(value)
    return round(value, 3) if isinstance(value, float) else value


def _kinds(lists: str) -> str:
    """The kinds of nodes in all stretches, each once. A kind without a name is not shown."""
    return ", ".join(sorted({kind for one in _documents(lists) for kind, _ in one if kind}))


def _documents(text: str) -> Iterator[list[tuple[str, int]]]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        found, end = decoder.raw_decode(text, at)
        yield found
        at = end + 1


def _json_line(row: Row) -> str:
    """The row as JSON, in which escapes of JSON replace all characters that a terminal does not print.

    Otherwise the command would replace these characters by its own escapes, which are not valid JSON.
    """
    text = orjson.dumps(row).decode()
    return text if text.isprintable() else "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


def _csv(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    written = False
    for row in rows:
        if not written:
            yield _csv_line(list(row))
            written = True
        yield _csv_line(["" if value is None else _no_formula(value) for value in row.values()])


def _csv_line(values: Sequence[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(values)
    return text.getvalue()


def _no_formula(value: Any) -> Any:
    """The value, changed so that no spreadsheet takes it for a formula: users choose names and messages."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not rows:
        yield "There are no records."
        return
    columns = _columns(rows[0])
    cells = [[_cell(name, row.get(name)) for name in columns] for row in rows]
    titles = [name.upper() for name in columns]
    widths = [max(len(line[number]) for line in [titles, *cells]) for number in range(len(columns))]
    for line in [titles, *cells]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _columns(row: Mapping[str, Any]) -> Sequence[str]:
    for shown in (_SHOWN, _SHOWN_OF_LOSSES):
        if set(shown) <= row.keys():
            return shown
    return list(row)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name == "wait":
        return f"{value} s"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
