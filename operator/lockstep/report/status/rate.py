"""How many reports per second: what is said about many gangs must not be the load that they wait behind."""

import asyncio

# Below it a clock may not move at all.
_SHORTEST_SECONDS = 0.001


class Rate:
    """Lets so many a second pass, and a burst of so many after a rest; who asks first passes first.

    Half of the burst is there for the urgent ones alone, so that the others never keep them waiting.
    """

    def __init__(self, *, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = burst
        self._counted_at = asyncio.get_running_loop().time()
        self._first_of_urgent = asyncio.Lock()
        self._first_of_others = asyncio.Lock()

    async def urgent(self) -> None:
        """Wait until one more may pass."""
        async with self._first_of_urgent:
            await self._pass(leaving=0.0)

    async def other(self) -> None:
        """Wait until one more may pass, and none that is urgent wants to."""
        async with self._first_of_others:
            await self._pass(leaving=self._burst / 2)

    async def _pass(self, *, leaving: float) -> None:
        while (missing := 1 + leaving - self._count()) > 0:  # noqa: ASYNC110 - time is what is waited for
            await asyncio.sleep(max(missing / self._per_second, _SHORTEST_SECONDS))
        self._left -= 1

    def _count(self) -> float:
        now = asyncio.get_running_loop().time()
        self._left = min(self._burst, self._left + (now - self._counted_at) * self._per_second)
        self._counted_at = now
        return self._left
