"""Waiting in tests: for a condition, with a deadline, never for a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

DEADLINE_SECONDS = 30.0
POLL_SECONDS = 0.05


def eventually(probe: Callable[[], T], *, seconds: float = DEADLINE_SECONDS, every: float = POLL_SECONDS) -> T:
    """Call ``probe`` until it returns something true, and return that.

    An AssertionError in the probe means "not yet". After the deadline the test fails with the
    probe's last AssertionError, or with the last thing it returned.
    """
    deadline = time.monotonic() + seconds
    while True:
        late = time.monotonic() > deadline
        try:
            found = probe()
        except AssertionError:
            if late:
                raise
        else:
            if found:
                return found
            assert not late, f"still {found!r} after {seconds:g} seconds"
        time.sleep(every)


async def eventually_async(probe: Callable[[], Awaitable[T]], *, seconds: float = DEADLINE_SECONDS) -> T:
    """Do what `eventually` does with a probe that has to be awaited, while the event loop goes on."""
    deadline = time.monotonic() + seconds
    while True:
        late = time.monotonic() > deadline
        try:
            found = await probe()
        except AssertionError:
            if late:
                raise
        else:
            if found:
                return found
            assert not late, f"still {found!r} after {seconds:g} seconds"
        await asyncio.sleep(POLL_SECONDS)
