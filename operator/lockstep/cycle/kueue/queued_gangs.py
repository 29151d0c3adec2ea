"""GangJobs in queues of Kueue: creates their Workloads, and writes how the gangs use their quota.

The module is level-triggered: it compares what follows from a gang with its Workload. After a restart, the operator
finds both.
"""

from functools import partial
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.queues.workload_writes import delete_workload, make_workload, write_quota_use
from lockstep.act.requests.services import Services
from lockstep.api.kueue.gang_workload_status import QuotaUse
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.kueue.deciding import idle_since, next_moment, queued_entry
from lockstep.cycle.kueue.patient_writes import PatientWrites
from lockstep.cycle.kueue.quota_use import quota_use_of
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.workload import GangWorkload

# Reads and writes at a time. They are less urgent than requests that make gangs run.
_AT_ONCE = 8


class _DoneWrite(NamedTuple):
    """A completed write, with the Workload, and the generation and queue of the gang, at that time."""

    workload: GangWorkload
    generation: int
    queue: str
    use: QuotaUse


class QueuedGangJobs:
    """Writes to Workloads, one write at a time for each."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._state = services.state
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._writes = PatientWrites[_DoneWrite](services, at_once=_AT_ONCE)

    def check(self, gang: GangFact, now: float) -> None:
        """Begin the write that is due, if there is one."""
        known = self._state.queued.workload(gang)
        if self._writes.is_under_way(gang.key) or (known is None and not self._state.queued.has(gang)):
            return
        begins = self._writes.may_begin_at(gang.key, now)
        if now < begins:
            self._alarms.set(gang.key, begins)
        elif known is None:
            self._make(gang)
        elif self._is_needless(gang):
            self._writes.begin(gang.key, partial(delete_workload, self._services, known))
        else:
            self._write(gang, known, now)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self._alarms.forget(gang)
        self._writes.forget(gang)

    async def stop(self) -> None:
        """Stop. After a restart, the operator compares the Workloads anew."""
        self._alarms.stop()
        await self._writes.stop()

    def _make(self, gang: GangFact) -> None:
        if isinstance(gang, AcceptedGang) and self._may_queue(gang):
            written = self._state.as_written(gang.key)
            if isinstance(written, AcceptedGang):
                self._writes.begin(gang.key, partial(make_workload, self._services, written))

    def _write(self, gang: GangFact, known: GangWorkload, now: float) -> None:
        written = self._state.as_written(gang.key) or gang
        ours, patience = self._state.pod_gangs.workloads.our_checks, self._services.quota_wait
        entry = queued_entry(gang, known, ours, patience=patience, now=now)
        self._alarms.set(gang.key, next_moment(idle_since(gang, known), patience, now))
        use = quota_use_of(gang, written, entry, holds_nothing=self._holds_nothing(gang))
        done = _DoneWrite(known, gang.generation, gang.policies.queue, use)
        if self._writes.is_written(gang.key, done):
            return
        asks = written if isinstance(written, AcceptedGang) and self._may_queue(gang) else None
        self._writes.begin(gang.key, partial(write_quota_use, self._services, asks, known, use), done)

    def _may_queue(self, gang: GangFact) -> bool:
        """Whether the gang may have quota. A gang that waits for others or can't run would keep it from other gangs."""
        is_over = gang.status.end is not None or gang.is_deleting
        return not is_over and not gang.unmet and self._state.refusal_of(gang) is None

    def _is_needless(self, gang: GangFact) -> bool:
        """Whether the Workload is needless, because the gang has left its queue or may not run."""
        if gang.is_deleting or gang.status.end is not None:
            return False
        if not self._state.queued.has(gang):
            return True
        return not self._may_queue(gang) and self._holds_nothing(gang)

    def _holds_nothing(self, gang: GangFact) -> bool:
        return (
            gang.status.reserved_at is None
            and gang.key not in self._state.reservations
            and not self._state.members(gang)
        )
