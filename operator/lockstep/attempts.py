"""The attempts under way, and what is remembered of a gang between them: failures, and when it may try again."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from coschedule.cluster.snapshot import GangKey
from lockstep.act.attempt import Attempt, Ending, Outcome, Tools
from lockstep.facts import GangFact, GangStatus
from lockstep.failure import Failure
from lockstep.state import Reservation

_FIRST_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 60.0

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Memory:
    failures: int = 0
    retry_at: float = 0.0
    attempt: Attempt | None = None
    task: asyncio.Task[None] | None = field(default=None)


class Attempts:
    """Runs at most one attempt a gang. ``ended`` is told of every outcome but that of a cancelled attempt."""

    def __init__(self, tools: Tools, *, ended: Callable[[GangFact, Outcome], None]) -> None:
        self._tools = tools
        self._ended = ended
        self._by_gang: dict[GangKey, _Memory] = {}

    def is_under_way(self, gang: GangKey) -> bool:
        """Whether an attempt of that gang is running."""
        memory = self._by_gang.get(gang)
        return memory is not None and memory.task is not None

    def retry_at(self, gang: GangKey) -> float:
        """When the gang may be tried again; in the past, or 0, where it may be now."""
        memory = self._by_gang.get(gang)
        return 0.0 if memory is None else memory.retry_at

    def next_retry(self, now: float) -> float:
        """The earliest time after ``now`` at which a gang may be tried again; infinity where there is none."""
        return min(
            (memory.retry_at for memory in self._by_gang.values() if memory.retry_at > now), default=float("inf")
        )

    def begin(self, gang: GangFact, reservation: Reservation, status: GangStatus) -> None:
        """Start an attempt whose reservation the state holds, by writing this status."""
        self._start(gang, reservation, lambda attempt: attempt.begin(status))

    def resume(self, gang: GangFact, reservation: Reservation) -> None:
        """Go on with an attempt that an earlier process has reserved."""
        self._start(gang, reservation, lambda attempt: attempt.resume())

    def interrupt(self, gang: GangFact, reservation: Reservation, failure: Failure) -> None:
        """Take back a gang that was placed."""
        self._start(gang, reservation, lambda attempt: attempt.interrupt(failure))

    def tell(self, gang: GangKey) -> None:
        """There is news of that gang."""
        memory = self._by_gang.get(gang)
        if memory is not None and memory.attempt is not None:
            memory.attempt.changed.set()

    def drop(self, gang: GangKey) -> None:
        """The gang is gone: stop its attempt where it stands, and remember nothing of it."""
        memory = self._by_gang.pop(gang, None)
        if memory is not None and memory.task is not None:
            memory.task.cancel()

    def succeeded(self, gang: GangKey) -> None:
        """The gang is placed: its earlier failures no longer count."""
        memory = self._by_gang.get(gang)
        if memory is not None and memory.task is None:
            del self._by_gang[gang]

    async def stop(self) -> None:
        """Stop all attempts where they stand: the next process finds their reservations and goes on."""
        tasks = [memory.task for memory in self._by_gang.values() if memory.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(
        self, gang: GangFact, reservation: Reservation, carry_out: Callable[[Attempt], Coroutine[Any, Any, Outcome]]
    ) -> None:
        memory = self._by_gang.setdefault(gang.key, _Memory())
        assert memory.task is None, "one attempt a gang at a time"
        retry_seconds = min(_FIRST_RETRY_SECONDS * 2**memory.failures, _LONGEST_RETRY_SECONDS)
        memory.attempt = Attempt(self._tools, gang, reservation, retry_seconds=retry_seconds)
        memory.task = asyncio.create_task(self._run(gang, memory, partial(carry_out, memory.attempt), retry_seconds))

    async def _run(
        self, gang: GangFact, memory: _Memory, work: Callable[[], Coroutine[Any, Any, Outcome]], retry_seconds: float
    ) -> None:
        try:
            outcome = await work()
        except Exception:
            # A broken promise of ours. The reservation says what may exist; after a pause the gang is followed from
            # there.
            log.exception("%s/%s: its attempt broke off", *gang.key)
            await asyncio.sleep(_LONGEST_RETRY_SECONDS)
            outcome = Outcome(ending=Ending.BROKEN_OFF)
        memory.task = memory.attempt = None
        if outcome.ending is Ending.UNDONE:
            memory.failures += 1
            memory.retry_at = self._tools.now() + retry_seconds
        self._ended(gang, outcome)
