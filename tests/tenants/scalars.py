"""Texts and numbers that a schema takes: different ones by number, and as long or as large as they may be."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

Schema = Mapping[str, Any]

_LONGEST_KEY = 63
_LONGEST_PREFIX = 253
_SHORT = 12
_FIRST_MOMENT = datetime(2100, 1, 1, tzinfo=UTC)
_AMOUNTS_BY_NAME = (".requests{}", ".limits{}", ".overhead{}")


class NoSuchTextError(ValueError):
    """No text is known that a field's pattern takes."""


def scalar(schema: Schema, number: int, *, is_large: bool = False) -> Any:
    """A text, number or truth that the schema takes; another one for another number, where there are so many."""
    if "enum" in schema:
        return schema.get("default", next(filter(None, schema["enum"])))
    if schema.get("type") == "boolean":
        return True
    if schema.get("type") == "integer":
        return schema["maximum"] if is_large else min(schema["minimum"] + number + 1, schema["maximum"])
    return _text(schema, number, schema.get("maxLength", 32) if is_large else min(_SHORT, schema.get("maxLength", 32)))


def key(path: str, number: int, *, is_large: bool = False) -> str:
    """The key of a map with that number."""
    prefix = "example.com/" if path.endswith(_AMOUNTS_BY_NAME) else ""
    return prefix + _word(number, _LONGEST_KEY if is_large else _SHORT)


def _text(schema: Schema, number: int, length: int) -> str:
    rules = " ".join(rule["rule"] for rule in schema.get("x-kubernetes-validations", ()))
    if schema.get("format") == "date-time":
        return (_FIRST_MOMENT + timedelta(hours=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
    if "duration(self)" in rules:
        return "1s" * (length // 2)
    pattern = schema.get("pattern", "")
    if "isQuantity" in rules or re.fullmatch(pattern or "-", "1Gi"):
        return "1".rjust(length, "0")
    text = _label(number, length) if "/)?" in rules else _word(number, length)
    if pattern and not re.fullmatch(pattern, text):
        raise NoSuchTextError(pattern)
    return text


def _word(number: int, length: int) -> str:
    return f"k{number}".ljust(length, "x")[:length] if length > _SHORT else f"k{number}"


def _label(number: int, length: int) -> str:
    """The key of a label, with a prefix where it may be so long."""
    name = _word(number, min(length, _LONGEST_KEY))
    return f"{'p' * min(length - len(name) - 1, _LONGEST_PREFIX)}/{name}" if length > _LONGEST_KEY + 1 else name
