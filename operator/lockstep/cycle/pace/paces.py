"""Gangs whose members wait for the slowest, or are on nodes whose owners are back, are resized every half a minute.

What a member has stands in its pod, what it had in the gang's status, which is written before the first is resized: the
next process goes on from these.
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
from lockstep.cycle.pace.pace_checks import find_resizes, find_status
from lockstep.cycle.pace.paced_members import waiting_roles, yielding_roles
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pace import PaceStatus
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import conditions, events
from lockstep.report.status.writer import StatusReport

LOOK_SECONDS = 30.0

log = logging.getLogger(__name__)


class Paces:
    """Paces gangs that want it, or owners of whose nodes do, while all of their members run.

    Whatever becomes of that, the gang goes on.
    """

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._state = services.state
        self._count_error = metrics.gang_errors.labels("follow").inc
        self._resizes = Resizes(services, count=metrics.pace.resized)
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}
        # Looks that are under way: of one gang after the other, so that the event loop turns between them.
        self._looks: dict[GangKey, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()
        # Gangs of which all has been done that was due: what they are told is worked out anew.
        self._settled: set[GangKey] = set()
        self._found: dict[GangKey, PaceStatus | None] = {}

    def look(self, gang: GangFact, reservation: Reservation, counts: Progress) -> None:
        """Resize members of a gang where that is due, and where all of them run."""
        if not self._concerns(gang, reservation) or not _all_run(counts) or self._is_under_way(gang.key):
            return
        if gang.status.pace is not None and self._is_due(gang.key):
            self._begin(gang.key, partial(self._resize, gang, reservation))
        elif gang.key not in self._found and (gang.status.pace is None or gang.key in self._settled):
            self._begin(gang.key, partial(self._find_status, gang, reservation))

    def report(self, gang: GangFact, counts: Progress) -> StatusReport | None:
        """What is to be told of the gang's pace, if it is not what its status says."""
        if gang.key not in self._found or self._is_under_way(gang.key) or not _all_run(counts):
            return None
        before, pace = gang.status.pace, self._found.pop(gang.key)
        if pace == before:
            return None
        has_changed = pace is not None and before is not None and _amounts(pace) != _amounts(before)
        event = events.gang_paced(pace.message) if pace is not None and has_changed else None
        return StatusReport(status=conditions.mark_paced(gang, pace), event=event)

    def forget(self, gang: GangKey) -> None:
        """The gang is gone or has ended, or its attempt has."""
        self._resizes.forget(gang)
        self._settled.discard(gang)
        self._found.pop(gang, None)
        timer, look = self._timers.pop(gang, None), self._looks.pop(gang, None)
        if timer is not None:
            timer.cancel()
        if look is not None:
            look.cancel()

    async def stop(self) -> None:
        """Leave everything as it stands."""
        for timer in self._timers.values():
            timer.cancel()
        looks = list(self._looks.values())
        for look in looks:
            look.cancel()
        await asyncio.gather(*looks, return_exceptions=True)
        await self._resizes.stop()

    def _is_under_way(self, gang: GangKey) -> bool:
        return gang in self._looks or self._resizes.is_under_way(gang)

    def _is_due(self, gang: GangKey) -> bool:
        """Whether the gang's turn has come; its next one is then half a minute later, and news of the gang."""
        loop = asyncio.get_running_loop()
        timer = self._timers.get(gang)
        if timer is not None and timer.when() > loop.time():
            return False
        self._timers[gang] = loop.call_later(LOOK_SECONDS, self._state.changes.reconcile, gang)
        return True

    def _begin(self, gang: GangKey, look: Callable[[], Awaitable[None]]) -> None:
        """Look at the gang beside the cycle."""
        self._settled.discard(gang)
        self._found.pop(gang, None)
        task = self._looks[gang] = asyncio.create_task(self._in_turn(gang, look))
        task.add_done_callback(lambda _: self._ended(gang, task))

    async def _in_turn(self, gang: GangKey, look: Callable[[], Awaitable[None]]) -> None:
        """A look that raises costs nobody else anything: the gang is looked at again when its next turn comes."""
        try:
            async with self._turn:
                await look()
        except Exception:
            log.exception("its pace could not be looked at", extra=about(gang))
            self._count_error()

    def _ended(self, gang: GangKey, task: asyncio.Task[None]) -> None:
        if self._looks.get(gang) is task:
            del self._looks[gang]
            if gang in self._settled or gang in self._found:
                self._state.changes.reconcile(gang)

    async def _resize(self, gang: GangFact, reservation: Reservation) -> None:
        due = await find_resizes(self._state, gang, reservation)
        asked = [resize for resize in due if not self._resizes.rests(gang.key, resize.pod)]
        self._settled.add(gang.key)
        if asked:
            self._resizes.begin(gang.key, asked)

    async def _find_status(self, gang: GangFact, reservation: Reservation) -> None:
        pace = await find_status(self._state, gang, reservation, refusal=self._resizes.refusal(gang.key))
        if pace != gang.status.pace:
            self._found[gang.key] = pace

    def _concerns(self, gang: GangFact, reservation: Reservation) -> bool:
        """Whether any member is to be paced, or is from when it was to be."""
        return bool(gang.status.pace is not None or waiting_roles(gang) or yielding_roles(self._state, reservation))


def _all_run(counts: Progress) -> bool:
    """Whether every member runs, and none has ended: the others do so soon."""
    return counts.is_running and not counts.succeeded


def _amounts(pace: PaceStatus) -> tuple[int, int]:
    return pace.paced, pace.given_back
