"""Checks a GangJob against the bounds of its schema. A GangJob that is older than a bound may exceed this bound.

The bounds are generated from the schema. They are checked before the rest of the spec is parsed, and the check ends
after ``MOST_ENTRIES`` entries. So a check costs little, however large the GangJob is.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeAlias

MOST_ENTRIES = 10_000
"""The most entries that all lists and maps of a spec may have together.

No schema can express this bound, and single lists may have a thousand entries.
"""

_LONGEST_KEY = 64


def beyond_bounds(spec: Mapping[str, Any]) -> str:
    """A phrase that names the first field of a GangJob's spec that is larger than its bound; '' if there is none."""
    found = _BOUNDS.excess(spec, _Counted())
    return "" if found is None else found.removeprefix(".")


class _Counted:
    """Counts the entries of all lists and maps of one spec."""

    def __init__(self) -> None:
        self._entries = 0

    def excess(self, entries: int) -> str | None:
        """Count these entries; returns a phrase if there are too many now, or None."""
        self._entries += entries
        if self._entries <= MOST_ENTRIES:
            return None
        return (
            f": all lists and maps up to this field have {self._entries:,} entries, and may have at most "
            f"{MOST_ENTRIES:,} together"
        )


# The method ``excess`` of a bound returns None for a value within the bound. Otherwise, it returns a phrase with the
# path of the excess, its size and the bound. A value of an unexpected type is within every bound.
_Bound: TypeAlias = "_Text | _Fields | _Entries"


@dataclass(frozen=True, slots=True)
class _Text:
    most: int

    def excess(self, value: Any, _: _Counted, /) -> str | None:
        return _too_long(value, self.most) if isinstance(value, str) and len(value) > self.most else None


@dataclass(frozen=True, slots=True)
class _Fields:
    """The bounds of an object: the most characters of each of its ``texts``, and the bounds of its ``others`` fields.

    Most fields are texts. They are checked without a call, to save time.
    """

    texts: Mapping[str, int]
    others: Mapping[str, _Bound]

    def excess(self, value: Any, counted: _Counted, /) -> str | None:
        texts, others = self.texts, self.others
        for name, one in value.items() if isinstance(value, dict) else ():
            if name in texts:
                if isinstance(one, str) and len(one) > texts[name]:
                    return f".{name}{_too_long(one, texts[name])}"
            elif name in others and (found := others[name].excess(one, counted)) is not None:
                return f".{name}{found}"
        return None


@dataclass(frozen=True, slots=True)
class _Entries:
    """The bounds of a list or a map: the most entries, and the bound of each entry, if it has one."""

    most: int
    each: "_Bound | None"

    def excess(self, value: Any, counted: _Counted, /) -> str | None:
        if not isinstance(value, list | dict):
            return None
        if len(value) > self.most:
            return f": has {len(value):,} entries, and may have at most {self.most:,}"
        return counted.excess(len(value)) or self._of_each(value, counted)

    def _of_each(self, value: Any, counted: _Counted) -> str | None:
        if self.each is None:
            return None
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            if (found := self.each.excess(one, counted)) is not None:
                return f"[{str(key)[:_LONGEST_KEY]}]{found}"
        return None


def _bound(written: Any) -> _Bound:
    """Parse a bound from the file.

    A number is the bound of a text. ``fields`` has the bounds of an object's fields. ``most`` is the bound of a list or
    map, and ``each`` is the bound of its entries.
    """
    if isinstance(written, int):
        return _Text(written)
    if "most" in written:
        return _Entries(written["most"], _bound(written["each"]) if "each" in written else None)
    fields = written["fields"].items()
    texts = {name: one for name, one in fields if isinstance(one, int)}
    return _Fields(texts, {name: _bound(one) for name, one in fields if name not in texts})


def written_bounds() -> Any:
    """The decoded content of the file with the bounds."""
    return json.loads(files(__package__).joinpath("gangjob_bounds.json").read_text(encoding="utf-8"))


_BOUNDS = _bound(written_bounds())


def _too_long(value: str, most: int) -> str:
    return f": has {len(value):,} characters, and may have at most {most:,}"
