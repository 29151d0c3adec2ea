"""The order of writes, of which only a limited number may be in progress."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, suppress
from enum import IntEnum

# In this number of turns, each urgency except the highest goes first once. So no write waits for ever.
_ROUND = 8


class Urgency(IntEnum):
    """The purpose of a request, the most urgent first. A gang is complete sooner if bindings go before creations.

    ``PREPARE`` is for objects for which no gang waits, such as the next runs of a sweep.
    """

    BIND = 0
    ACT = 1
    DELETE = 2
    REPORT = 3
    PREPARE = 4


ANYTHING = tuple(Urgency)
"""All purposes."""

PLACING = (Urgency.BIND, Urgency.ACT, Urgency.DELETE)
"""The purposes of requests that place gangs or tear them down."""

_FAVOURED = frozenset(Urgency) - {Urgency.BIND}


class WriteTurns:
    """Gives at most ``at_once`` turns at the same time.

    Usually the most urgent waiter goes first. Equally urgent waiters go in the order of their arrival.
    """

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: dict[Urgency, deque[asyncio.Future[None]]] = {urgency: deque() for urgency in Urgency}
        self._passed_on = 0
        self._asking = dict.fromkeys(Urgency, 0)
        self._idle = {urgency: asyncio.Event() for urgency in Urgency}
        for idle in self._idle.values():
            idle.set()

    @asynccontextmanager
    async def turn(self, urgency: Urgency) -> AsyncIterator[None]:
        """Wait for a turn, and keep it while the block runs."""
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
        """Let :meth:`wait_until_idle` count one more turn for these seconds, after a turn whose request was cancelled.

        The API server may still carry out this request.
        """
        self._count(urgency, 1)
        asyncio.get_running_loop().call_later(seconds, self._count, urgency, -1)

    async def wait_until_idle(self, at_most_seconds: float, of: Collection[Urgency] = ANYTHING) -> bool:
        """Wait, for a limited time, until no turn of these urgencies is taken or awaited.

        Returns False if the time is over before that.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_seconds):
                while busy := [self._idle[urgency] for urgency in of if self._asking[urgency]]:
                    await busy[0].wait()
        return not any(self._asking[urgency] for urgency in of)

    def _count(self, urgency: Urgency, difference: int) -> None:
        self._asking[urgency] += difference
        if self._asking[urgency]:
            self._idle[urgency].clear()
        else:
            self._idle[urgency].set()

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
                # This waiter got the turn at the same moment, so it passes the turn on.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next waiter that was not cancelled. If there is none, the turn is free."""
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
        """The urgencies in the order in which their waiters are considered for the next turn: the highest first.

        But in four of eight turns, a lower urgency comes before all others. It occurs again at its usual place.
        """
        favoured = self._passed_on % _ROUND
        if favoured in _FAVOURED:
            yield Urgency(favoured)
        yield from Urgency
