"""Gives owners in queues of Kueue their sizes: it learns what their pods need, then a plan chooses a size.

The module is level-triggered: an owner without a size is learned and planned again, also after a restart.
"""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import NamedTuple

from coschedule import GangKey, Placement
from lockstep.act.queues.queued_sizes import give_queued_size, learn_queued_gang
from lockstep.act.requests.services import Services
from lockstep.api.podgang.sizing.sized_kind import SizedKind, sized_kind
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.kueue.patient_writes import PatientWrites
from lockstep.cycle.kueue.repeated_sizes import RepeatedSizes
from lockstep.facts.gang.sized_owner import SizedOwner

# Reads, dry runs and writes at a time. They are less urgent than requests that make gangs run.
_AT_ONCE = 4


class _Step(NamedTuple):
    """A step, and the owner at that time. The step gives the owner its size, or learns what its pods need."""

    owner: SizedOwner
    is_given: bool


class QueuedSizes:
    """Takes one step at a time for each owner."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._owners = services.state.pod_gangs.queued_owners
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._writes = PatientWrites[_Step](services, at_once=_AT_ONCE)
        self._repeated = RepeatedSizes(services.monotonic)
        # Owners that have not got the size which a plan has chosen. A new plan is requested for them, because nothing
        # else may cause one.
        self._unserved: set[GangKey] = set()

    def check(self, gang: GangKey, now: float) -> None:
        """Begin to learn what the owner's pods need, if unknown. Plan again if the owner has not got its size."""
        owner = self._owners.of(gang)
        if owner is None:
            self._alarms.forget(gang)
            self._writes.forget(gang)
            self._repeated.forget(gang)
            self._unserved.discard(gang)
        elif self._owners.is_unknown(gang):
            self._begin(_Step(owner, is_given=False), learn_queued_gang, now)
        elif gang in self._unserved and self._is_rested(owner, now):
            self._unserved.discard(gang)
            self._services.state.changes.plan()

    def give(self, placements: Iterable[Placement], now: float) -> None:
        """Begin to give owners the sizes that a plan has chosen for them."""
        for one in placements:
            owner = self._owners.of(one.gang)
            if owner is not None and not self._writes.is_written(one.gang, step := _Step(owner, is_given=True)):
                self._unserved.add(one.gang)
                self._begin(step, partial(self._give, size=one.size), now)

    async def stop(self) -> None:
        """Stop. After a restart, the operator finds the same owners."""
        self._alarms.stop()
        await self._writes.stop()

    def _begin(
        self, step: _Step, write: Callable[[Services, SizedKind, SizedOwner], Awaitable[str]], now: float
    ) -> None:
        gang, kind = step.owner.gang, sized_kind(step.owner.source)
        if kind is not None and not self._writes.is_under_way(gang) and self._is_rested(step.owner, now):
            self._writes.begin(gang, partial(write, self._services, kind, step.owner), step)

    async def _give(self, services: Services, kind: SizedKind, owner: SizedOwner, *, size: int) -> str:
        why_not = await give_queued_size(services, kind, owner, size=size)
        if not why_not:
            self._unserved.discard(owner.gang)
            self._repeated.record(owner)
        return why_not

    def _is_rested(self, owner: SizedOwner, now: float) -> bool:
        """Whether a step that failed or was undone may be tried now. If not, the owner is reconciled at that time."""
        begins = max(self._writes.may_begin_at(owner.gang, now), now + self._repeated.pause_left(owner))
        self._alarms.set(owner.gang, begins if now < begins else None)
        return now >= begins
