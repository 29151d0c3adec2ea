"""Asks the API server whether a predecessor exists that the cache does not have.

A gang may fail because a predecessor is missing, and this failure is final. A watch may show a large object later than
a small one that was created after it. So only the API server's answer to a request counts, and the request must be sent
after the gang was seen.
"""

import asyncio
import logging

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.runs.sweep_keys import is_sweep
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.watch.kinds import kind_of
from lockstep.watch.reader import Reader

log = logging.getLogger(__name__)

# The number of requests at the same time. Thousands of gangs may wait for as many missing predecessors.
_AT_ONCE = 4


class MissingPredecessors:
    """Asks about predecessors. A gang is reconciled again after each answer."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._tasks: dict[GangKey, asyncio.Task[None]] = {}
        self._missing: dict[GangKey, tuple[str, GangKey]] = {}
        self._failures: dict[GangKey, int] = {}

    def is_missing(self, gang: GangFact, predecessor: GangKey) -> bool:
        """Whether the API server has said that the predecessor is missing. If not, begin to ask the API server."""
        if self._missing.get(gang.key) == (gang.uid, predecessor):
            return True
        if gang.key not in self._tasks:
            self._tasks[gang.key] = asyncio.create_task(self._ask(gang, predecessor))
        return False

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone, or that waits for no missing predecessor."""
        self._missing.pop(gang, None)
        self._failures.pop(gang, None)
        task = self._tasks.pop(gang, None)
        if task is not None:
            task.cancel()

    async def stop(self) -> None:
        """Cancel all requests."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, gang: GangFact, predecessor: GangKey) -> None:
        work_for(gang.key)
        try:
            await asyncio.sleep(await self._pause_after_reading(gang, predecessor))
        finally:
            if self._tasks.get(gang.key) is asyncio.current_task():
                del self._tasks[gang.key]
                self._state.changes.reconcile(gang.key)

    async def _pause_after_reading(self, gang: GangFact, predecessor: GangKey) -> float:
        """Read the predecessor. Returns the seconds until it may be read again, even if the read raises."""
        try:
            async with self._turns:
                return await self._read(gang, predecessor)
        except Exception:
            log.exception("%s in spec.after can't be read", object_name(predecessor), extra=about(gang.key))
            return self._failed(gang.key)

    async def _read(self, gang: GangFact, predecessor: GangKey) -> float:
        """Read the predecessor. Returns the seconds until it may be read again."""
        try:
            target = paths.sweep(predecessor) if is_sweep(predecessor) else paths.gang(predecessor)
            answer = await self._client.get(target)
        except ApiUnavailableError:
            return self._failed(gang.key)
        if answer.is_absence:
            self._missing[gang.key] = (gang.uid, predecessor)
            return 0.0
        if answer.is_success and self._is_watched(predecessor):
            await Reader(kind_of(self._state, predecessor)).accept(answer.body)
        # The cache has the predecessor now, or the answer was a refusal.
        return self._failed(gang.key)

    def _is_watched(self, predecessor: GangKey) -> bool:
        if is_sweep(predecessor):
            return self._state.sweeps.are_followed
        return bool(self._state.sources) or not is_pod_gang(predecessor)

    def _failed(self, gang: GangKey) -> float:
        failures = self._failures.get(gang, 0)
        self._failures[gang] = failures + 1
        return pause_after(failures)
