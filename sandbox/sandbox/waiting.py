"""Waiting for a condition, with a deadline."""

import time
from collections.abc import Callable

from sandbox.errors import SandboxError

POLL_SECONDS = 0.05


def wait_until(condition: Callable[[], bool], *, seconds: float, what: str) -> None:
    """Return as soon as ``condition`` holds.

    Raises SandboxError, which names ``what``, if the condition does not hold within ``seconds``.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SandboxError(f"Waited {seconds:g} seconds for {what}.")
        time.sleep(POLL_SECONDS)
