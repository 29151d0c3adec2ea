"""Texts and numbers that a schema takes: different ones by number, and as long or as large as they may be."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tenants.identity import once_for_each

Schema = Mapping[str, Any]
Maker = Callable[[int, bool], Any]
Text = Callable[[int, int], str]

_LONGEST_KEY = 63
_LONGEST_PREFIX = 253
_SHORT = 12
_FIRST_MOMENT = datetime(2100, 1, 1, tzinfo=UTC)
_AMOUNTS_BY_NAME = (".requests{}", ".limits{}", ".overhead{}")


class NoSuchTextError(ValueError):
    """No text is known that a field's pattern takes."""


def scalar(schema: Schema, number: int, *, is_large: bool = False) -> Any:
    """A text, number or truth that the schema takes; another one for another number, where there are so many."""
    return _maker(schema)(number, is_large)


def short_scalar(schema: Schema) -> Callable[[int], Any]:
    """Makes the scalars that are not at their largest."""
    make = _maker(schema)
    return lambda number: make(number, False)  # noqa: FBT003 - it is called for each of a hundred thousand entries


def key(path: str, number: int, *, is_large: bool = False) -> str:
    """The key of a map with that number."""
    prefix = "example.com/" if path.endswith(_AMOUNTS_BY_NAME) else ""
    return prefix + _word(number, _LONGEST_KEY if is_large else _SHORT)


def _make(schema: Schema) -> Maker:
    if "enum" in schema:
        value = schema.get("default", next(filter(None, schema["enum"])))
        return lambda _number, _is_large: value
    if schema.get("type") == "boolean":
        return lambda _number, _is_large: True
    if schema.get("type") == "integer":
        least, most = schema["minimum"], schema["maximum"]
        return lambda number, is_large: most if is_large else min(least + number + 1, most)
    text, short, longest = _texts(schema), min(_SHORT, schema.get("maxLength", 32)), schema.get("maxLength", 32)
    return lambda number, is_large: text(number, longest if is_large else short)


_maker = once_for_each(_make)


def _texts(schema: Schema) -> Text:
    """Makes the text of a number that is so long."""
    rules = " ".join(rule["rule"] for rule in schema.get("x-kubernetes-validations", ()))
    if schema.get("format") == "date-time":
        return lambda number, _: (_FIRST_MOMENT + timedelta(hours=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
    if "duration(self)" in rules:
        return lambda _, length: "1s" * (length // 2)
    pattern = schema.get("pattern", "")
    if "isQuantity" in rules or re.fullmatch(pattern or "-", "1Gi"):
        return lambda _, length: "1".rjust(length, "0")
    text = _label if "/)?" in rules else _word
    return _checked(text, re.compile(pattern)) if pattern else text


def _checked(text: Text, pattern: re.Pattern[str]) -> Text:
    def made(number: int, length: int) -> str:
        found = text(number, length)
        if not pattern.fullmatch(found):
            raise NoSuchTextError(pattern.pattern)
        return found

    return made


def _word(number: int, length: int) -> str:
    return f"k{number}".ljust(length, "x")[:length] if length > _SHORT else f"k{number}"


def _label(number: int, length: int) -> str:
    """The key of a label, with a prefix where it may be so long."""
    name = _word(number, min(length, _LONGEST_KEY))
    return f"{'p' * min(length - len(name) - 1, _LONGEST_PREFIX)}/{name}" if length > _LONGEST_KEY + 1 else name
