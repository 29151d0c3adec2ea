"""The fields of an object that is converted.

Each field must be taken, or there is a note that it is not carried over.
"""

from collections.abc import Mapping
from typing import Any

from lockstep.answers.reading.errors import AnswerError
from lockstep.api.manifest import NewManifest


class Fields:
    """The fields of an object, which are taken one by one.

    ``notes`` gets a sentence for each field that is not carried over. The ``Fields`` of an object keep the ``Fields``
    of its inner objects. So ``leave_rest`` of the whole object finds all fields that were not taken.
    """

    def __init__(self, path: str, fields: object, notes: list[str]) -> None:
        if not isinstance(fields, Mapping):
            raise AnswerError(f"{path or 'A document'} is not an object.")
        self.path = path
        self._inner: list[Fields] = []
        self._left = {name: value for name, value in fields.items() if value is not None}
        self.notes = notes

    def take(self, name: str) -> Any:
        """Take a field's value; None if it is absent."""
        return self._left.pop(name, None)

    def take_number(self, name: str, *, otherwise: int | None) -> int | None:
        """Take an integer field; ``otherwise`` if it is absent. Raises ``AnswerError`` if it is no integer."""
        value = self.take(name)
        if value is None:
            return otherwise
        if not isinstance(value, int) or isinstance(value, bool):
            raise AnswerError(f"{self._at(name)} is not a whole number.")
        return value

    def take_text(self, name: str, *, otherwise: str = "") -> str:
        """Take a string field; ``otherwise`` if it is absent. Raises ``AnswerError`` if it is no string."""
        value = self.take(name)
        if not isinstance(value, str | None):
            raise AnswerError(f"{self._at(name)} is not a text.")
        return otherwise if value is None else value

    def take_list(self, name: str) -> list[Any]:
        """Take a field that is a list; it is empty if the field is absent.

        Raises ``AnswerError`` if the field is not a list.
        """
        value = self.take(name)
        if not isinstance(value, list | None):
            raise AnswerError(f"{self._at(name)} is not a list.")
        return value or []

    def take_fields(self, name: str) -> "Fields":
        """Take a field that is an object, and return its fields; there are none if the field is absent."""
        return self.within(name, self._left.pop(name, {}))

    def within(self, name: str, fields: object) -> "Fields":
        """The fields of an object that was taken under that name. Raises ``AnswerError`` if it is not an object."""
        inner = Fields(self._at(name), fields, self.notes)
        self._inner.append(inner)
        return inner

    def carry(self, *names: str) -> NewManifest:
        """Take the fields with these names that exist, and return them unchanged."""
        return {name: self._left.pop(name) for name in names if name in self._left}

    def note(self, name: str, sentence: str) -> None:
        """Add a note about a field."""
        self.notes.append(f"{self._at(name)}: {sentence}")

    def leave(self, name: str, sentence: str) -> None:
        """Leave a field out, with a note if it exists."""
        if self.take(name) is not None:
            self.note(name, sentence)

    def leave_rest(self) -> None:
        """Leave out all fields that were not taken, here and in inner objects, with a note for each."""
        for name in self._left:
            self.note(name, "not carried over, since a GangJob has nothing like it.")
        self._left.clear()
        for inner in self._inner:
            inner.leave_rest()

    @property
    def names(self) -> list[str]:
        """The names of the fields that were not taken yet."""
        return list(self._left)

    def rest(self) -> NewManifest:
        """Take all fields that were not taken yet, and return them unchanged."""
        rest, self._left = self._left, {}
        return rest

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name
