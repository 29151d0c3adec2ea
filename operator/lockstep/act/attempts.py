"""The attempts in progress, and the history of each gang between them: failures, and the time of the next try."""

import asyncio
import logging
import math
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from coschedule import GangKey
from lockstep.act.attempt import Attempt
from lockstep.act.attempt_history import AttemptHistory, Rest
from lockstep.act.ending.undo import UndoListeners
from lockstep.act.requests.outcome import Ending, Outcome
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Condition
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.snapshot.attempt_start import AttemptStart

_UNDOING_WITH_A_PLACE_SECONDS = 60.0

# The first failure may have an outside cause, such as a node. No gang is evicted for a gang that fails again.
_FAILURES_THAT_PREEMPT = 1

# In seconds. A kubelet may reject members that were placed, and would reject them again. So failures count until all
# members have run for as long as the longest pause.
_RUNS_WELL_SECONDS = 60.0

log = logging.getLogger(__name__)


class Attempts:
    """Runs at most one attempt of each gang.

    ``ended`` is called with every outcome except that of a cancelled attempt. ``due`` is called for every gang whose
    rest is over, so that the gang is reconciled. ``takes_long`` is called with what a teardown waits for, if the
    teardown takes long. ``reported`` is called after a gang's status says that its attempt is torn down.
    """

    def __init__(
        self,
        services: Services,
        *,
        ended: Callable[[GangFact, Outcome], None],
        due: Callable[[GangKey], None],
        takes_long: Callable[[GangFact, Failure, str], None],
        reported: Callable[[GangFact, Failure], None],
    ) -> None:
        self._services = services
        self._takes_long = takes_long
        self._reported = reported
        self._ended = ended
        self._due = due
        self._by_gang: dict[GangKey, AttemptHistory] = {}
        # For each gang, its UID and the last attempt that this process began and did not stop midway.
        self._begun: dict[GangKey, tuple[str, int]] = {}
        # Gangs whose status will say that they are torn down, with the monotonic time of that decision.
        self._to_be_undone: dict[GangKey, float] = {}

    def is_under_way(self, gang: GangKey) -> bool:
        """Whether an attempt of that gang is running."""
        memory = self._by_gang.get(gang)
        return memory is not None and memory.task is not None

    def must_stop(self, gang: GangFact, *, is_unwanted: bool) -> bool:
        """Whether to stop the running attempt, and to forget the earlier ones.

        This is so if these attempts are of an earlier gang with this name. It is also so if the gang is unwanted and
        has a running attempt, unless this attempt is already being torn down.
        """
        memory = self._by_gang.get(gang.key)
        if memory is None or memory.gang_uid != gang.uid:
            return memory is not None
        return memory.attempt is not None and is_unwanted and not memory.attempt.is_undoing

    def is_resting(self, gang: GangKey) -> bool:
        """Whether the gang has failed and its pause is not over."""
        memory = self._by_gang.get(gang)
        return memory is not None and memory.retry is not None

    def has_lost_its_place(self, gang: GangKey) -> bool:
        """Whether the gang rests and has failed so often that it delays no other gang meanwhile."""
        return self.is_resting(gang) and self._by_gang[gang].has_no_place

    def keeps_its_place(self, gang: GangKey) -> bool:
        """Whether the gang is in the first minute of a teardown, and keeps its place and the nodes that it frees."""
        memory, since = self._by_gang.get(gang), self._to_be_undone.get(gang, math.inf)
        if memory is not None and memory.has_no_place:
            return False
        if memory is not None and memory.attempt is not None:
            since = memory.attempt.undoing_since
        return 0.0 <= self._services.monotonic() - since <= _UNDOING_WITH_A_PLACE_SECONDS

    def keeps_failing(self, gang: GangKey) -> bool:
        """Whether the gang has failed so often since it last ran well that no other gang is evicted for it."""
        memory = self._by_gang.get(gang)
        return memory is not None and memory.failures > _FAILURES_THAT_PREEMPT

    def is_undoing(self, gang: GangKey) -> bool:
        """Whether an attempt of that gang is being torn down."""
        memory = self._by_gang.get(gang)
        return memory is not None and memory.attempt is not None and memory.attempt.is_undoing

    def retry_at(self, gang: GangKey) -> float:
        """The time of day at which the gang may be tried again. It is 0 or in the past if it may be tried now."""
        memory = self._by_gang.get(gang)
        return 0.0 if memory is None or memory.retry is None else self._time_of_day(memory)

    def rest_of(self, gang: GangKey) -> Rest | None:
        """The rest of a gang whose pods have begun anew: why and until when; None for other gangs."""
        memory = self._by_gang.get(gang)
        if memory is None or memory.retry is None or memory.last_anew is None:
            return None
        return Rest(memory.begun_anew, memory.last_anew, self._time_of_day(memory))

    def next_retry(self, now: float) -> float:
        """The earliest time after ``now`` at which a gang may be tried again; infinity if there is none."""
        retries = (self._time_of_day(memory) for memory in self._by_gang.values() if memory.retry is not None)
        return min((retry_at for retry_at in retries if retry_at > now), default=math.inf)

    def begin(self, gang: GangFact, start: AttemptStart) -> None:
        """Start an attempt whose reservation the cache has. The attempt writes the reservation to the status."""
        self._begun[gang.key] = (gang.uid, start.reservation.attempt)
        self._start(gang, start.reservation, lambda attempt: attempt.begin(start))

    def resume(self, gang: GangFact, reservation: Reservation) -> None:
        """Continue an attempt whose reservation is in the status, for example after a restart of the operator."""
        self._start(gang, reservation, lambda attempt: attempt.resume())

    def interrupt(self, gang: GangFact, reservation: Reservation, failure: Failure) -> None:
        """Tear down a gang that was placed."""
        memory = self._by_gang.get(gang.key)
        if memory is not None and self._services.monotonic() - memory.runs_since >= _RUNS_WELL_SECONDS:
            self.forgive(gang.key)
        self._start(gang, reservation, lambda attempt: attempt.interrupt(failure))

    def mark_for_undoing(self, gang: GangKey) -> None:
        """Let the gang keep its place until its status says that it is being torn down."""
        self._to_be_undone.setdefault(gang, self._services.monotonic())

    def unmark_for_undoing(self, gang: GangKey) -> None:
        """Remove the mark of :meth:`mark_for_undoing`: the teardown has begun, or the gang is not torn down."""
        self._to_be_undone.pop(gang, None)

    def wake(self, gang: GangKey) -> None:
        """Wake the gang's attempt after a change of the gang or its pods."""
        memory = self._by_gang.get(gang)
        if memory is not None and memory.attempt is not None:
            memory.attempt.changed.set()

    def drop(self, gang: GangKey) -> None:
        """Forget a gang that is gone, and cancel its attempt."""
        self._begun.pop(gang, None)
        self.unmark_for_undoing(gang)
        memory = self._by_gang.pop(gang, None)
        if memory is None:
            return
        _cancel_retry(memory)
        if memory.task is not None:
            memory.task.cancel()

    def rest(self, gang: GangFact, seconds: float) -> None:
        """Do not try the gang again for this number of seconds. A longer rest or a running attempt continues."""
        memory = self._by_gang.setdefault(gang.key, AttemptHistory(gang_uid=gang.uid))
        if memory.task is None and (memory.retry is None or memory.retry_at < self._services.monotonic() + seconds):
            self._rest(gang.key, memory, seconds)

    def placed(self, gang: GangKey, *, is_running: bool) -> None:
        """Record that every member is bound. Earlier failures still count until all members have run for a while."""
        memory = self._by_gang.get(gang)
        if memory is None or memory.task is not None:
            return
        if not memory.failures:
            self.forgive(gang)
            return
        _cancel_retry(memory)
        if is_running:
            memory.runs_since = min(memory.runs_since, self._services.monotonic())

    def forgive(self, gang: GangKey) -> None:
        """Forget the failures of a gang that has run for a while, or is suspended."""
        memory = self._by_gang.get(gang)
        if memory is not None and memory.task is None:
            _cancel_retry(memory)
            del self._by_gang[gang]

    async def stop(self) -> None:
        """Cancel all attempts. After a restart, the operator finds their reservations and continues."""
        for memory in self._by_gang.values():
            _cancel_retry(memory)
        tasks = [memory.task for memory in self._by_gang.values() if memory.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(
        self, gang: GangFact, reservation: Reservation, carry_out: Callable[[Attempt], Coroutine[Any, Any, Outcome]]
    ) -> None:
        memory = self._by_gang.setdefault(gang.key, AttemptHistory(gang_uid=gang.uid))
        assert memory.task is None, "one attempt of a gang at a time"
        _cancel_retry(memory)
        memory.runs_since = math.inf
        self.unmark_for_undoing(gang.key)
        memory.attempt = Attempt(
            self._services,
            gang,
            reservation,
            pause=memory.pause,
            listeners=UndoListeners(reported=partial(self._reported, gang), takes_long=partial(self._takes_long, gang)),
            was_cut_off=self._was_cut_off(gang, reservation),
        )
        work = partial(carry_out, memory.attempt)
        memory.task = asyncio.create_task(self._run(gang, reservation.attempt, memory, work))

    def _was_cut_off(self, gang: GangFact, reservation: Reservation) -> bool:
        """Whether creates from before a restart, or of a cancelled attempt, may still be in progress.

        After the gang is placed, every create has been answered, except those of members that join.
        """
        if reservation.joining:
            return True
        begun_here = self._begun.get(gang.key) == (gang.uid, reservation.attempt)
        return not (begun_here or gang.status.is_true(Condition.PLACED))

    async def _run(
        self, gang: GangFact, attempt: int, memory: AttemptHistory, work: Callable[[], Coroutine[Any, Any, Outcome]]
    ) -> None:
        work_for(gang.key, attempt)
        try:
            outcome = await work()
        except Exception:
            # This is an error in the operator. The status says what may exist, so after a pause the gang is followed
            # from there.
            log.exception("the gang's attempt stopped with an error", extra=about(gang.key))
            outcome = Outcome(ending=Ending.BROKEN_OFF)
        memory.task = memory.attempt = None
        if outcome.ending.is_failure:
            retry_seconds = memory.pause(outcome.failure)
            memory.count(outcome.failure)
            self._rest(gang.key, memory, retry_seconds)
        self._ended(gang, outcome)

    def _rest(self, gang: GangKey, memory: AttemptHistory, seconds: float) -> None:
        _cancel_retry(memory)
        memory.retry_at = self._services.monotonic() + seconds
        memory.retry = asyncio.get_running_loop().call_later(seconds, self._retry, gang, memory)

    def _retry(self, gang: GangKey, memory: AttemptHistory) -> None:
        memory.retry = None
        self._due(gang)

    def _time_of_day(self, memory: AttemptHistory) -> float:
        return self._services.now() + max(0.0, memory.retry_at - self._services.monotonic())


def _cancel_retry(memory: AttemptHistory) -> None:
    """Cancel the timer of the next try."""
    if memory.retry is not None:
        memory.retry.cancel()
        memory.retry = None
