"""Answers that many may ask for again: kept until they take too much memory, whatever anybody asks for."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Asked = TypeVar("Asked", bound=Hashable)
Answer = TypeVar("Answer")

MOST_BYTES = 2**24
"""So much the answers to one kind of question may take, about."""

BYTES_OF_WORD = 100
"""About what a key or a value of a selector takes."""
BYTES_OF_NAME = 50
"""About what a name in a set of names takes, where the name itself is there anyway."""
_BYTES_OF_ENTRY = 500


class KeptAnswers(Generic[Asked, Answer]):
    """Answers by question. When they would take more than ``most`` bytes, all are forgotten but the newest."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._taken = 0
        self._answers: dict[Asked, tuple[Answer, int]] = {}

    def __len__(self) -> int:
        """How many answers are kept."""
        return len(self._answers)

    def get(self, asked: Asked) -> Answer | None:
        """The answer, where it is kept."""
        known = self._answers.get(asked)
        return None if known is None else known[0]

    def keep(self, asked: Asked, answer: Answer, taking: int) -> Answer:
        """Keep an answer, in the place of an older one; it takes so many bytes with its question. Returns it."""
        _, before = self._answers.pop(asked, (None, 0))
        takes = _BYTES_OF_ENTRY + taking
        self._taken += takes - before
        if self._taken > self._most:
            self._answers.clear()
            self._taken = takes
        self._answers[asked] = answer, takes
        return answer

    def forget(self) -> None:
        """Something has changed, of which all answers were made."""
        self._answers.clear()
        self._taken = 0
