"""Limits the reports per second, so that reports about many gangs do not delay these gangs."""

import asyncio

# In seconds. In a shorter time a clock may not advance.
_SHORTEST_SECONDS = 0.001
# In seconds. After this time, the first of the other requests waits among the urgent ones.
_PATIENCE_SECONDS = 1.0


class Rate:
    """Lets ``per_second`` requests pass each second in their order, and up to ``burst`` at once after a pause.

    Half of the burst is reserved for urgent requests, so that other requests do not delay them. If urgent requests take
    the whole rate, one other request passes each second, so that no request waits for ever.
    """

    def __init__(self, *, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = burst
        self._counted_at = asyncio.get_running_loop().time()
        self._first_of_urgent = asyncio.Lock()
        self._first_of_others = asyncio.Lock()

    async def urgent(self) -> None:
        """Wait until one more urgent request may pass."""
        async with self._first_of_urgent:
            await self._pass(leaving=0.0)

    async def other(self) -> None:
        """Wait until one more request may pass that is not urgent."""
        async with self._first_of_others:
            try:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._pass(leaving=self._burst / 2)
            except TimeoutError:
                await self.urgent()

    async def _pass(self, *, leaving: float) -> None:
        while (missing := 1 + leaving - self._count()) > 0:  # noqa: ASYNC110 - time is what is waited for
            await asyncio.sleep(max(missing / self._per_second, _SHORTEST_SECONDS))
        self._left -= 1

    def _count(self) -> float:
        now = asyncio.get_running_loop().time()
        self._left = min(self._burst, self._left + (now - self._counted_at) * self._per_second)
        self._counted_at = now
        return self._left
