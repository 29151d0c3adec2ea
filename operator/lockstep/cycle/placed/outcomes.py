"""Reports on gangs that hold nodes: whether they are placed or have started, their progress, and their end."""

from collections.abc import Mapping
from functools import partial

from coschedule import GangKey
from lockstep.act.requests.progress import Progress, remembered_ranks
from lockstep.api.gangjob.finished_runs import format_runs
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.cycle.clockwork.batches import Batches
from lockstep.cycle.ends.failure_policy import FailureAction
from lockstep.cycle.ends.overrun import overruns
from lockstep.cycle.placed.predictions import (
    record_finished,
    record_placed,
    record_resized,
    record_started,
    record_succeeded,
    speedup_reached,
)
from lockstep.cycle.placed.run_time_learning import (
    RunObservation,
    known_after,
    learn_from,
    observation_of,
    record_observation,
)
from lockstep.cycle.placed.run_times import ObservedRunTimes
from lockstep.cycle.placed.starts import Starts
from lockstep.cycle.placed.unit_times import ObservedUnitTimes
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.policies import Action
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.ranks import format_ranks
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import attempt_marks, endings, events
from lockstep.report.status.conditions import FALSE, mark_accepted
from lockstep.report.status.overruns import mark_overrunning
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.sentences import as_sentence


