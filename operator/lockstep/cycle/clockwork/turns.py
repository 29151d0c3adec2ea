"""Long work in turns: the event loop has other things to do, and nobody should wait for all of it."""

import asyncio
from collections.abc import Callable, Generator
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

_TURN_SECONDS = 0.005


async def in_turns(work: Generator[None, None, T], took: Callable[[float], None] | None = None) -> T:
    """Carry out work that yields wherever it may be interrupted; ``took`` is told its own seconds when it is done.

    As soon as a turn has lasted five thousandths of a second, everything else that is due has one too.
    """
    own = 0.0
    while True:
        began = perf_counter()
        end = _one_turn(work, until=began + _TURN_SECONDS)
        own += perf_counter() - began
        if end is not None:
            if took is not None:
                took(own)
            result: T = end.value
            return result
        await asyncio.sleep(0)


def _one_turn(work: Generator[None, None, T], *, until: float) -> StopIteration | None:
    """Go on with the work until it is late enough; returns the end of it, once it is done."""
    try:
        while perf_counter() < until:
            next(work)
    except StopIteration as end:
        return end
    return None
