"""Results of requests to the API server. They are kept for some seconds, and shared by concurrent questions."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

KEPT_SECONDS = 10.0
"""How long a result is kept, in seconds. A change may go unnoticed for this time."""

_MOST_KEPT = 1024

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class _SharedResult(NamedTuple, Generic[Result]):
    asking: asyncio.Future[Result]
    until: float


class SharedResults(Generic[Key, Result]):
    """The result for each key. If a request fails, all callers that wait get the error. Errors are not kept."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._kept: OrderedDict[Key, _SharedResult[Result]] = OrderedDict()

    async def get(self, key: Key, ask: Callable[[], Awaitable[Result]]) -> Result:
        """The kept result for the key, or a new result of ``ask``."""
        kept = self._kept.get(key)
        if kept is None or self._monotonic() >= kept.until:
            kept = self._asked(key, ask)
        try:
            return await asyncio.shield(kept.asking)
        except Exception:
            if self._kept.get(key) is kept:
                del self._kept[key]
            raise

    def _asked(self, key: Key, ask: Callable[[], Awaitable[Result]]) -> _SharedResult[Result]:
        kept = _SharedResult(asyncio.ensure_future(ask()), self._monotonic() + KEPT_SECONDS)
        self._kept[key] = kept
        self._kept.move_to_end(key)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return kept
