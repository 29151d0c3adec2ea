"""Waiting in tests: for a condition, with a deadline, never for a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

DEADLINE_SECONDS = 90.0
POLL_SECONDS = 0.05
# What has not come soon is asked for less often: most questions cost an API server as much as a small change.
RARE_POLL_SECONDS = 0.25
POLLS_IN_WHAT_WAS_WAITED = 20


def eventually(probe: Callable[[], T], *, seconds: float = DEADLINE_SECONDS, every: float = POLL_SECONDS) -> T:
    """Call ``probe`` until it returns something true, and return that.

    An AssertionError in the probe means "not yet". After the deadline the test fails with the
    probe's last AssertionError, or with the last thing it returned.
    """
    began = time.monotonic()
    while True:
        waited = time.monotonic() - began
        try:
            found = probe()
        except AssertionError:
            if waited > seconds:
                raise
        else:
            if found:
                return found
            assert waited <= seconds, f"still {found!r} after {seconds:g} seconds"
        time.sleep(_pause(waited, every))


async def eventually_async(probe: Callable[[], Awaitable[T]], *, seconds: float = DEADLINE_SECONDS) -> T:
    """Do what `eventually` does with a probe that has to be awaited, while the event loop goes on."""
    began = time.monotonic()
    while True:
        waited = time.monotonic() - began
        try:
            found = await probe()
        except AssertionError:
            if waited > seconds:
                raise
        else:
            if found:
                return found
            assert waited <= seconds, f"still {found!r} after {seconds:g} seconds"
        await asyncio.sleep(_pause(waited, POLL_SECONDS))


def _pause(waited: float, every: float) -> float:
    """How long to wait before the next question, in seconds."""
    return max(every, min(waited / POLLS_IN_WHAT_WAS_WAITED, RARE_POLL_SECONDS))
