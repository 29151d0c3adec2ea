"""Gives turns to tasks, a few at a time. Namespaces alternate: many tasks of one do not delay tasks of another."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class AlternatingTurns:
    """Gives at most ``at_once`` turns at the same time."""

    def __init__(self, at_once: int) -> None:
        # The number of free turns. It is 0 while any task waits for a turn.
        self._free = at_once
        # The first namespace has the next turn. No list is empty.
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, namespace: str) -> AsyncIterator[None]:
        """Wait for a turn of that namespace, and hold it while the block runs."""
        await self._take(namespace)
        try:
            yield
        finally:
            self._pass_on()

    async def _take(self, namespace: str) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(namespace, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # The task was given its turn just before it was cancelled.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next task that waits and was not cancelled."""
        while self._waiting:
            namespace, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[namespace] = turns
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
