"""Turns for work of which one piece at a time is done: each party has one in turn, however much it asks for."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MOST_WAITING, MOST_OF_PARTY = 32, 4
"""So many wait at once, and so many of one party."""


class TooManyWaitError(Exception):
    """So many wait that no more may, or one of another party has taken the place."""


_Turn = asyncio.Future[None]


class FairTurns:
    """One turn at a time. When all places are taken, the party with the most loses its last to one that has fewer."""

    def __init__(self) -> None:
        # Parties in the order of their next turns; of each the turns that it waits for. No list is empty.
        self._waiting: dict[str, deque[_Turn]] = {}
        self._is_taken = False

    @asynccontextmanager
    async def turn(self, party: str) -> AsyncIterator[None]:
        """Wait for a turn of that party, and have it while the block runs. Raises ``TooManyWaitError``."""
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
                # The turn had come, and goes to the next.
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
                # The place is kept for it: one who comes before it runs must wait.
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
