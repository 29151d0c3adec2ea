"""Work in steps, between which the event loop may turn. A caller that has all the time takes them at once."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

# About a thousandth of a second, of work that takes about a millionth for each piece.
_PIECES_OF_STEP = 1_000


class Steps:
    """Counts pieces of work, so that steps have about the same length whatever they are made of."""

    def __init__(self) -> None:
        self._done = 0

    def are_due(self, pieces: int) -> bool:
        """So many pieces more were done; returns whether that makes a step."""
        self._done += pieces
        if self._done < _PIECES_OF_STEP:
            return False
        self._done = 0
        return True


def at_once(work: Generator[None, None, T]) -> T:
    """Take all steps, one right after the other; returns what the work comes to."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
