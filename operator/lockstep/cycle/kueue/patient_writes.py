"""Writes to Workloads of Kueue and to their owners: one at a time for each gang, and few at once.

After a restart, the operator compares the objects anew.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.cycle.kueue.alternating_turns import AlternatingTurns
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# In seconds. After this time the watch has shown a Workload that was created or deleted.
_PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)

Content = TypeVar("Content")


class _Rest(NamedTuple):
    """After this number of failures, the next write for a gang waits until ``until``, on the monotonic clock."""

    failures: int
    until: float


class PatientWrites(Generic[Content]):
    """Sends at most ``at_once`` writes at a time, and knows the last write for each gang.

    Namespaces alternate, so that a thousand gangs of one namespace do not delay those of another.

    A write returns why it failed, or ''. After a failure the next write waits, longer each time, up to a minute. The
    gang is reconciled after each write, because it may have changed meanwhile.
    """

    def __init__(self, services: Services, *, at_once: int) -> None:
        self._monotonic = services.monotonic
        self._reconcile = services.state.changes.reconcile
        self._turns = AlternatingTurns(at_once)
        self._rests: dict[GangKey, _Rest] = {}
        self._written: dict[GangKey, Content] = {}
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def is_under_way(self, gang: GangKey) -> bool:
        """Whether a write for that gang is being sent, or waits for its turn."""
        return gang in self._under_way

    def may_begin_at(self, gang: GangKey, now: float) -> float:
        """When the next write for that gang may begin: now, or later if the last one has failed."""
        rest = self._rests.get(gang)
        return now if rest is None else now + max(0.0, rest.until - self._monotonic())

    def is_written(self, gang: GangKey, content: Content) -> bool:
        """Whether the last write for the gang had that content."""
        return self._written.get(gang) == content

    def begin(self, gang: GangKey, write: Callable[[], Awaitable[str]], content: Content | None = None) -> None:
        """Begin a write of ``content``. None means that the write creates or deletes a Workload."""
        self._under_way[gang] = asyncio.create_task(self._carry_out(gang, write, content))

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self._rests.pop(gang, None)
        self._written.pop(gang, None)

    async def stop(self) -> None:
        """Stop all writes."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _carry_out(self, gang: GangKey, write: Callable[[], Awaitable[str]], content: Content | None) -> None:
        work_for(gang)
        try:
            why_not = await self._attempt(gang, write)
            if not why_not and content is None:
                await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            del self._under_way[gang]
        if why_not:
            self._rest(gang, why_not)
        else:
            self._rests.pop(gang, None)
        if content is not None and not why_not:
            self._written[gang] = content
        self._reconcile(gang)

    def _rest(self, gang: GangKey, why: str) -> None:
        log.warning("a write for Kueue failed, and is tried again: %s", why, extra=about(gang))
        failures = self._rests[gang].failures + 1 if gang in self._rests else 1
        self._rests[gang] = _Rest(failures, self._monotonic() + pause_after(failures - 1))

    async def _attempt(self, gang: GangKey, write: Callable[[], Awaitable[str]]) -> str:
        try:
            async with self._turns.turn(gang.namespace):
                return await write()
        except ApiUnavailableError as error:
            return str(error)
        except Exception as error:
            # Without another try, the gang would wait for quota forever.
            log.exception("a write for Kueue raised an error", extra=about(gang))
            return describe(error)
