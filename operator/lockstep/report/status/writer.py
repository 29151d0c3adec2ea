"""The only module that writes the statuses of gangs and posts events about gangs.

Writes of an attempt, and writes by which members leave, go first. Other reports wait up to five seconds until no gang
is being placed, and their rate is limited. A gang has one write at a time. An attempt's write drops a waiting report of
its gang. Events and metrics follow a status only after it is written.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, assert_never

from coschedule import GangKey
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import PLACING, Urgency, WriteTurns
from lockstep.api.cluster.event import Event, EventSubject, gang_subject
from lockstep.api.gangjob.gangjob import status_manifest
from lockstep.api.podgang.owners import owner_subject
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.logs.fields import about, debug_about
from lockstep.logs.subject import work_for
from lockstep.report.status.events import pods_wait, post_event, status_refused
from lockstep.report.status.rate import Rate
from lockstep.report.status.status import Writing, Written, write_status

_AT_ONCE = 4
# In seconds. A status costs the API server as much as three pods. So in a burst, gangs are bound first and reported
# later.
_PATIENCE_SECONDS = 5.0
# In statuses per second: more than users read, and a small part of what an API server can write.
_PER_SECOND = 200.0
_BURST = 200.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """A status to write. After the write, the ``event`` is posted and ``written`` is called.

    If ``begins_wait`` is true, a Gang begins to wait, and the event is also posted about the owner of the Gang's pods.
    If ``is_act`` is true, the status begins an action. It is written at once: otherwise later plans would decide the
    action again.
    """

    status: GangStatus
    event: Event | None = None
    written: Callable[[], None] | None = None
    is_act: bool = False
    begins_wait: bool = False


class StatusWriter:
    """Writes the statuses of gangs. After each report, its gang is reconciled again.

    ``count_refused`` is called with ``report`` for each report that the API server refuses.
    """

    def __init__(
        self,
        client: KubeClient,
        state: State,
        *,
        instance: str,
        now: Callable[[], float],
        count_refused: Callable[[str], None],
    ) -> None:
        self._client = client
        self._state = state
        self._instance = instance
        self._now = now
        self._count_refused = count_refused
        self._refusals: dict[GangKey, int] = {}
        self._at_once = WriteTurns(_AT_ONCE)
        self._rate = Rate(per_second=_PER_SECOND, burst=_BURST)
        self._has_stopped = False
        # All tasks. Among them are the waiting reports, and the ends of writes in progress.
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waiting: dict[GangKey, asyncio.Task[Any]] = {}
        self._sending: dict[GangKey, asyncio.Event] = {}
        # Gangs whose attempt could not begin because a report was being sent.
        self._held_up: set[GangKey] = set()

    def report(self, gang: GangFact, make: Callable[[], StatusReport | None]) -> bool:
        """Write the report that ``make`` returns, when there is time. None means that there is nothing to write.

        If another write of that gang is in progress, returns False without a call of ``make``. The gang is reconciled
        when that write ends.
        """
        if self._has_stopped or gang.key in self._waiting or gang.key in self._sending:
            return False
        report = make()
        if report is not None:
            self._waiting[gang.key] = self._spawn(self._report(gang, report))
        return True

    def make_way(self, gang: GangKey) -> bool:
        """Drop a waiting report of that gang, because its attempt is about to begin.

        Returns whether the attempt may begin.

        The attempt may not begin while a report is being sent, because the first write of the attempt would conflict
        with the report. After the report, a plan is due, which may begin the attempt.
        """
        self._withdraw(gang)
        if gang not in self._sending:
            return True
        self._held_up.add(gang)
        return False

    async def write(self, gang: GangFact, status: GangStatus) -> Writing:
        """Write an attempt's status before all waiting reports, and drop the waiting report of the gang.

        Raises ``ApiUnavailableError`` like :func:`write_status`.
        """
        while (ended := self._sending.get(gang.key)) is not None:
            await ended.wait()
        # This includes a report that was refused and is pausing.
        self._withdraw(gang.key)
        try:
            outcome: Writing = await self._spawn(self._send(gang, status, Urgency.ACT))
        except asyncio.CancelledError:
            # The gang's attempt was cancelled. Meanwhile ``report`` may have returned False, so the gang is reconciled.
            self._state.changes.reconcile(gang.key)
            raise
        return outcome

    def post(self, gang: GangFact, event: Event) -> None:
        """Post an event whose status is already written."""
        self.post_about(gang_subject(gang), event, of=gang.key)

    def post_about(self, subject: EventSubject, event: Event, *, of: GangKey) -> None:
        """Post an event about an object of that gang."""
        if not self._has_stopped:
            self._spawn(self._post_when_idle(subject, event, of))

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone, and drop its report."""
        self._withdraw(gang)
        self._refusals.pop(gang, None)
        self._held_up.discard(gang)

    def stop(self) -> None:
        """Cancel all writes. After a restart, the operator finds what was not written."""
        self._has_stopped = True
        for task in self._tasks:
            task.cancel()

    def _withdraw(self, gang: GangKey) -> None:
        task = self._waiting.pop(gang, None)
        if task is not None:
            task.cancel()

    async def _report(self, gang: GangFact, report: StatusReport) -> None:
        work_for(gang.key)
        is_done = await self._is_reported(gang, report)
        self._reported(gang.key, is_done=is_done)
        if is_done:
            await self._follow_up(gang, report)

    async def _is_reported(self, gang: GangFact, report: StatusReport) -> bool:
        """Send a report, and rest if it is refused. Returns whether its status is written."""
        outcome, message = await self._try_to_report(gang, report)
        match outcome:
            case Written.REFUSED:
                await self._rest_after_refusal(gang, message)
                return False
            case Written.DONE | Written.CONFLICT | Written.GONE:
                self._refusals.pop(gang.key, None)
                return outcome is Written.DONE or self._stands(gang, report.status)
            case unknown:
                assert_never(unknown)

    def _stands(self, gang: GangFact, status: GangStatus) -> bool:
        """Whether the cache already has this status of the gang.

        An earlier request may have written it although the answer was lost.
        """
        known = self._state.gangs.get(gang.key)
        if known is None or (known.uid, known.generation) != (gang.uid, gang.generation):
            return False
        return status_manifest(known.status) == status_manifest(status)

    async def _follow_up(self, gang: GangFact, report: StatusReport) -> None:
        """Call ``written`` and post the event after the status was written."""
        if report.written is not None:
            report.written()
        owner = self._owner(gang.key) if report.begins_wait else None
        if report.event is not None and owner is not None:
            self.post_about(owner, pods_wait(report.event), of=gang.key)
        if report.event is not None:
            await self._post_when_idle(gang_subject(gang), report.event, gang.key)

    def _owner(self, gang: GangKey) -> EventSubject | None:
        """The owner for which the operator has made a Gang; None for other gangs."""
        known = self._state.pod_gangs.objects.get(gang)
        return None if known is None else owner_subject(known)

    def _reported(self, gang: GangKey, *, is_done: bool) -> None:
        """Reconcile the gang after a report has ended, so that a failed report is computed again."""
        self._state.changes.reconcile(gang)
        if gang in self._held_up or not is_done:
            self._state.changes.plan()
        self._held_up.discard(gang)

    async def _rest_after_refusal(self, gang: GangFact, message: str) -> None:
        """Report the refusal and pause, because the same status would be refused again.

        The report counts as waiting until the pause is over.
        """
        log.error("the API server refuses the gang's status: %s", message, extra=about(gang.key))
        self._count_refused("report")
        self.post(gang, status_refused(message))
        failures = self._refusals.get(gang.key, 0)
        self._refusals[gang.key] = failures + 1
        self._waiting[gang.key] = _this_task()
        await asyncio.sleep(pause_after(failures))
        self._waiting.pop(gang.key, None)

    async def _try_to_report(self, gang: GangFact, report: StatusReport) -> Writing:
        try:
            if report.is_act:
                return await self._send(gang, report.status, Urgency.ACT)
            await self._client.wait_until_idle(at_most_seconds=_PATIENCE_SECONDS, of=PLACING)
            await self._wait_for_rate(gang.key)
            async with self._turn_of(gang.key):
                return await self._send(gang, report.status, Urgency.REPORT)
        except ApiUnavailableError as error:
            log.warning("the gang's status could not be written: %s", error, extra=about(gang.key))
            return Writing(Written.CONFLICT)
        except Exception as error:
            # This is an error in the operator, or an invalid answer. It costs this gang a pause, and does not affect
            # others.
            log.exception("writing the gang's status raised an error", extra=about(gang.key))
            return Writing(Written.REFUSED, f"its answer could not be understood: {describe(error)}")

    async def _send(self, gang: GangFact, status: GangStatus, urgency: Urgency) -> Writing:
        """Send a status. From here on it can't be withdrawn."""
        self._waiting.pop(gang.key, None)
        ended = self._sending[gang.key] = asyncio.Event()
        try:
            written = await write_status(self._client, self._state, gang, status, urgency)
        finally:
            del self._sending[gang.key]
            ended.set()
        if written.written is Written.DONE:
            _log_transitions(gang, status)
        return written

    async def _wait_for_rate(self, gang: GangKey) -> None:
        """Wait for the rate limit. Reports of gangs that hold nodes go first."""
        if gang in self._state.reservations:
            await self._rate.urgent()
        else:
            await self._rate.other()

    def _turn_of(self, gang: GangKey) -> AbstractAsyncContextManager[None]:
        """A turn to send a write. Gangs that hold nodes go first."""
        return self._at_once.turn(Urgency.ACT if gang in self._state.reservations else Urgency.REPORT)

    async def _post_when_idle(self, subject: EventSubject, event: Event, gang: GangKey) -> None:
        work_for(gang)
        try:
            await self._client.wait_until_idle(at_most_seconds=_PATIENCE_SECONDS, of=PLACING)
            async with self._turn_of(gang):
                await post_event(self._client, subject, event, instance=self._instance, now=self._now())
        except ApiUnavailableError as error:
            log.warning("event %s was lost: %s", event.reason, error, extra=about(gang))

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _log_transitions(gang: GangFact, status: GangStatus) -> None:
    """Log each condition whose status or reason has changed."""
    for now in status.conditions:
        before = gang.status.condition(now.type)
        if before is None or (before.status, before.reason) != (now.status, now.reason):
            debug_about(log, gang.key, "%s is %s, %s: %s", now.type, now.status, now.reason, now.message)


def _this_task() -> "asyncio.Task[Any]":
    task = asyncio.current_task()
    assert task is not None, "reports are written by tasks"
    return task
