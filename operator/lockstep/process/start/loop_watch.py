"""Measures how long single steps block the event loop."""

import asyncio
from collections.abc import Callable

PERIOD_SECONDS = 0.05


async def watch_loop(observe: Callable[[float], None], monotonic: Callable[[], float]) -> None:
    """Sleep again and again, and report to ``observe`` how many seconds late each wake-up is; until cancelled.

    If a step begins during the sleep, its measured time is too short by the rest of the sleep, which is at most 0.05 s.
    """
    while True:
        due = monotonic() + PERIOD_SECONDS
        await asyncio.sleep(PERIOD_SECONDS)
        observe(max(0.0, monotonic() - due))
