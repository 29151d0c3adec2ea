"""Whose request is sent next, where only so many may be under way at once."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from enum import IntEnum

# Of so many turns one goes first to each less urgent kind, so that nobody waits for ever.
_ROUND = 8


class Urgency(IntEnum):
    """What a request is for, most urgent first."""

    ACT = 0
    DELETE = 1
    REPORT = 2


class Turns:
    """So many at once, the most urgent first and in the order in which they asked.

    Whoever waits for all others, in :meth:`lull`, is told when nobody is left.
    """

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: dict[Urgency, deque[asyncio.Future[None]]] = {urgency: deque() for urgency in Urgency}
        self._passed_on = 0
        self._asking = 0
        self._nobody = asyncio.Event()
        self._nobody.set()

    @asynccontextmanager
    async def turn(self, urgency: Urgency) -> AsyncIterator[None]:
        """Take a turn for the length of the block."""
        self._count(1)
        try:
            await self._take(urgency)
            try:
                yield
            finally:
                self._pass_on()
        finally:
            self._count(-1)

    def count_for(self, seconds: float) -> None:
        """Let :meth:`lull` wait for so long: what was done in a turn that is over may have its effect then."""
        self._count(1)
        asyncio.get_running_loop().call_later(seconds, self._count, -1)

    async def lull(self, at_most_seconds: float) -> bool:
        """Wait until nobody takes or waits for a turn, or the time is up; returns whether nobody does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_seconds):
                await self._nobody.wait()
        return self._nobody.is_set()

    def _count(self, difference: int) -> None:
        self._asking += difference
        if self._asking:
            self._nobody.clear()
        else:
            self._nobody.set()

    async def _take(self, urgency: Urgency) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting[urgency].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # It was given in the same moment: somebody else must have it.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a turn to whoever is next; who gave up waiting is passed over."""
        for urgency in self._order():
            waiting = self._waiting[urgency]
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    self._passed_on += 1
                    turn.set_result(None)
                    return
        self._free += 1

    def _order(self) -> Iterator[Urgency]:
        """Whom to ask first, second, …: mostly by urgency, but each of the others has its turns too."""
        favoured = self._passed_on % _ROUND
        if favoured in (Urgency.DELETE, Urgency.REPORT):
            yield Urgency(favoured)
        yield from Urgency
