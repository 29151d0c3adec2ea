"""How long the event loop is held at a time: whatever does not give way keeps all else waiting."""

import asyncio
from collections.abc import Callable

PERIOD_SECONDS = 0.05


async def watch_loop(observe: Callable[[float], None], monotonic: Callable[[], float]) -> None:
    """Tell ``observe`` again and again how much later than asked for this has its turn; until cancelled.

    What holds the loop while nothing is due is seen less the time until something would have been, a twentieth of a
    second at most.
    """
    while True:
        due = monotonic() + PERIOD_SECONDS
        await asyncio.sleep(PERIOD_SECONDS)
        observe(max(0.0, monotonic() - due))
