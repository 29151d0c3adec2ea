"""Which namespaces may have their dealers read: the longer a namespace's dealers take, the longer it rests.

The dealers belong to tenants, and may be slow on purpose. So a namespace has one turn at a time, and then rests for
several times as long as the turn took. Whatever its dealers do, the namespace has a connection for at most a fifth of
the time. There are enough connections for hundreds of such namespaces, and all others are read in every round.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

_RESTS_TIMES_AS_LONG = 4.0
# Each turn has one connection, and reads at most 25 kB for an answer.
_MOST_TURNS = 64


class NamespaceTurns:
    """The turns that are under way, and the rests of namespaces. ``monotonic`` returns seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._connections = asyncio.Semaphore(_MOST_TURNS)
        self._under_way: set[str] = set()
        self._rests_until: dict[str, float] = {}

    def may_begin(self, namespace: str) -> bool:
        """Whether the namespace has no turn and does not rest."""
        return namespace not in self._under_way and self._rests_until.get(namespace, 0.0) <= self._monotonic()

    @asynccontextmanager
    async def turn(self, namespace: str) -> AsyncIterator[None]:
        """Wait for a connection. After the turn, the namespace rests, in proportion to its time with the connection."""
        self._under_way.add(namespace)
        try:
            async with self._connections:
                began = self._monotonic()
                try:
                    yield
                finally:
                    ended = self._monotonic()
                    self._rests_until[namespace] = ended + _RESTS_TIMES_AS_LONG * (ended - began)
        finally:
            self._under_way.discard(namespace)

    def forget_rested(self) -> None:
        """Drop the rests that are over."""
        now = self._monotonic()
        self._rests_until = {namespace: until for namespace, until in self._rests_until.items() if until > now}
