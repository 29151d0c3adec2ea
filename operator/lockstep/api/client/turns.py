"""Whose request is sent next, where only so many may be under way at once."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, suppress
from enum import IntEnum

# Of so many turns one goes first to each less urgent kind, so that nobody waits for ever.
_ROUND = 8


class Urgency(IntEnum):
    """What a request is for, most urgent first. A gang is whole sooner if its bindings go before creations."""

    BIND = 0
    ACT = 1
    DELETE = 2
    REPORT = 3


ANYTHING = tuple(Urgency)
"""Whatever a request is for."""

PLACING = (Urgency.BIND, Urgency.ACT, Urgency.DELETE)
"""What gangs are placed and undone by."""


class WriteTurns:
    """So many at once, the most urgent first and in the order in which they asked.

    Whoever waits for others to end, in :meth:`lull`, is told when none of them is left.
    """

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: dict[Urgency, deque[asyncio.Future[None]]] = {urgency: deque() for urgency in Urgency}
        self._passed_on = 0
        self._asking = dict.fromkeys(Urgency, 0)
        self._nobody = {urgency: asyncio.Event() for urgency in Urgency}
        for nobody in self._nobody.values():
            nobody.set()

    @asynccontextmanager
    async def turn(self, urgency: Urgency) -> AsyncIterator[None]:
        """Take a turn for the length of the block."""
        self._count(urgency, 1)
        try:
            await self._take(urgency)
            try:
                yield
            finally:
                self._pass_on()
        finally:
            self._count(urgency, -1)

    def count_for(self, seconds: float, urgency: Urgency) -> None:
        """Let :meth:`lull` wait for so long: what was done in a turn that is over may have its effect then."""
        self._count(urgency, 1)
        asyncio.get_running_loop().call_later(seconds, self._count, urgency, -1)

    async def lull(self, at_most_seconds: float, of: Collection[Urgency] = ANYTHING) -> bool:
        """Wait until none of these takes or waits for a turn, or the time is up; returns whether none does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_seconds):
                while somebody := [self._nobody[urgency] for urgency in of if self._asking[urgency]]:
                    await somebody[0].wait()
        return not any(self._asking[urgency] for urgency in of)

    def _count(self, urgency: Urgency, difference: int) -> None:
        self._asking[urgency] += difference
        if self._asking[urgency]:
            self._nobody[urgency].clear()
        else:
            self._nobody[urgency].set()

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
        if favoured in (Urgency.ACT, Urgency.DELETE, Urgency.REPORT):
            yield Urgency(favoured)
        yield from Urgency
