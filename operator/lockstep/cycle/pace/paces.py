"""Resizes members that wait for the slowest one, or whose node owners are back, every 30 seconds.

Pods show the CPU that members have. The gang's status shows their unpaced CPU, and is written before the first resize.
So the operator can continue after a restart.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from coschedule import GangKey
from lockstep.act.changing.resizes import Resizes
from lockstep.act.requests.progress import Progress
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.cycle.pace.pace_checks import count_members_again, find_resizes, find_status
from lockstep.cycle.pace.paced_members import waiting_roles, yielding_roles
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pace import PaceStatus
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import attempt_marks, events
from lockstep.report.status.writer import StatusReport

CHECK_SECONDS = 30.0

log = logging.getLogger(__name__)


class Paces:
    """Paces gangs while all their members run, if the gang or one of its node owners wants that.

    A failure to pace never ends a gang.
    """

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._state = services.state
        self._count_error = metrics.gang_errors.labels("follow").inc
        self._resizes = Resizes(services, count=metrics.pace.resized)
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}
        # Checks that run beside the cycle, one gang after the other.
        self._checks: dict[GangKey, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()
        # Gangs whose due resizes have been requested. The next check computes their status.
        self._resized: set[GangKey] = set()
        self._new_statuses: dict[GangKey, PaceStatus | None] = {}

    def check(self, gang: GangFact, reservation: Reservation, counts: Progress) -> None:
        """Resize members of the gang if that is due and all its members run."""
        if not self._concerns(gang, reservation) or not _all_run(counts) or self._is_under_way(gang.key):
            return
        if gang.status.pace is not None and self._is_due(gang.key):
            self._begin(gang.key, partial(self._resize, gang, reservation))
        elif gang.key not in self._new_statuses and (gang.status.pace is None or gang.key in self._resized):
            self._begin(gang.key, partial(self._find_status, gang, reservation))

    def report(self, gang: GangFact, counts: Progress) -> StatusReport | None:
        """The report of the gang's pace; None if its status is up to date, or if the pace is not computed yet."""
        if gang.key not in self._new_statuses or self._is_under_way(gang.key) or not _all_run(counts):
            return None
        before, pace = gang.status.pace, self._new_statuses.pop(gang.key)
        if pace == before:
            return None
        has_changed = pace is not None and before is not None and _amounts(pace) != _amounts(before)
        event = events.gang_paced(pace.message) if pace is not None and has_changed else None
        return StatusReport(status=attempt_marks.mark_paced(gang, pace), event=event)

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that was deleted, or that has ended, or whose attempt has ended."""
        self._resizes.forget(gang)
        self._resized.discard(gang)
        self._new_statuses.pop(gang, None)
        timer, check = self._timers.pop(gang, None), self._checks.pop(gang, None)
        if timer is not None:
            timer.cancel()
        if check is not None:
            check.cancel()

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        for timer in self._timers.values():
            timer.cancel()
        checks = list(self._checks.values())
        for check in checks:
            check.cancel()
        await asyncio.gather(*checks, return_exceptions=True)
        await self._resizes.stop()

    def _is_under_way(self, gang: GangKey) -> bool:
        return gang in self._checks or self._resizes.is_under_way(gang)

    def _is_due(self, gang: GangKey) -> bool:
        """Whether the gang's resizes are due. If they are, the gang is reconciled again after 30 seconds."""
        loop = asyncio.get_running_loop()
        timer = self._timers.get(gang)
        if timer is not None and timer.when() > loop.time():
            return False
        self._timers[gang] = loop.call_later(CHECK_SECONDS, self._state.changes.reconcile, gang)
        return True

    def _begin(self, gang: GangKey, check: Callable[[], Awaitable[None]]) -> None:
        """Begin a check of the gang beside the cycle."""
        self._resized.discard(gang)
        self._new_statuses.pop(gang, None)
        task = self._checks[gang] = asyncio.create_task(self._in_turn(gang, check))
        task.add_done_callback(lambda _: self._ended(gang, task))

    async def _in_turn(self, gang: GangKey, check: Callable[[], Awaitable[None]]) -> None:
        """Run the check when no other one runs. An error affects this gang only: the gang is checked again when due."""
        try:
            async with self._turn:
                await check()
        except Exception:
            log.exception("the gang's pace could not be checked", extra=about(gang))
            self._count_error()

    def _ended(self, gang: GangKey, task: asyncio.Task[None]) -> None:
        if self._checks.get(gang) is task:
            del self._checks[gang]
            if gang in self._resized or gang in self._new_statuses:
                self._state.changes.reconcile(gang)

    async def _resize(self, gang: GangFact, reservation: Reservation) -> None:
        await count_members_again(self._state, reservation)
        due = await find_resizes(self._state, gang, reservation)
        asked = [resize for resize in due if not self._resizes.rests(gang.key, resize.pod)]
        self._resized.add(gang.key)
        if asked:
            self._resizes.begin(gang.key, asked)

    async def _find_status(self, gang: GangFact, reservation: Reservation) -> None:
        pace = await find_status(self._state, gang, reservation, refusal=self._resizes.refusal(gang.key))
        if pace != gang.status.pace:
            self._new_statuses[gang.key] = pace

    def _concerns(self, gang: GangFact, reservation: Reservation) -> bool:
        """Whether any member should be paced or has been paced."""
        return bool(gang.status.pace is not None or waiting_roles(gang) or yielding_roles(self._state, reservation))


def _all_run(counts: Progress) -> bool:
    """Whether every member runs and none has ended. After one has ended, the others end soon."""
    return counts.is_running and not counts.succeeded


def _amounts(pace: PaceStatus) -> tuple[int, int]:
    return pace.paced, pace.given_back
