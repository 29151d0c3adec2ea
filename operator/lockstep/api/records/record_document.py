"""Formats and parses the record of a gang as JSON."""

from dataclasses import asdict, fields
from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.facts.records.gang_record import (
    LARGEST_AMOUNT,
    LONGEST_TEXT,
    MOST_KINDS,
    GangOutcome,
    GangRecord,
    Stretch,
)

_LATEST = 2**40
# The most characters of a name. Names in Kubernetes have at most 253.
_LONGEST_NAME = 512
_DEFAULTS = {one.name: one.default for kind in (GangRecord, Stretch) for one in fields(kind)}
_NUMBERS = {
    **dict.fromkeys(("created", "promised", "started", "predicted", "ended", "began"), _LATEST),
    **dict.fromkeys(("attempts", "restarts", "attempt", "members", "millicores", "memory", "gpus"), LARGEST_AMOUNT),
    "lost": LARGEST_AMOUNT,
}
_TIMES_OR_NONE = {"promised", "started", "predicted", "ended"}


def record_document(record: GangRecord) -> dict[str, Any]:
    """Format a record as JSON. Fields with their default are left out."""
    document = _without_defaults(asdict(record))
    if record.stretches:
        document["stretches"] = [_without_defaults(asdict(one)) for one in record.stretches]
    return document


def parse_record(document: Manifest) -> GangRecord:
    """Parse a record. Raises ``ValueError`` if a field is missing or invalid. Unknown fields are ignored."""
    try:
        known = _known(document, GangRecord)
        known["outcome"] = GangOutcome(document.get("outcome", GangOutcome.OPEN))
        known["stretches"] = tuple(_stretch(one) for one in document.get("stretches") or ())
        return GangRecord(**known)
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"it is not a record of a gang: {error}") from error


def _stretch(document: Manifest) -> Stretch:
    known = _known(document, Stretch)
    kinds = [(_text("kinds", name), _number("members", count)) for name, count in document.get("kinds") or ()]
    known["kinds"] = tuple(kinds[: MOST_KINDS + 1])
    return Stretch(**known)


def _known(document: Manifest, kind: type) -> dict[str, Any]:
    names = {one.name for one in fields(kind)} - {"stretches", "kinds", "outcome"}
    return {name: _value(name, document[name]) for name in names & document.keys()}


def _value(name: str, value: Any) -> Any:
    if name not in _NUMBERS:
        return _text(name, value)
    return None if value is None and name in _TIMES_OR_NONE else _number(name, value)


def _number(name: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _NUMBERS[name]:
        raise ValueError(f"{name}: {value!r:.50} is not a number from 0 to {_NUMBERS[name]}")
    return value


def _text(name: str, value: Any) -> str:
    longest = LONGEST_TEXT if name in {"message", "user"} else _LONGEST_NAME
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{name}: it is not text of {longest} characters at most")
    return value


def _without_defaults(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value != _DEFAULTS[name]}
