"""A cache of answers. Its memory is bounded, whatever the questions are."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Asked = TypeVar("Asked", bound=Hashable)
Answer = TypeVar("Answer")

MOST_BYTES = 2**24
"""Roughly the most memory for the answers to one kind of question."""

BYTES_OF_WORD = 100
"""Roughly the memory of a key or a value of a selector."""
BYTES_OF_NAME = 50
"""Roughly the memory of an entry in a set of names, without the name itself."""
_BYTES_OF_ENTRY = 500


class KeptAnswers(Generic[Asked, Answer]):
    """Answers by question. When they would exceed ``most`` bytes, all but the newest are dropped."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._taken = 0
        self._answers: dict[Asked, tuple[Answer, int]] = {}

    def __len__(self) -> int:
        """The number of kept answers."""
        return len(self._answers)

    def get(self, asked: Asked) -> Answer | None:
        """The answer, if it is kept."""
        known = self._answers.get(asked)
        return None if known is None else known[0]

    def keep(self, asked: Asked, answer: Answer, taking: int) -> Answer:
        """Keep an answer, in place of an older answer to the same question. Returns the answer.

        ``taking`` is the number of bytes that question and answer take together.
        """
        _, before = self._answers.pop(asked, (None, 0))
        takes = _BYTES_OF_ENTRY + taking
        self._taken += takes - before
        if self._taken > self._most:
            self._answers.clear()
            self._taken = takes
        self._answers[asked] = answer, takes
        return answer

    def forget(self) -> None:
        """Drop all answers, since the facts behind them have changed."""
        self._answers.clear()
        self._taken = 0
