"""Events and metrics of attempts. Other modules write the statuses."""

from collections.abc import Callable
from typing import assert_never

from lockstep.act.requests.outcome import Ending, Outcome
from lockstep.belief.state import State
from lockstep.cycle.resizing.preemptor_events import post_shrink
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import seen_from
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reason_meanings import MEANINGS
from lockstep.facts.reasons import Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.events import (
    bind_interrupted,
    changed_by_admission,
    gang_changes_size,
    gang_preempted,
    gang_undoing,
    owner_returned,
    preempted_for_gang,
    status_refused,
)
from lockstep.report.status.writer import StatusWriter
from lockstep.report.text.admission import changes


class AttemptEvents:
    """Sends the events of attempts and counts their metrics, after the statuses are written."""

    def __init__(self, state: State, writer: StatusWriter, metrics: Metrics, *, now: Callable[[], float]) -> None:
        self._state = state
        self._writer = writer
        self._metrics = metrics
        self._now = now

    def ended(self, gang: GangFact, outcome: Outcome) -> None:
        """Report how an attempt ended."""
        match outcome.ending:
            case Ending.NOT_RESERVED:
                self._metrics.conflicts.inc()
            case Ending.REFUSED:
                self._writer.post(gang, status_refused(outcome.refusal))
            case Ending.PLACED | Ending.UNDONE | Ending.BROKEN_OFF:
                pass
            case _:
                assert_never(outcome.ending)
        if outcome.failure is not None:
            self._metrics.undone.labels(outcome.failure.reason).inc()
            if not outcome.failure.is_wanted:
                self._writer.post(gang, bind_interrupted(outcome.failure))

    def admission(self, gang: GangFact) -> None:
        """Report that admission changes the members' template. A refusal is in the gang's status instead."""
        if isinstance(gang, AcceptedGang) and gang.spec.is_changed_by_admission:
            self._writer.post(gang, changed_by_admission(changes(gang.spec)))

    def undoing_lasts(self, gang: GangFact, failure: Failure, waits: str) -> None:
        """Report that it takes long to tear down an attempt. ``waits`` says what the teardown waits for."""
        self._writer.post(gang, gang_undoing(failure, waits))

    def undoing(self, gang: GangFact, failure: Failure) -> None:
        """Report why the gang is torn down. For a preemption, both gangs get an event that names the other."""
        if failure.reason is Reason.OWNER_RETURNED:
            self._writer.post(gang, owner_returned(failure.message))
        elif failure.reason is Reason.CHANGING_SIZE:
            self._changing_size(gang, failure)
        elif MEANINGS[failure.reason].gives_way:
            self._preempted(gang, failure)

    def _changing_size(self, gang: GangFact, failure: Failure) -> None:
        if failure.next_size is not None:
            is_growing = failure.next_size.size > (gang.status.size or 0)
            self._metrics.size_changes.labels("grow" if is_growing else "shrink").inc()
            post_shrink(self._state, self._writer, gang, failure.next_size.size, failure.message)
        self._writer.post(gang, gang_changes_size(failure.message))

    def _preempted(self, gang: GangFact, failure: Failure) -> None:
        since = gang.status.started_at
        self._metrics.preempted(seconds=0.0 if since is None else self._now() - since, members=gang.status.size or 0)
        self._writer.post(gang, gang_preempted(failure.message))
        key = self._state.giving_way.evicted.preemptor_of(gang.key)
        preemptor = None if key is None else self._state.gangs.get(key)
        if preemptor is not None:
            self._writer.post(preemptor, preempted_for_gang(seen_from(preemptor.key.namespace, gang.key)))
