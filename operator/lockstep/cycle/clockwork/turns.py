"""Divides long work into turns, so that other tasks of the event loop run in between."""

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeVar

T = TypeVar("T")

_TURN_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class _End(Generic[T]):
    """The end of the work, with the value that it has returned."""

    result: T


async def in_turns(work: Generator[None, None, T], took: Callable[[float], None] | None = None) -> T:
    """Run a generator that yields where it may be interrupted, and return its result.

    After each turn of 5 ms all other due tasks run. At the end ``took`` is called with the seconds that the work took.
    """
    own = 0.0
    while True:
        began = perf_counter()
        end = _one_turn(work, until=began + _TURN_SECONDS)
        own += perf_counter() - began
        if end is not None:
            if took is not None:
                took(own)
            return end.result
        await asyncio.sleep(0)


def _one_turn(work: Generator[None, None, T], *, until: float) -> _End[T] | None:
    """Continue the work until the time ``until``. Returns its end, or None if it has not finished."""
    try:
        while perf_counter() < until:
            next(work)
    except StopIteration as end:
        # The exception itself is not returned: it would be in a cycle of references with this frame, the caller's and
        # the result.
        return _End(end.value)
    return None
