"""Checks a GangJob against the bounds of its schema: one stored before a bound was introduced may exceed it.

The bounds are generated from the schema of the API server. They are checked before anything else is read, and the check
ends after a number of entries. So an object of any size costs little.
"""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

MOST_ENTRIES = 10_000
"""The most entries in all lists and maps of a spec together.

No schema can express that, and single lists may have a thousand.
"""

_BOUNDS = json.loads(files(__package__).joinpath("gangjob_bounds.json").read_text(encoding="utf-8"))
_LONGEST_KEY = 64


def beyond_bounds(spec: Mapping[str, Any]) -> str:
    """The first field of a GangJob's spec that is larger than its bound, as a phrase; empty where none is."""
    found = _Comparison().beyond(_BOUNDS, spec)
    return "" if found is None else found.removeprefix(".")


class _Comparison:
    """Checks one spec, and counts the entries of its lists and maps."""

    def __init__(self) -> None:
        self._entries = 0

    def beyond(self, bounds: Any, value: Any) -> str | None:
        """Where in the value something exceeds its bound, and by how much; values of another type have no bound."""
        if isinstance(bounds, int):
            return _too_long(value, bounds) if isinstance(value, str) and len(value) > bounds else None
        if isinstance(value, dict) and "fields" in bounds:
            return self._in_fields(bounds["fields"], value)
        if isinstance(value, dict) and "most" in bounds:
            return self._too_many(len(value), bounds["most"]) or self._in_entries(bounds, value.items())
        if isinstance(value, list) and "most" in bounds:
            return self._too_many(len(value), bounds["most"]) or self._in_entries(bounds, enumerate(value))
        return None

    def _in_fields(self, fields: Mapping[str, Any], value: Mapping[str, Any]) -> str | None:
        for name, one in value.items():
            if name in fields and (found := self.beyond(fields[name], one)) is not None:
                return f".{name}{found}"
        return None

    def _in_entries(self, bounds: Mapping[str, Any], entries: Iterable[tuple[Any, Any]]) -> str | None:
        for key, one in entries if "each" in bounds else ():
            if (found := self.beyond(bounds["each"], one)) is not None:
                return f"[{str(key)[:_LONGEST_KEY]}]{found}"
        return None

    def _too_many(self, entries: int, most: int) -> str | None:
        if entries > most:
            return f": has {entries:,} entries, and may have at most {most:,}"
        self._entries += entries
        if self._entries > MOST_ENTRIES:
            return (
                f": all lists and maps up to here have {self._entries:,} entries, and may have at most "
                f"{MOST_ENTRIES:,} together"
            )
        return None


def _too_long(value: str, most: int) -> str:
    return f": has {len(value):,} characters, and may have at most {most:,}"
