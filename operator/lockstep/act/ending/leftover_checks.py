"""Asks the API server for members that may be left from attempts without a gang or a reservation."""

import asyncio
import logging

from lockstep.act.members.group_reads import refresh_pods
from lockstep.act.members.member_reads import refresh_members
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import LANDING_SECONDS
from lockstep.api.client.pauses import pause_after
from lockstep.belief.holding.leftovers import Leftover
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# The most checks at once. A thousand gangs may be deleted together, but only few of them still have unseen members one
# second later.
_MOST_AT_ONCE = 8

log = logging.getLogger(__name__)


class LeftoverChecks:
    """Checks leftovers beside the cycle. Their members count until the API server has answered."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._state = services.state
        self._at_once = asyncio.Semaphore(_MOST_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Check leftovers that are new since the last call."""
        for one in self._state.assumptions.leftovers.take():
            task = asyncio.create_task(self._check(one))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel all checks. After a restart, the operator lists all pods before it plans."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _check(self, one: Leftover) -> None:
        work_for(one.gang.key)
        # The API server may still carry out requests of an attempt that was cancelled.
        await asyncio.sleep(LANDING_SECONDS)
        checks = 0
        while not await self._is_known(one):
            await asyncio.sleep(pause_after(checks))
            checks += 1
        self._state.assumptions.stop_counting_leftover(one)

    async def _is_known(self, one: Leftover) -> bool:
        """Whether the cache has all existing members.

        The API server is asked only if watches have not shown all of them.
        """
        if not self._state.assumptions.leftovers.is_unseen(one):
            return True
        try:
            async with self._at_once:
                await self._refresh(one)
        except ApiUnavailableError as error:
            log.warning("the remaining pods of the gang could not be listed: %s", error, extra=about(one.gang.key))
            return False
        except Exception:
            # This is an error in the operator, or an invalid answer. Without a check, the members would count for ever.
            log.exception("the check of the gang's remaining pods stopped with an error", extra=about(one.gang.key))
            return False
        return True

    async def _refresh(self, one: Leftover) -> None:
        client = self._services.client
        if is_pod_gang(one.gang.key):
            await refresh_pods(client, self._state, one.gang.key)
        else:
            await refresh_members(client, self._state, one.gang, one.reservation.attempt)
