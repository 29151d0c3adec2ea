"""Cutting a list of steps down to the shortest that still breaks something."""

import time
from collections.abc import Callable

from chaos.run import Result
from chaos.script import Step


def shrink(steps: list[Step], replay: Callable[[list[Step]], Result], seconds: float) -> list[Step]:
    """Leave out ever smaller pieces as long as what is left still shows a violation, or until the time is up."""
    end = time.monotonic() + seconds
    pieces = 2
    while len(steps) > 1 and time.monotonic() < end:
        shorter = _without_one_piece(steps, pieces, replay, end)
        if shorter is not None:
            steps, pieces = shorter, max(2, pieces - 1)
        elif pieces >= len(steps):
            break
        else:
            pieces = min(2 * pieces, len(steps))
    return steps


def _without_one_piece(
    steps: list[Step], pieces: int, replay: Callable[[list[Step]], Result], end: float
) -> list[Step] | None:
    """The steps without a piece that they do not need; nothing where each piece is needed."""
    length = -(-len(steps) // pieces)
    for first in range(0, len(steps), length):
        rest = steps[:first] + steps[first + length :]
        if time.monotonic() < end and rest and replay(rest).violations:
            return rest
    return None
