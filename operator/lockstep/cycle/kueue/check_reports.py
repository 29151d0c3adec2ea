"""Writes reports to waiting Workloads: when they are likely to start, or that they give their quota back.

The module is level-triggered: it compares what follows from the status of a Gang with what was written last.
"""

from functools import partial
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.podgang.check_writes import write_checks
from lockstep.act.requests.services import Services
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.kueue.deciding import entry_due, next_moment
from lockstep.cycle.kueue.patient_writes import PatientWrites
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.workload import CheckState, Workload

# People read these reports, and the statuses of Gangs say the same. So a few at once are enough.
_AT_ONCE = 4
# In seconds. When Kueue has given quota, or the operator has just started, the status may still be from an earlier
# plan. So the operator waits this long before it gives the quota back or rejects the Workload.
_SETTLING_SECONDS = 10.0


class _WrittenEntry(NamedTuple):
    """A written entry, and the version of the Workload for which it was written."""

    workload: str
    entry: CheckEntry


class CheckReports:
    """Writes to Workloads, one write at a time for each.

    Reports follow from the status of the Gang, so there are no more writes than changes of this status.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._state = services.state
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._writes = PatientWrites[_WrittenEntry](services, at_once=_AT_ONCE)
        # The versions of Workloads, and when they were first seen, on the monotonic clock.
        self._seen: dict[GangKey, tuple[str, float]] = {}

    def check(self, gang: GangFact, now: float) -> None:
        """Begin to write what follows from the status of the Gang, if that is due."""
        workload, made = self._state.pod_gangs.workloads.awaiting(gang.key), self._state.pod_gangs.objects.get(gang.key)
        if workload is None or made is None or self._writes.is_under_way(gang.key):
            return
        entry = entry_due(gang, made, workload, patience=self._services.quota_wait, now=now)
        current_from = self._current_from(workload, now)
        self._alarms.set(gang.key, next_moment(workload.quota_since, self._services.quota_wait, now))
        if entry is None or self._writes.is_written(gang.key, written := _WrittenEntry(workload.version, entry)):
            return
        least = now if entry.state is CheckState.PENDING else current_from
        begins = max(least, self._writes.may_begin_at(gang.key, now))
        if now < begins:
            self._alarms.set(gang.key, begins)
            return
        write = partial(write_checks, self._services, workload, entry, Urgency.REPORT)
        self._writes.begin(gang.key, write, written)

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone."""
        self._alarms.forget(gang)
        self._seen.pop(gang, None)
        self._writes.forget(gang)

    async def stop(self) -> None:
        """Stop. After a restart, the operator compares the Workloads anew."""
        self._alarms.stop()
        await self._writes.stop()

    def _current_from(self, workload: Workload, now: float) -> float:
        """The time from which the status of the Gang should show a plan for this version of the Workload."""
        seen, clock = self._seen.get(workload.gang), self._services.monotonic()
        if seen is None or seen[0] != workload.version:
            seen = self._seen[workload.gang] = (workload.version, clock)
        return now + max(0.0, seen[1] + _SETTLING_SECONDS - clock)
