"""Updates the files of members if members may join and leave: the list of members, and the number of its changes.

The files follow from the status. The operator writes them once for each change, and once after a restart.
"""

import asyncio
import logging
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.requests.network import Network
from lockstep.act.requests.services import Services
from lockstep.api.client.pauses import pause_after
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

log = logging.getLogger(__name__)


class _Written(NamedTuple):
    """The version of the list of members that the files have."""

    gang_uid: str
    attempt: int
    changes: int


class MemberFiles:
    """Writes the files of gangs whose members may join and leave."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._written: dict[GangKey, _Written] = {}
        self._failures: dict[GangKey, int] = {}
        self._writing: dict[GangKey, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, gang: AcceptedGang, reservation: Reservation) -> None:
        """Write the files, unless they already have these members."""
        wanted = _Written(gang.uid, reservation.attempt, gang.status.member_changes)
        if not wanted.changes or self._written.get(gang.key) == wanted:
            return
        self._stop_writing(gang.key)
        self._written[gang.key] = wanted
        task = self._writing[gang.key] = asyncio.create_task(self._write(gang, reservation, wanted))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def forget(self, gang: GangKey) -> None:
        """Drop a gang whose attempt has ended, or to which new members are added.

        The code that creates these members writes the files itself.
        """
        self._stop_writing(gang)
        self._written.pop(gang, None)
        self._failures.pop(gang, None)

    async def stop(self) -> None:
        """Stop all work. After a restart, the operator writes the files."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _stop_writing(self, gang: GangKey) -> None:
        """Stop writing an earlier list of members, because it must not replace the newer one."""
        task = self._writing.pop(gang, None)
        if task is not None:
            task.cancel()

    async def _write(self, gang: AcceptedGang, reservation: Reservation, wanted: _Written) -> None:
        work_for(gang.key, reservation.attempt)
        failure = await self._make(gang, reservation)
        if failure is None:
            self._failures.pop(gang.key, None)
            return
        log.warning("the gang's members still have the old list of members: %s", failure.message, extra=about(gang.key))
        failures = self._failures.get(gang.key, 0)
        self._failures[gang.key] = failures + 1
        await asyncio.sleep(pause_after(failures))
        if self._written.get(gang.key) == wanted:
            del self._written[gang.key]
            self._services.state.changes.reconcile(gang.key)

    async def _make(self, gang: AcceptedGang, reservation: Reservation) -> Failure | None:
        try:
            return await Network(self._services.client, gang, reservation).make()
        except Exception:
            # This is an error in the operator, or an invalid answer. The files must not stay old for ever.
            log.exception("writing the files of the gang's members stopped with an error", extra=about(gang.key))
            return Failure(reason=Reason.API_UNAVAILABLE, message="an error in the operator: see its log")
