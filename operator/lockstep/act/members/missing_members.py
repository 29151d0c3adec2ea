"""Asks the API server for members that no watch has shown, before their gang counts as having lost them.

A new leader reads the statuses of gangs anew, but its watch of pods may be behind the previous leader's. So members of
a placed gang may run although this process has never seen them.
"""

import asyncio
import logging

from coschedule import GangKey
from lockstep.act.members.member_reads import refresh_members
from lockstep.act.requests.services import Services
from lockstep.api.client.pauses import pause_after
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# The number of lists at the same time. After a long pause of the operator, members of many gangs may be missing.
_AT_ONCE = 8

log = logging.getLogger(__name__)


class MissingMembers:
    """Lists the members of attempts. A gang is reconciled again after each list."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._tasks: dict[GangKey, asyncio.Task[None]] = {}
        # The UID and the attempt of gangs whose existing members are all in the cache.
        self._listed: dict[GangKey, tuple[str, int]] = {}
        self._failures: dict[GangKey, int] = {}

    def are_missing(self, gang: GangFact, reservation: Reservation) -> bool:
        """Whether members that no watch has shown do not exist. If this is unknown, begin to list the members."""
        if self._listed.get(gang.key) == (gang.uid, reservation.attempt):
            return True
        if gang.key not in self._tasks:
            self._tasks[gang.key] = asyncio.create_task(self._ask(gang, reservation.attempt))
        return False

    def forget(self, gang: GangKey) -> None:
        """Forget a gang whose attempt has ended."""
        self._listed.pop(gang, None)
        self._failures.pop(gang, None)
        task = self._tasks.pop(gang, None)
        if task is not None:
            task.cancel()

    async def stop(self) -> None:
        """Cancel all lists."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, gang: GangFact, attempt: int) -> None:
        work_for(gang.key, attempt)
        try:
            await asyncio.sleep(await self._pause_after_list(gang, attempt))
        finally:
            if self._tasks.get(gang.key) is asyncio.current_task():
                del self._tasks[gang.key]
                self._state.changes.reconcile(gang.key)

    async def _pause_after_list(self, gang: GangFact, attempt: int) -> float:
        """List the members. Returns the seconds until they may be listed again, even if the list raises."""
        try:
            async with self._turns:
                await refresh_members(self._client, self._state, gang, attempt)
        except Exception as error:  # noqa: BLE001 - whatever it was, only an answer shows which members are missing
            log.warning("the gang's members can't be listed: %s", error, extra=about(gang.key))
            failures = self._failures.get(gang.key, 0)
            self._failures[gang.key] = failures + 1
            return pause_after(failures)
        self._failures.pop(gang.key, None)
        self._listed[gang.key] = (gang.uid, attempt)
        return 0.0
