"""The fields of an object that becomes a GangJob: what nobody takes is not carried over, and that is said."""

from collections.abc import Mapping
from typing import Any

from lockstep.answers.reading.errors import AnswerError

Manifest = dict[str, Any]


class Fields:
    """Fields that are taken one by one. ``notes`` gets a sentence for each that is not carried over as it stands.

    It knows what is inside it, so that ``leave_rest`` of the whole object finds every field that was not taken.
    """

    def __init__(self, path: str, fields: object, notes: list[str]) -> None:
        if not isinstance(fields, Mapping):
            raise AnswerError(f"{path or 'A document'} is no object.")
        self.path = path
        self._inner: list[Fields] = []
        self._left = {name: value for name, value in fields.items() if value is not None}
        self.notes = notes

    def take(self, name: str) -> Any:
        """A field's value, None where it is absent."""
        return self._left.pop(name, None)

    def take_number(self, name: str, *, otherwise: int | None) -> int | None:
        """A field that is a whole number. Raises ``AnswerError`` for any other."""
        value = self.take(name)
        if value is None:
            return otherwise
        if not isinstance(value, int) or isinstance(value, bool):
            raise AnswerError(f"{self._at(name)} is not a whole number.")
        return value

    def take_text(self, name: str, *, otherwise: str = "") -> str:
        """A field that is a text. Raises ``AnswerError`` for any other."""
        value = self.take(name)
        if not isinstance(value, str | None):
            raise AnswerError(f"{self._at(name)} is not a text.")
        return otherwise if value is None else value

    def take_list(self, name: str) -> list[Any]:
        """A field that is a list, empty where it is absent. Raises ``AnswerError`` for any other."""
        value = self.take(name)
        if not isinstance(value, list | None):
            raise AnswerError(f"{self._at(name)} is no list.")
        return value or []

    def take_fields(self, name: str) -> "Fields":
        """The fields of a field that is an object, none where it is absent."""
        return self.within(name, self._left.pop(name, {}))

    def within(self, name: str, fields: object) -> "Fields":
        """The fields of what was taken from here by that name. Raises ``AnswerError`` where it is no object."""
        inner = Fields(self._at(name), fields, self.notes)
        self._inner.append(inner)
        return inner

    def carry(self, *names: str) -> Manifest:
        """Those of the fields that are there, as they are."""
        return {name: self._left.pop(name) for name in names if name in self._left}

    def note(self, name: str, sentence: str) -> None:
        """Say what becomes of a field."""
        self.notes.append(f"{self._at(name)}: {sentence}")

    def leave(self, name: str, sentence: str) -> None:
        """Leave a field out, and say why, if it is there."""
        if self.take(name) is not None:
            self.note(name, sentence)

    def leave_rest(self) -> None:
        """Say of all fields that are left, here and further in, that they are not carried over."""
        for name in self._left:
            self.note(name, "not carried over, since a GangJob has nothing like it.")
        self._left.clear()
        for inner in self._inner:
            inner.leave_rest()

    @property
    def names(self) -> list[str]:
        """The names of the fields that are left."""
        return list(self._left)

    def rest(self) -> Manifest:
        """All fields that are left, as they are."""
        rest, self._left = self._left, {}
        return rest

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name
