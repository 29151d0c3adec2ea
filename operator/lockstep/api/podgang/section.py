"""Reads objects of other projects field by field: a field of the wrong type raises an error that names it."""

from collections.abc import Mapping

from lockstep.api.manifest import Manifest

# The most entries of a list. Owners have at most tens of entries, and all of them are read in one step of the event
# loop.
_MOST_ENTRIES = 250


class FieldError(ValueError):
    """A field is invalid; the message names it."""


class Section:
    """An object, or a part of one, and its path. Reading a field of the wrong type raises ``FieldError``."""

    fields: Manifest

    def __init__(self, fields: object, path: str = "") -> None:
        if not isinstance(fields, Mapping):
            raise FieldError(f"{path or 'it'} is not an object")
        self.fields = fields
        self.path = path

    def has(self, name: str) -> bool:
        """Whether the field is present and not empty, false or 0."""
        return bool(self.fields.get(name))

    def section(self, name: str) -> "Section":
        """A field that is an object; an empty object if the field is absent."""
        return Section(self._value(name, {}), self._at(name))

    def sections(self, name: str) -> list["Section"]:
        """A field that is a list of a few objects; empty if the field is absent."""
        entries = self._value(name, [])
        if not isinstance(entries, list):
            raise FieldError(f"{self._at(name)} is not a list")
        if len(entries) > _MOST_ENTRIES:
            raise FieldError(f"{self._at(name)} has {len(entries)} entries, more than {_MOST_ENTRIES}")
        return [Section(one, f"{self._at(name)}[{number}]") for number, one in enumerate(entries)]

    def number(self, name: str, *, otherwise: int) -> int:
        """A field that is a whole number of at least 0; ``otherwise`` if the field is absent."""
        value = self._value(name, otherwise)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise FieldError(f"{self._at(name)} is not a whole number of 0 or more")
        return value

    def text(self, name: str) -> str:
        """A field that is a text; '' if the field is absent."""
        value = self._value(name, "")
        if not isinstance(value, str):
            raise FieldError(f"{self._at(name)} is not text")
        return value

    def texts(self, name: str) -> Mapping[str, str]:
        """A field that is an object of texts; an empty object if the field is absent."""
        entries = self.section(name)
        return {key: entries.text(key) for key in entries.fields}

    def _value(self, name: str, otherwise: object) -> object:
        value = self.fields.get(name)
        return otherwise if value is None else value

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name
