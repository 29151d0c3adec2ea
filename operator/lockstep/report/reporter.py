"""Tells users what happened to a gang: status first, and only if that was accepted, its events and metrics.

One write a gang at a time, few at once and not too many a second: reports must not hold up what they report.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine

from coschedule.cluster.snapshot import GangKey
from lockstep.api.client import ApiUnavailableError, KubeClient
from lockstep.api.event import Event
from lockstep.api.pauses import pause_after
from lockstep.api.turns import Urgency
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact, GangStatus
from lockstep.report.events import post_event, status_refused
from lockstep.report.rate import Rate
from lockstep.report.status import Writing, Written, write_status

_AT_ONCE = 4
# A status costs the API server as much as three pods: in a burst, gangs are bound first and told of afterwards.
_PATIENCE_SECONDS = 5.0
# A status a second for each of so many gangs is more than anybody reads, and a fraction of what an API server takes.
_PER_SECOND = 200.0
_BURST = 200.0
_LAST_WORDS_SECONDS = 2.0

log = logging.getLogger(__name__)


class Reporter:
    """Writes statuses and posts events in the background.

    ``done`` is told after each write what became of it, ``refused`` of each status that the API server does not take.
    """

    def __init__(
        self,
        client: KubeClient,
        state: State,
        *,
        instance: str,
        now: Callable[[], float],
        done: Callable[[GangKey, Written], None],
        refused: Callable[[str], None],
    ) -> None:
        self._client = client
        self._state = state
        self._instance = instance
        self._now = now
        self._done = done
        self._refused = refused
        self._refusals: dict[GangKey, int] = {}
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._rate = Rate(per_second=_PER_SECOND, burst=_BURST)
        self._tasks: set[asyncio.Task[None]] = set()
        self._writing: set[GangKey] = set()
        self._patient: dict[GangKey, asyncio.Task[None]] = {}

    def is_writing(self, gang: GangKey) -> bool:
        """Whether a status of that gang is on its way."""
        return gang in self._writing

    def report(
        self, gang: GangFact, status: GangStatus, event: Event | None, *, written: Callable[[], None] | None = None
    ) -> None:
        """Write the status; when it stands, post the event and call ``written``. One at a time for each gang."""
        assert gang.key not in self._writing, "the caller asks is_writing first"
        self._writing.add(gang.key)
        self._patient[gang.key] = self._spawn(self._write(gang, status, event, written))

    def withdraw(self, gang: GangKey) -> bool:
        """Drop a report that still waits for its turn: there is better news. Returns whether there was one."""
        task = self._patient.pop(gang, None)
        if task is None:
            return False
        task.cancel()
        self._writing.discard(gang)
        return True

    def forget(self, gang: GangKey) -> None:
        """The gang is gone: nothing more is to be said of it."""
        self.withdraw(gang)
        self._refusals.pop(gang, None)

    def tell(self, gang: GangFact, event: Event) -> None:
        """Post an event about something whose status stands already."""
        self._spawn(self._post(gang, event))

    async def stop(self) -> None:
        """Give what is on its way a moment, then drop it: the next process sees what was not written."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_LAST_WORDS_SECONDS)
        for task in self._tasks:
            task.cancel()

    async def _write(
        self, gang: GangFact, status: GangStatus, event: Event | None, written: Callable[[], None] | None
    ) -> None:
        outcome, message = await self._try_to_write(gang, status)
        if outcome is Written.REFUSED:
            await self._rest_after_refusal(gang, message)
        else:
            self._refusals.pop(gang.key, None)
        self._writing.discard(gang.key)
        self._done(gang.key, outcome)
        if outcome is not Written.DONE:
            return
        if written is not None:
            written()
        if event is not None:
            await self._post(gang, event)

    async def _rest_after_refusal(self, gang: GangFact, message: str) -> None:
        """Tell of it, and wait: the same would be refused again. Until then the gang counts as being written."""
        log.error("%s/%s: the API server does not take its status: %s", *gang.key, message)
        self._refused("report")
        self.tell(gang, status_refused(message))
        failures = self._refusals.get(gang.key, 0)
        self._refusals[gang.key] = failures + 1
        task = asyncio.current_task()
        assert task is not None, "reports are written by tasks"
        self._patient[gang.key] = task
        await asyncio.sleep(pause_after(failures))
        self._patient.pop(gang.key, None)

    async def _try_to_write(self, gang: GangFact, status: GangStatus) -> Writing:
        try:
            await self._client.lull(at_most_seconds=_PATIENCE_SECONDS)
            await self._turn_of(gang.key)
            async with self._at_once:
                self._patient.pop(gang.key, None)
                return await write_status(self._client, self._state, gang, status, Urgency.REPORT)
        except ApiUnavailableError as error:
            log.warning("%s/%s: its status could not be written: %s", *gang.key, error)
            return Writing(Written.CONFLICT)
        except Exception as error:
            # A broken promise of ours, or of whoever answered: it costs this gang a pause, and no other anything.
            log.exception("%s/%s: writing its status raised", *gang.key)
            return Writing(Written.REFUSED, f"its answer could not be understood: {error!r}")

    async def _turn_of(self, gang: GangKey) -> None:
        """Wait until one more report is not too many: what is said of gangs that hold nodes goes first."""
        if gang in self._state.reservations:
            await self._rate.urgent()
        else:
            await self._rate.other()

    async def _post(self, gang: GangFact, event: Event) -> None:
        try:
            await self._client.lull(at_most_seconds=_PATIENCE_SECONDS)
            async with self._at_once:
                await post_event(self._client, gang, event, instance=self._instance, now=self._now())
        except ApiUnavailableError as error:
            log.warning("%s/%s: event %s was lost: %s", *gang.key, event.reason, error)

    def _spawn(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
