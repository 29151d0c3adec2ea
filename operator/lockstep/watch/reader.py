"""Parses objects without blocking the event loop: small ones in turns of the loop, large ones in another thread.

Python runs one thread at a time and changes threads every few milliseconds, so the event loop goes on meanwhile. All
kinds share one such thread. So the event loop competes with one thread at most, however many objects are large.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Generic, TypeVar

import orjson

from lockstep.api.manifest import Manifest
from lockstep.watch.kind import Fact, NotUnderstood, Understood, WatchedKind

Read = TypeVar("Read")

BYTES_OF_TURN = 2**15
"""The most bytes of JSON that are parsed in one turn of the event loop. A larger object is parsed in the thread.

Python needs up to eleven instructions for a byte, so a turn takes less than 20 ms.
"""

_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")


class ReadingTurns:
    """Turns of the event loop in which the objects of one list or watch are parsed.

    A list or watch hands at most one large object at a time to the thread. So another list or watch waits for only one
    large object of this list or watch.
    """

    def __init__(self) -> None:
        self._large = asyncio.Lock()
        self._bytes_of_turn: float = 0

    async def read(self, parse: Callable[[Manifest], Read], manifest: Manifest) -> Read:
        """Return the result of ``parse`` for an object.

        A small object is parsed in this turn of the loop or the next one. A large object is parsed in the thread.
        """
        size = _size(manifest)
        if size > BYTES_OF_TURN:
            async with self._large:
                return await asyncio.get_running_loop().run_in_executor(_THREAD, parse, manifest)
        self._bytes_of_turn += size
        if self._bytes_of_turn > BYTES_OF_TURN:
            self._bytes_of_turn = size
            await asyncio.sleep(0)
        return parse(manifest)


class Reader(Generic[Fact]):
    """Parses objects of one kind."""

    def __init__(self, kind: WatchedKind[Fact]) -> None:
        self._kind = kind
        self._turns = ReadingTurns()

    async def accept(self, manifest: Manifest, *, was: str | None = None) -> None:
        """Parse an object, and add it to the cache or update it there.

        For an object of a list, ``was`` is the version that the cache had before the list began. If the API server was
        restored to an earlier state, such an object replaces a newer one in the cache.

        If the cache keeps versions of the kind, and the object is removed from the cache meanwhile, it stays removed.
        If a caller awaits each call, its objects are applied in the order of the calls. Several callers may have
        versions of one GangJob, Gang or GangSweep: then the cache keeps the newest.
        """
        key = self._kind.key(manifest)
        was_known = self._kind.version(key) is not None
        read = await self.read(manifest)
        if not was_known or self._kind.version(key) is not None:
            self._kind.drop_if_set_back(key, manifest["metadata"]["resourceVersion"], was=was)
            self._kind.take(read)

    async def read(self, manifest: Manifest) -> Understood[Fact] | NotUnderstood:
        """Parse an object, and return the fact or the error. The cache does not change."""
        return await self._turns.read(self._kind.read, manifest)


def is_large(manifest: Manifest) -> bool:
    """Whether the object is too large to be parsed in a turn of the event loop."""
    return _size(manifest) > BYTES_OF_TURN


def _size(manifest: Manifest) -> float:
    """The size of the object as compact JSON, in bytes; infinite if this JSON encoder can't write it."""
    try:
        return len(orjson.dumps(manifest))
    except orjson.JSONEncodeError:
        return inf
