"""Writes to Workloads that wait when they start, or that they give their quota back.

Level-triggered: what follows from the status of a Gang is compared with what was written last.
"""

import asyncio
import logging
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.podgang.check_writes import write_checks
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.kueue.deciding import entry_due, next_moment
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.workload import CheckState, Workload
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# These are reports for people, and the statuses of Gangs say the same.
_AT_ONCE = 4
# After Kueue has given quota, the status may still be that of an earlier plan, and the process may have begun just now.
_SETTLING_SECONDS = 10.0
# What could not be written is tried again so much later.
_REST_SECONDS = 60.0

log = logging.getLogger(__name__)


class _Said(NamedTuple):
    """What was said of a Workload as it was then."""

    workload: str
    entry: CheckEntry


class CheckReports:
    """One write for each Workload at a time. It follows the status of its Gang, so it changes no more often."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._state = services.state
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._seen: dict[GangKey, tuple[str, float]] = {}
        self._rests: dict[GangKey, float] = {}
        self._written: dict[GangKey, _Said] = {}
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def check(self, gang: GangFact, now: float) -> None:
        """Begin to write what follows from the status of the Gang, if that is due."""
        workload, made = self._state.pod_gangs.workloads.awaiting(gang.key), self._state.pod_gangs.objects.get(gang.key)
        if workload is None or made is None or gang.key in self._under_way:
            return
        entry = entry_due(gang, made, workload, patience=self._services.quota_wait, now=now)
        settled = self._settled_at(workload, now)
        self._alarms.set(gang.key, next_moment(workload.quota_since, self._services.quota_wait, now))
        if entry is None or self._written.get(gang.key) == _Said(workload.version, entry):
            return
        begins = max(self._rests.get(gang.key, now), settled if entry.state is not CheckState.PENDING else now)
        if now < begins:
            self._alarms.set(gang.key, begins)
            return
        self._under_way[gang.key] = asyncio.create_task(self._write(workload, entry))

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone."""
        self._alarms.forget(gang)
        self._seen.pop(gang, None)
        self._rests.pop(gang, None)
        self._written.pop(gang, None)

    async def stop(self) -> None:
        """Stop: the next process compares the Workloads anew."""
        self._alarms.stop()
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    def _settled_at(self, workload: Workload, now: float) -> float:
        """From when on the status of the Gang is of a plan for the Workload as it is."""
        seen = self._seen.get(workload.gang)
        if seen is None or seen[0] != workload.version:
            seen = self._seen[workload.gang] = (workload.version, now)
        return seen[1] + _SETTLING_SECONDS

    async def _write(self, workload: Workload, entry: CheckEntry) -> None:
        work_for(workload.gang)
        try:
            why_not = await self._write_patiently(workload, entry)
        finally:
            del self._under_way[workload.gang]
        if why_not:
            log.info("its AdmissionCheck is not written: %s", why_not, extra=about(workload.gang))
            self._rests[workload.gang] = self._services.now() + _REST_SECONDS
        else:
            self._rests.pop(workload.gang, None)
            self._written[workload.gang] = _Said(workload.version, entry)
        # Its status may have changed meanwhile, and the Gang may be gone.
        self._state.changes.reconcile(workload.gang)

    async def _write_patiently(self, workload: Workload, entry: CheckEntry) -> str:
        tries = 0
        while True:
            try:
                async with self._at_once:
                    return await write_checks(self._services, workload, entry, Urgency.REPORT)
            except ApiUnavailableError as error:
                log.warning("its AdmissionCheck is not written yet: %s", error, extra=about(workload.gang))
            await asyncio.sleep(pause_after(tries))
            tries += 1
