"""What becomes of gangs that hold nodes, and of those that are gone: from what their pods show to the next step.

Level, not edge: each look starts from the gang, its reservation and its pods, so that a look too many changes nothing,
and the first look after a restart continues whatever stands half-way.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from functools import partial

from coschedule.cluster.snapshot import GangKey
from lockstep.act.attempt import Tools
from lockstep.act.progress import Progress, progress
from lockstep.act.sweep import sweep_orphans
from lockstep.act.undo import delete_pods
from lockstep.attempts import Attempts
from lockstep.facts import GangFact, PodFact, Refusal
from lockstep.failure import Failure
from lockstep.names import Condition, Reason
from lockstep.report import conditions, events
from lockstep.report.metrics import Metrics
from lockstep.report.reporter import Reporter
from lockstep.state import Reservation


class Follower:
    """Follows gangs. Reports through ``reporter``, starts and stops attempts, deletes pods that no gang stands for."""

    def __init__(self, tools: Tools, attempts: Attempts, reporter: Reporter, metrics: Metrics) -> None:
        self._client = tools.client
        self._state = tools.state
        self._attempts = attempts
        self._reporter = reporter
        self._metrics = metrics
        self._deletions: set[asyncio.Task[None]] = set()
        # When all members were first seen running, and ended: a status keeps whole seconds, and waits its turn.
        self._running_since: dict[GangKey, float] = {}
        self._ended_at: dict[GangKey, float] = {}

    def follow(self, changed: Iterable[GangKey], now: float) -> list[GangKey]:
        """Look at every gang of which there is news. Returns those that are gone."""
        gone = []
        for key in sorted(changed):
            gang = self._state.gangs.get(key)
            if gang is None or gang.is_deleting:
                self._attempts.drop(key)
                self._state.forget(key)
                self._forget_times(key)
                gone.append(key)
            elif self._attempts.is_under_way(key):
                self._attempts.tell(key)
            else:
                self._look_at(gang, now)
        if gone:
            self._sweep_orphans()
        return gone

    def _look_at(self, gang: GangFact, now: float) -> None:
        self._state.hold_what_is_reserved(gang)
        reservation = self._state.reservations.get(gang.key)
        if gang.status.is_true(Condition.COMPLETE):
            self._clean_up_after(gang)
        elif reservation is not None:
            self._look_at_members(gang, reservation, now)
        else:
            self._delete(self._state.members(gang).values())
            self._refuse_what_cannot_be(gang, now)

    def _look_at_members(self, gang: GangFact, reservation: Reservation, now: float) -> None:
        strays = [
            pod
            for pod in self._state.members(gang).values()
            if pod.member and pod.member.attempt != reservation.attempt
        ]
        self._delete(strays)
        counts = progress(reservation, self._state.members(gang), self._state.departed(gang))
        self._note_times(gang.key, counts, now)
        if not gang.status.is_true(Condition.PLACED):
            self._look_at_unplaced(gang, reservation, counts, now)
        elif counts.disrupted is not None or counts.unseen:
            lost = Failure(reason=Reason.POD_LOST, message=f"{counts.unseen} of its pods are gone")
            self._forget_times(gang.key)
            self._attempts.interrupt(gang, reservation, counts.disrupted or lost)
        elif not self._reporter.is_writing(gang.key):
            self._report_run(gang, reservation, counts, now)

    def _look_at_unplaced(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> None:
        if not counts.is_bound or counts.disrupted is not None:
            self._attempts.resume(gang, reservation)
        elif not self._reporter.is_writing(gang.key):
            self._attempts.succeeded(gang.key)
            planned = gang.status.condition(Condition.PLANNED)
            event = events.gang_placed(planned.message if planned else "")
            self._reporter.report(
                gang, conditions.placed(gang, now=now), event, written=partial(self._count_placed, now - gang.created)
            )

    def _report_run(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> None:
        """Report what a placed gang's members show: running, all succeeded, or one failed."""
        if counts.failed is not None:
            event = events.gang_failed(counts.failed)
            self._reporter.report(gang, conditions.failed(gang, counts.failed, now=now), event)
        elif counts.has_succeeded:
            self._report_success(gang, reservation, now)
        elif counts.is_running and gang.status.started_at is None:
            since = self._running_since[gang.key]
            delay = max(0.0, since - first_planned_start(gang, reservation))
            observe = partial(self._metrics.start_delay.observe, delay)
            self._reporter.report(gang, conditions.started(gang, now=since), None, written=observe)

    def _report_success(self, gang: GangFact, reservation: Reservation, now: float) -> None:
        status = conditions.succeeded(gang, now=now)
        end = status.condition(Condition.COMPLETE)
        event = events.gang_succeeded(end.message if end else "")
        ratio = self._run_time_ratio(gang, reservation)
        observe = None if ratio is None else partial(self._metrics.run_time_ratio.observe, ratio)
        self._reporter.report(gang, status, event, written=observe)

    def _run_time_ratio(self, gang: GangFact, reservation: Reservation) -> float | None:
        """Run time over its prediction; nothing where there was none, or where nobody saw the gang run."""
        predicted = reservation.expected_finish
        if predicted is None or gang.status.started_at is None:
            return None
        since = self._running_since[gang.key]
        if since > gang.status.started_at + 1:
            # An earlier process saw it start: the status says when, to the second.
            since = gang.status.started_at
        return max(0.0, self._ended_at[gang.key] - since) / max(predicted - reservation.start, 1e-9)

    def _note_times(self, gang: GangKey, counts: Progress, now: float) -> None:
        if counts.is_running:
            self._running_since.setdefault(gang, now)
        if counts.has_succeeded:
            self._ended_at.setdefault(gang, now)

    def _forget_times(self, gang: GangKey) -> None:
        self._running_since.pop(gang, None)
        self._ended_at.pop(gang, None)

    def _refuse_what_cannot_be(self, gang: GangFact, now: float) -> None:
        refusal = gang.refusal
        if refusal is None:
            refusal = self._refusal_by_others(gang)
        if refusal is None or self._reporter.is_writing(gang.key):
            return
        status = conditions.refused(gang, refusal, now=now)
        if status != gang.status:
            self._reporter.report(gang, status, events.invalid_spec(refusal.message))

    def _refusal_by_others(self, gang: GangFact) -> Refusal | None:
        """Why what the spec names, and others have made, does not let it be obeyed."""
        assert gang.spec is not None, "a gang without a refusal has a spec"
        if self._state.priority_of(gang) is None:
            name = gang.spec.priority_class
            return Refusal(Reason.UNKNOWN_PRIORITY_CLASS, f"priorityClassName: there is no PriorityClass {name}.")
        return self._state.claims.refusal(gang)

    def _clean_up_after(self, gang: GangFact) -> None:
        """A failed gang leaves no member that waits for the missing one; pods that have ended stay for their logs."""
        self._forget_times(gang.key)
        self._delete(pod for pod in self._state.members(gang).values() if not pod.has_ended)

    def _count_placed(self, waited: float) -> None:
        self._metrics.decisions.labels(Condition.PLACED).inc()
        self._metrics.gang_wait.observe(max(0.0, waited))

    def _sweep_orphans(self) -> None:
        orphans = [pod for pod in self._state.orphans() if not pod.is_deleting]
        if orphans:
            self._spawn(sweep_orphans(self._client, orphans))

    def _delete(self, pods: Iterable[PodFact]) -> None:
        doomed = [pod for pod in pods if not pod.is_deleting]
        if doomed:
            self._spawn(self._delete_all(doomed))

    async def _delete_all(self, pods: list[PodFact]) -> None:
        await delete_pods(self._client, pods)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._deletions.add(task)
        task.add_done_callback(self._deletions.discard)


def first_planned_start(gang: GangFact, reservation: Reservation) -> float:
    """The start that the first plan gave.

    The status keeps whole seconds; where nothing was put off, the reservation knows better.
    """
    first = gang.status.first_planned_start
    return reservation.start if first is None or abs(first - reservation.start) < 1 else first
