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
    """What the work has returned."""

    result: T


async def in_turns(work: Generator[None, None, T], took: Callable[[float], None] | None = None) -> T:
    """Run a generator that yields wherever it may be interrupted, and return its result.

    After each turn of 5 ms all other due tasks run. At the end ``took`` is called with the seconds spent in the work.
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
    """Continue the work until ``until``; returns its end if it has finished."""
    try:
        while perf_counter() < until:
            next(work)
    except StopIteration as end:
        # Not the exception itself: it would be in a cycle of references with this frame, the caller's and the result.
        return _End(end.value)
    return None
