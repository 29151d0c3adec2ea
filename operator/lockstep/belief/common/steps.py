"""Work in steps, between which the event loop can run other tasks."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

# A piece of work takes about a microsecond, so a step takes about a millisecond.
_PIECES_OF_STEP = 1_000


class Steps:
    """Counts pieces of work, so that all steps take about the same time."""

    def __init__(self) -> None:
        self._done = 0

    def are_due(self, pieces: int) -> bool:
        """Count more pieces; returns whether they complete a step."""
        self._done += pieces
        if self._done < _PIECES_OF_STEP:
            return False
        self._done = 0
        return True


def at_once(work: Generator[None, None, T]) -> T:
    """Run all steps without a pause; returns the result of the work."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
