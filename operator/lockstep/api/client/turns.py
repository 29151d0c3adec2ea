"""The order of writes, where only a limited number may be in progress."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, suppress
from enum import IntEnum

# In turns: each less urgent kind goes first once in this number of turns, so that none waits for ever.
_ROUND = 8


class Urgency(IntEnum):
    """The purpose of a request, most urgent first. A gang is whole sooner if bindings go before creations.

    ``PREPARE`` is for what no gang waits for, such as the next runs of a sweep: all else goes first.
    """

    BIND = 0
    ACT = 1
    DELETE = 2
    REPORT = 3
    PREPARE = 4


ANYTHING = tuple(Urgency)
"""All purposes."""

PLACING = (Urgency.BIND, Urgency.ACT, Urgency.DELETE)
"""The purposes of requests that place and undo gangs."""

_FAVOURED = frozenset(Urgency) - {Urgency.BIND}


class WriteTurns:
    """At most ``at_once`` turns at the same time, the most urgent first, then in order of arrival.

    :meth:`lull` waits until no turn is taken or waited for.
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
        """Let :meth:`lull` wait for so long, since a request of an ended turn may still have an effect."""
        self._count(urgency, 1)
        asyncio.get_running_loop().call_later(seconds, self._count, urgency, -1)

    async def lull(self, at_most_seconds: float, of: Collection[Urgency] = ANYTHING) -> bool:
        """Wait until no turn of these urgencies is taken or waited for, or the time is up; returns whether none is."""
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
                # The turn was given at the same moment: pass it on.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next waiter that was not cancelled."""
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
        """The order of urgencies for the next turn.

        Usually the most urgent goes first, but each other kind does at times.
        """
        favoured = self._passed_on % _ROUND
        if favoured in _FAVOURED:
            yield Urgency(favoured)
        yield from Urgency
