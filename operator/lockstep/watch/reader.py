"""Objects are read so that the event loop is free for others: small objects in turns, a large one beside the loop.

A large object is read in a thread. Python runs one thread at a time and changes threads every few milliseconds, so the
event loop goes on meanwhile. All kinds share one thread: the loop has only one rival, however many objects are large.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any, Generic, TypeVar

import orjson

from lockstep.watch.kind import Fact, NotUnderstood, Understood, WatchedKind

Manifest = Mapping[str, Any]
Read = TypeVar("Read")

BYTES_OF_TURN = 2**16
"""At most so many bytes of JSON are read in one turn of the event loop. A larger object is read in the thread.

To read a byte takes up to eight instructions of Python, so a turn takes less than 25 ms.
"""

_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")


class ReadingTurns:
    """Turns of the event loop in which one list or watch is read.

    It has one large object in the thread at a time, so others wait for one only.
    """

    def __init__(self) -> None:
        self._large = asyncio.Lock()
        self._bytes_of_turn: float = 0

    async def read(self, parse: Callable[[Manifest], Read], manifest: Manifest) -> Read:
        """Parse an object: a small one in this turn or the next, a large one in the thread."""
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
    """Reads objects of one kind."""

    def __init__(self, kind: WatchedKind[Fact]) -> None:
        self._kind = kind
        self._turns = ReadingTurns()

    async def believe(self, manifest: Manifest) -> None:
        """Read an object and believe it, unless belief in it ends meanwhile.

        A caller that awaits this for each object has its objects believed in its order. Where several callers bring
        versions of one object, belief keeps the newest.
        """
        key = self._kind.key(manifest)
        was_known = self._kind.version(key) is not None
        read = await self.read(manifest)
        if not was_known or self._kind.version(key) is not None:
            self._kind.take(read)

    async def read(self, manifest: Manifest) -> Understood[Fact] | NotUnderstood:
        """Read an object, and believe nothing yet."""
        return await self._turns.read(self._kind.read, manifest)


def is_large(manifest: Manifest) -> bool:
    """Whether the object is too large to be read in a turn of the event loop."""
    return _size(manifest) > BYTES_OF_TURN


def _size(manifest: Manifest) -> float:
    """The bytes of the object as compact JSON; infinite where it holds what this JSON encoder can't write."""
    try:
        return len(orjson.dumps(manifest))
    except orjson.JSONEncodeError:
        return inf
