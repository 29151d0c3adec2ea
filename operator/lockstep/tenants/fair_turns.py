"""Fair turns for work that is done one piece at a time: parties take turns, however much each party asks for."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MOST_WAITING, MOST_OF_PARTY = 32, 4
"""At most this number of turns may wait, in total and for one party."""


class TooManyWaitError(Exception):
    """Too many turns wait already, or another party has got the place of this turn."""


_Turn = asyncio.Future[None]


class FairTurns:
    """Gives one turn at a time. Parties take turns.

    If all places are taken, the party with the most places loses its last place to a party with at least two fewer.
    """

    def __init__(self) -> None:
        # The waiting turns of each party, in the order of the parties' next turns. No queue is empty.
        self._waiting: dict[str, deque[_Turn]] = {}
        self._is_taken = False

    @asynccontextmanager
    async def turn(self, party: str) -> AsyncIterator[None]:
        """Wait for a turn of that party, and keep it while the block runs. Raises ``TooManyWaitError``."""
        if self._is_taken:
            await self._wait(party)
        self._is_taken = True
        try:
            yield
        finally:
            self._is_taken = False
            self._wake_next()

    async def _wait(self, party: str) -> None:
        self._make_room(party)
        turn: _Turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(party, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                # This task already had the turn, so the next waiting task gets the turn.
                self._is_taken = False
                self._wake_next()
            self._leave(party, turn)
            raise

    def _make_room(self, party: str) -> None:
        own = len(self._waiting.get(party, ()))
        if own >= MOST_OF_PARTY:
            raise TooManyWaitError
        if sum(map(len, self._waiting.values())) < MOST_WAITING:
            return
        largest = max(self._waiting, key=lambda one: len(self._waiting[one]))
        if len(self._waiting[largest]) <= own + 1:
            raise TooManyWaitError
        self._waiting[largest].pop().set_exception(TooManyWaitError())

    def _wake_next(self) -> None:
        while self._waiting:
            party = next(iter(self._waiting))
            turns = self._waiting.pop(party)
            turn = turns.popleft()
            if turns:
                self._waiting[party] = turns
            if not turn.done():
                # From now on the turn is taken: a party that asks before the woken task runs must wait.
                self._is_taken = True
                turn.set_result(None)
                return

    def _leave(self, party: str, turn: _Turn) -> None:
        turns = self._waiting.get(party)
        if turns is None or turn not in turns:
            return
        turns.remove(turn)
        if not turns:
            del self._waiting[party]
