"""Writes the list of a Gang's hosts again after pods have left it by a change of its size.

The status says that the change is done only after the list is written. So after a restart, the operator writes the list
if it is not written.
"""

import asyncio
import logging
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.podgang.host_lists import HostListOfGang
from lockstep.act.requests.services import Services
from lockstep.api.client.pauses import pause_after
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

_AT_ONCE = 8

log = logging.getLogger(__name__)


class _Listed(NamedTuple):
    """The result of writing the list after the change that was decided at ``decided_at``.

    ``why_not`` is a clause that says why it can't be written; '' if it is written.
    """

    decided_at: float
    why_not: str


class HostsAfterChanges:
    """Writes lists beside the cycle, a few at once. Without an answer it tries again later.

    A Gang with a large list rests after each write.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._listed: dict[GangKey, _Listed] = {}
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def are_listed(self, gang: GangFact, decided_at: float) -> bool:
        """Whether nothing is left to be written after the change that was decided at ``decided_at``.

        If something is left, begins to write.
        """
        known, listed = self._services.state.pod_gangs.objects.get(gang.key), self._listed.get(gang.key)
        if known is None or not known.wants_host_list or (listed is not None and listed.decided_at == decided_at):
            return True
        if gang.key not in self._under_way:
            self._under_way[gang.key] = asyncio.create_task(self._write(gang, decided_at))
        return False

    def why_not(self, gang: GangKey) -> str:
        """Why the list still has pods that have left, as a clause; '' if it has none."""
        listed = self._listed.get(gang)
        return "" if listed is None else listed.why_not

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that no longer changes or is gone. Nothing is written for a Gang that is gone."""
        self._listed.pop(gang, None)

    async def stop(self) -> None:
        """Stop. After a restart, the operator writes the same lists."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _write(self, gang: GangFact, decided_at: float) -> None:
        work_for(gang.key)
        tries = 0
        try:
            while (failure := await self._try(gang)) is not None and failure.reason is Reason.API_UNAVAILABLE:
                await asyncio.sleep(pause_after(tries))
                tries += 1
        finally:
            del self._under_way[gang.key]
        if failure is not None:
            log.warning("the gang's list of hosts could not be updated: %s", failure.message, extra=about(gang.key))
        if gang.key in self._services.state.pod_gangs.objects:
            self._listed[gang.key] = _Listed(decided_at, "" if failure is None else failure.message)
            self._services.state.changes.reconcile(gang.key)

    async def _try(self, gang: GangFact) -> Failure | None:
        hosts = HostListOfGang(self._services, gang, gang.status.attempt)
        async with self._at_once:
            failure = await hosts.write(())
        await hosts.rest()
        return failure
