"""Asks the API server one question about each gang, before something that no watch has shown counts as missing.

A watch may be behind: it may show an object late, or not at all. Only the API server's answer to a request counts, and
the request must be sent after the gang was seen.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from coschedule import GangKey
from lockstep.api.client.pauses import pause_after
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

Subject = TypeVar("Subject", bound=Hashable)

log = logging.getLogger(__name__)


class Questions(Generic[Subject]):
    """Asks a question about each gang until the answer is yes. A gang is reconciled again after each answer.

    ``ask`` sends the question about a gang and a subject, for example an attempt. Its result is False if the answer is
    no or does not come. Then a pause follows, which grows with each failure. ``at_once`` bounds the number of questions
    at the same time, because thousands of gangs may have one.
    """

    def __init__(self, state: State, ask: Callable[[GangFact, Subject], Awaitable[bool]], *, at_once: int) -> None:
        self._state = state
        self._ask = ask
        self._turns = asyncio.Semaphore(at_once)
        self._tasks: dict[GangKey, asyncio.Task[None]] = {}
        # The UID and the subject of gangs for which the answer was yes.
        self._confirmed: dict[GangKey, tuple[str, Subject]] = {}
        self._failures: dict[GangKey, int] = {}

    def is_confirmed(self, gang: GangFact, subject: Subject) -> bool:
        """Whether the answer was yes. If it was not, begin to ask."""
        if self._confirmed.get(gang.key) == (gang.uid, subject):
            return True
        if gang.key not in self._tasks:
            self._tasks[gang.key] = asyncio.create_task(self._ask_and_pause(gang, subject))
        return False

    def forget(self, gang: GangKey) -> None:
        """Forget the answer about a gang, and stop asking about it."""
        self._confirmed.pop(gang, None)
        self._failures.pop(gang, None)
        task = self._tasks.pop(gang, None)
        if task is not None:
            task.cancel()

    async def stop(self) -> None:
        """Stop asking about all gangs."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_and_pause(self, gang: GangFact, subject: Subject) -> None:
        work_for(gang.key)
        try:
            if not await self._is_yes(gang, subject):
                await self._pause(gang.key)
        finally:
            if self._tasks.get(gang.key) is asyncio.current_task():
                del self._tasks[gang.key]
                self._state.changes.reconcile(gang.key)

    async def _is_yes(self, gang: GangFact, subject: Subject) -> bool:
        try:
            async with self._turns:
                is_yes = await self._ask(gang, subject)
        except Exception:
            log.exception("a question about the gang failed: %s", subject, extra=about(gang.key))
            return False
        if is_yes:
            self._failures.pop(gang.key, None)
            self._confirmed[gang.key] = (gang.uid, subject)
        return is_yes

    async def _pause(self, gang: GangKey) -> None:
        failures = self._failures.get(gang, 0)
        self._failures[gang] = failures + 1
        await asyncio.sleep(pause_after(failures))
