"""Works for a few gangs at once, so that a slow gang does not delay the others."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial

from coschedule import GangKey
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

log = logging.getLogger(__name__)

Take = Callable[[Callable[[str], bool]], GangKey | None]
"""Takes out of a queue the next gang whose namespace is not busy; None if there is none.

The argument is a function that returns whether a namespace is busy.
"""


class Workers:
    """Works for ``at_once`` gangs at the same time, at most ``of_namespace`` of them in one namespace.

    ``take`` returns the next gang whenever a worker is free. An exception of ``work`` affects only its gang.
    """

    def __init__(
        self, take: Take, work: Callable[[GangKey], Awaitable[None]], *, at_once: int, of_namespace: int
    ) -> None:
        self._take = take
        self._work = work
        self._at_once = at_once
        self._of_namespace = of_namespace
        self._tasks: set[asyncio.Task[None]] = set()
        self._at_work: dict[GangKey, asyncio.Task[None]] = {}
        self._busy: Counter[str] = Counter()

    def wake(self) -> None:
        """Take waiting gangs while a worker is free."""
        while len(self._tasks) < self._at_once:
            gang = self._take(self._is_busy)
            if gang is None:
                return
            task = self._at_work[gang] = asyncio.create_task(self._guarded(gang))
            self._tasks.add(task)
            self._busy[gang.namespace] += 1
            task.add_done_callback(partial(self._ended, gang))

    def is_at_work(self, gang: GangKey) -> bool:
        """Whether work for that gang is in progress and not cancelled."""
        return gang in self._at_work

    def cancel(self, gang: GangKey) -> None:
        """Cancel the work for that gang."""
        task = self._at_work.pop(gang, None)
        if task is not None:
            task.cancel()

    async def stop(self) -> None:
        """Cancel all work, and start no more."""
        self._at_once = 0
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _is_busy(self, namespace: str) -> bool:
        return self._busy[namespace] >= self._of_namespace

    async def _guarded(self, gang: GangKey) -> None:
        work_for(gang)
        try:
            await self._work(gang)
        except Exception:
            log.exception("work for the gang stopped with an error", extra=about(gang))
        finally:
            if self._at_work.get(gang) is asyncio.current_task():
                del self._at_work[gang]

    def _ended(self, gang: GangKey, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._busy[gang.namespace] -= 1
        if not self._busy[gang.namespace]:
            del self._busy[gang.namespace]
        self.wake()