class Outcomes:
    """Creates the reports of gangs that hold nodes. Changes of single members are collected into one report.

    ``ends`` says when to write which members have succeeded, and ``parts`` when to write their progress. ``past_runs``
    learns from successful runs on ``nodes``.
    """

    def __init__(
        self,
        metrics: Metrics,
        starts: Starts,
        *,
        ends: Batches,
        parts: Batches,
        past_runs: PastRuns,
        nodes: Mapping[str, NodeFact],
    ) -> None:
        self._nodes = nodes
        self._metrics = metrics
        self._past_runs = past_runs
        self._starts = starts
        self._ends = ends
        self._parts = parts
        self.run_times = ObservedRunTimes()
        self.unit_times = ObservedUnitTimes()

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that has ended, or whose attempt has ended."""
        self.run_times.forget(gang)
        self.unit_times.forget(gang)
        self._ends.forget(gang)
        self._parts.forget(gang)

    def stop(self) -> None:
        """Drop all collected changes."""
        self._ends.stop()
        self._parts.stop()

    def placed(self, gang: GangFact, now: float) -> StatusReport:
        """The report that every member is bound."""
        planned = gang.status.condition(Condition.PLANNED)
        return StatusReport(
            status=attempt_marks.mark_placed(gang, now=now),
            event=events.gang_placed(planned.message if planned else ""),
            written=partial(self._count_placed, gang, now),
        )

    def running(
        self, gang: GangFact, reservation: Reservation, counts: Progress, part: str, now: float
    ) -> StatusReport | None:
        """The next report on running members: started, overrunning, successes, progress, or accepted again; or None."""
        if counts.is_running and gang.status.started_at is None:
            since = self.run_times.running_since(gang.key)
            skew = self._starts.skew(gang, reservation, since)
            status = attempt_marks.mark_started(gang, now=since)
            return StatusReport(status=status, written=partial(self._count_started, gang, reservation, status, skew))
        if overruns(gang, now):
            status = mark_overrunning(gang, now=now)
            says = status.condition(Condition.OVERRUNNING)
            return StatusReport(status=status, event=events.gang_overruns(says.message if says else ""))
        if counts.succeeded != remembered_ranks(gang, reservation).bit_count() and self._ends.is_due(gang.key):
            return StatusReport(status=attempt_marks.mark_succeeded_ranks(gang, format_ranks(counts.succeeded_ranks)))
        if part not in ("", gang.status.progress) and self._parts.is_due(gang.key):
            status = attempt_marks.with_unit_time(gang.status, self.unit_times.measured(gang.key))
            return StatusReport(status=attempt_marks.with_progress(status, part))
        return StatusReport(status=mark_accepted(gang, now)) if _was_refused(gang) else None

    def succeeded(self, gang: GangFact, reservation: Reservation, waived: int, now: float) -> StatusReport:
        """The report that every member that must succeed has succeeded, except ``waived`` members: see LateMembers."""
        run_time = self.run_times.run_time(gang)
        observation = observation_of(gang, reservation, run_time, self._nodes)
        past_runs = format_runs(known_after(self._past_runs, observation))
        reached = speedup_reached(gang, run_time, self._past_runs.in_force(gang))
        status = endings.mark_succeeded(gang, waived=waived, now=now, reached=reached, past_runs=past_runs)
        end = status.end
        return StatusReport(
            status=status,
            event=events.gang_succeeded(end.message if end else ""),
            written=partial(self._count_succeeded, gang, reservation, run_time, observation, now),
        )

    def failed(self, gang: GangFact, answer: FailureAction, now: float) -> StatusReport:
        """The report that the gang has failed, because of its failure policy or of its failed pieces."""
        status = endings.mark_failed(gang, answer.reason, answer.why, now=now)
        count = partial(self._count_failed, answer.action, answer.reason)
        return StatusReport(status=status, event=events.gang_failed(as_sentence(answer.why)), written=count)

    def restarting(self, gang: GangFact, answer: FailureAction, part: str, waits: str, now: float) -> StatusReport:
        """The report that the gang restarts, because of its failure policy or of pieces that are not done."""
        status = endings.mark_restarting(
            gang,
            answer.why,
            counts=answer.action is Action.RESTART_GANG,
            pause_seconds=gang.policies.failure.pause_seconds(gang.status.restarts),
            waits=waits,
            now=now,
        )
        return StatusReport(
            status=attempt_marks.with_progress(status, part),
            event=events.gang_restarting(as_sentence(answer.why)),
            written=self._metrics.failures.labels(answer.action).inc,
        )

    def deadline_exceeded(self, gang: GangFact, now: float) -> StatusReport:
        """The report that the gang has exceeded its active deadline."""
        status = endings.mark_deadline_exceeded(gang, now=now)
        end = status.end
        return StatusReport(
            status=status,
            event=events.gang_failed(end.message if end else ""),
            written=self._metrics.ended.labels(Reason.DEADLINE_EXCEEDED).inc,
        )

    def _count_placed(self, gang: GangFact, now: float) -> None:
        self._metrics.decisions.labels(Condition.PLACED).inc()
        if gang.status.active_since is None:
            self._metrics.gang_wait.observe(max(0.0, now - gang.created))
        record_placed(self._metrics.predictions, gang)
        if gang.status.plan is not None and gang.status.start is not None:
            self._metrics.promises.started(
                gang.status.plan, created=gang.created, start=gang.status.start, ran_before=gang.status.ran_before
            )

    def _count_started(self, gang: GangFact, reservation: Reservation, status: GangStatus, skew: float) -> None:
        since, change = status.started_at or 0.0, status.last_change
        record_started(self._metrics.predictions, gang, reservation, since=since, skew=skew)
        if change is not None and change.seconds is not None and status.resized_at == status.start:
            self._metrics.resizing.made(change.seconds, stopped_members=reservation.size)

    def _count_succeeded(
        self,
        gang: GangFact,
        reservation: Reservation,
        run_time: float | None,
        observation: RunObservation | None,
        now: float,
    ) -> None:
        self._metrics.ended.labels(Reason.SUCCEEDED).inc()
        record_resized(self._metrics.resizing, gang, now=now)
        if run_time is not None:
            learned = self._past_runs.in_force(gang)
            record_succeeded(self._metrics.predictions, gang, reservation, run_time, learned)
            record_finished(self._metrics.finishes, gang, reservation, run_time, now=now)
        if self._past_runs.learns:
            before = self._past_runs.run_count
            learn_from(self._past_runs, observation)
            record_observation(self._metrics.learning, gang, observation, gained=self._past_runs.run_count - before)

    def _count_failed(self, action: Action, reason: Reason) -> None:
        self._metrics.failures.labels(action).inc()
        self._metrics.ended.labels(reason).inc()


def _was_refused(gang: GangFact) -> bool:
    """Whether the status of a running gang still says that an operator with other options refused its spec."""
    accepted = gang.status.condition(Condition.ACCEPTED)
    return accepted is not None and accepted.status == FALSE
