"""Reconciles each gang whose facts have changed, also a deleted one, and takes the next step for it.

Level-triggered: each pass starts from the gang, its reservation and its pods. An extra pass changes nothing, and the
first pass after a restart continues unfinished work.
"""

import logging
from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import assert_never

from coschedule import GangKey, Placement
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.changing.pod_patches import STOP, PodPatches
from lockstep.act.ending.leftover_checks import LeftoverChecks
from lockstep.act.expiries import Expiries
from lockstep.act.members.sweep import Sweeper
from lockstep.act.requests.services import Services
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.belief.losses import resume_rejection
from lockstep.cycle.awaiting.ahead_reports import awaited_likely_start
from lockstep.cycle.awaiting.awaiting import AwaitingGangs
from lockstep.cycle.awaiting.ring_search import RingSearch
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.ends.active_deadline import active_deadline_time, is_exceeded
from lockstep.cycle.ends.expiry import expires_at
from lockstep.cycle.ends.kept_members import kept_until, remains, stopped_by
from lockstep.cycle.ends.overrun import overrun_time
from lockstep.cycle.explaining.refusals import refusal_report
from lockstep.cycle.kueue.queued_gangs import QueuedGangJobs
from lockstep.cycle.kueue.queued_sizes import QueuedSizes
from lockstep.cycle.placed.reserved import ReservedGangs
from lockstep.cycle.podgang.following import PodGangFollower
from lockstep.cycle.resizing.resizing import Resizing
from lockstep.facts.gang.gang import GangFact, RefusedGang
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import attempt_marks, endings, events
from lockstep.report.status.writer import StatusReport

_PAUSE_AFTER_ERROR_SECONDS = 10.0

log = logging.getLogger(__name__)


class Follower:
    """Reconciles gangs: reports what pods show, resumes and stops attempts, deletes pods without a reservation.

    ``resizing`` changes the size of gangs that run. ``change_size`` is called for a gang whose members have all ended,
    and which then starts again at another size.
    """

    def __init__(
        self,
        services: Services,
        attempts: Attempts,
        dry_runs: DryRuns,
        metrics: Metrics,
        *,
        resizing: Resizing,
        change_size: Callable[[GangFact, float], None],
    ) -> None:
        self._change_size = change_size
        self._state = services.state
        self._attempts = attempts
        self._dry_runs = dry_runs
        self._writer = services.writer
        self._metrics = metrics
        self._monotonic = services.monotonic
        self._lost_nodes = services.lost_nodes
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        # Gangs whose last pass raised, with the time of their next one (monotonic clock).
        self._retry_at: dict[GangKey, float] = {}
        self._reserved = ReservedGangs(services, attempts, metrics, resizing)
        self._add_what_waits(services)
        self._pod_gangs = PodGangFollower(services, attempts, metrics, resizing.pod_gangs, self._awaiting)
        self._add_what_cleans_up(services)

    def _add_what_waits(self, services: Services) -> None:
        """Create the parts that follow gangs which wait for other gangs, or in queues of Kueue."""
        self._rings = RingSearch(services.state, services.monotonic)
        self._awaiting = AwaitingGangs(services, self._metrics)
        self._queued = QueuedGangJobs(services)
        self._queued_sizes = QueuedSizes(services)

    def _add_what_cleans_up(self, services: Services) -> None:
        """Create the parts that stop pods, delete pods and delete gangs."""
        self._stops = PodPatches(services.client, services.state, STOP)
        self._sweeper = Sweeper(services.client, services.state, services.deletions)
        self._leftovers = LeftoverChecks(services)
        self._expiries = Expiries(services)

    def reconcile_changed(self, now: float) -> Generator[None, None, list[GangKey]]:
        """Reconcile every gang that has changed, one in each step. The cache may change between steps.

        Returns the gangs that no longer exist.
        """
        self._lost_nodes.update()
        yield from self._rings.searching()
        due = self._monotonic()
        changed = sorted(key for key in self._state.changes.gangs if self._retry_at.get(key, due) <= due)
        gone = []
        for key in changed:
            yield
            if self._reconcile_guarded(key, now):
                gone.append(key)
        self._sweeper.sweep(changed)
        self._leftovers.begin()
        self._pod_gangs.begin()
        return gone

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        self._lost_nodes.stop()
        self._alarms.stop()
        await self._awaiting.stop()
        await self._queued.stop()
        await self._queued_sizes.stop()
        await self._reserved.stop()
        await self._pod_gangs.stop()
        await self._expiries.stop()
        await self._stops.stop()
        await self._sweeper.stop()
        await self._leftovers.stop()

    def give_sizes(self, placements: Iterable[Placement], now: float) -> None:
        """Give owners in queues of Kueue the sizes that a plan has chosen for them."""
        self._queued_sizes.give(placements, now)

    def seconds_to_next_retry(self) -> float:
        """Seconds until a gang whose last pass raised is due again, or until rings are searched.

        The smaller of the two values; infinity if neither is due.
        """
        retry = min(self._retry_at.values(), default=float("inf")) - self._monotonic()
        return min(retry, self._rings.seconds)

    def _reconcile_guarded(self, key: GangKey, now: float) -> bool:
        """Reconcile one gang. Returns whether it no longer exists.

        An error affects this gang only: it stays marked as changed and is reconciled again after a pause.
        """
        self._retry_at.pop(key, None)
        self._state.changes.reconciling(key)
        try:
            return self._reconcile(key, now)
        except Exception:
            log.exception("the gang could not be checked, and is checked again later", extra=about(key))
            self._metrics.gang_errors.labels("follow").inc()
            self._state.changes.reconcile_later(key)
            self._retry_at[key] = self._monotonic() + _PAUSE_AFTER_ERROR_SECONDS
            return False

    def _reconcile(self, key: GangKey, now: float) -> bool:
        self._state.pod_gang_facts.renew(key)
        self._state.predecessors.pods_changed(key)
        self._pod_gangs.wake(key)
        self._queued_sizes.check(key, now)
        gang = self._state.gangs.get(key)
        if gang is None:
            self._attempts.drop(key)
            self._writer.forget(key)
            self._forget(key)
            self._pod_gangs.forget(key)
            self._pod_gangs.reconcile_made(key)
            return True
        self._alarms.set(key, self._state.pod_gangs.next_turn(key, now) or _next_alarm(gang, now))
        self._queued.check(gang, now)
        resume_rejection(self._state, gang, now)
        if self._attempts.must_stop(gang, is_unwanted=self._reserved.is_unwanted(gang, now)):
            self._attempts.drop(key)
        if self._attempts.is_under_way(key):
            if is_pod_gang(key):
                self._pod_gangs.check_attempt(gang, now)
            elif self._attempts.is_undoing(key):
                # An eviction may tear the gang down while members join it.
                self._reserved.forget(key)
            self._attempts.wake(key)
        else:
            self._reconcile_idle(gang, now)
        return False

    def _reconcile_idle(self, gang: GangFact, now: float) -> None:
        reservation = self._reservation(gang)
        if is_pod_gang(gang.key):
            self._pod_gangs.reconcile(gang, reservation, now)
            return
        phase = self._state.phase_of(gang)
        if phase is Phase.COMPLETE:
            self._clean_up_after(gang, now)
            return
        members = self._state.members(gang).values()
        if reservation is not None:
            stale = [pod for pod in members if pod.member and not reservation.is_for(pod.member)]
            self._sweeper.delete(gang.key, stale)
            self._reserved.reconcile(gang, reservation, now)
        else:
            self._reserved.forget(gang.key)
            if not _runs_on(gang, now):
                self._sweeper.delete(gang.key, members)
            self._reconcile_unreserved(gang, phase, now)

    def _reconcile_unreserved(self, gang: GangFact, phase: Phase, now: float) -> None:
        if phase is not Phase.DELETED and is_exceeded(gang, now):
            self._reserved.end(gang, now)
        elif not self._awaiting.check(gang, phase, now):
            self._reconcile_waiting(gang, phase, now)

    def _reconcile_waiting(self, gang: GangFact, phase: Phase, now: float) -> None:
        match phase:
            case Phase.DELETED:
                self._writer.report(gang, partial(_deletion, gang, now))
            case Phase.REFUSED:
                if gang.refusal is not None:
                    self._dry_runs.ask(gang)
                self._writer.report(gang, partial(refusal_report, self._state, gang, now))
            case Phase.SUSPENDED:
                self._attempts.forgive(gang.key)
                self._writer.report(gang, partial(self._suspension, gang, now))
            case Phase.WAITING | Phase.BACKING_OFF if gang.status.next_size is not None:
                self._change_size(gang, now)
            case Phase.WAITING | Phase.BACKING_OFF:
                self._dry_runs.ask_early(gang)
                if (restarts_at := gang.restarts_at(now)) is not None:
                    self._attempts.rest(gang, restarts_at - now)
            case Phase.AWAITS_OTHERS | Phase.AWAITS_PODS | Phase.RESERVED | Phase.PLACED | Phase.COMPLETE:
                raise ValueError(f"a gang that is {phase} is followed elsewhere")
            case _:
                assert_never(phase)

    def _reservation(self, gang: GangFact) -> Reservation | None:
        """The reservation of a gang that has no running attempt. It is exactly what the status says."""
        if reserved_in_status(gang) is None:
            self._state.assumptions.let_go(gang)
        else:
            self._state.assumptions.hold_what_is_reserved(gang)
        return self._state.reservations.get(gang.key)

    def _suspension(self, gang: GangFact, now: float) -> StatusReport | None:
        """Report that the gang is suspended or resumed. A resumed gang is planned once its status is written."""
        is_reported = gang.status.is_true(Condition.SUSPENDED)
        if gang.policies.is_suspended:
            status = endings.mark_suspended(gang, now=now)
            event = None if is_reported else events.gang_suspended(_message(status, Condition.SUSPENDED))
            return None if status == gang.status else StatusReport(status=status, event=event)
        status = endings.mark_resumed(gang, now=now)
        event = events.gang_resumed(_message(status, Condition.SUSPENDED))
        return StatusReport(status=status, event=event, written=self._state.changes.plan)

    def _clean_up_after(self, gang: GangFact, now: float) -> None:
        """Stop members of a finished gang that still run, delete pods that are not kept, and the gang after its TTL."""
        self._reserved.forget(gang.key)
        stopped, deleted = remains(gang, self._state.members(gang).values(), now)
        self._stops.make(gang.key, stopped)
        self._sweeper.delete(gang.key, deleted)
        end = expires_at(gang)
        # A successor that has not recorded the end yet would wait for a gang that is gone.
        if end is not None and end <= now and self._state.predecessors.is_end_known(gang.key):
            self._expiries.delete(gang)

    def _forget(self, gang: GangKey) -> None:
        self._awaiting.forget(gang)
        self._queued.forget(gang)
        self._alarms.forget(gang)
        self._reserved.forget(gang)
        self._expiries.forget(gang)
        self._stops.forget(gang)


def _next_alarm(gang: GangFact, now: float) -> float | None:
    """The next time at which the gang must be reconciled although nothing changes, if any."""
    times = (
        overrun_time(gang),
        active_deadline_time(gang),
        expires_at(gang),
        stopped_by(gang),
        kept_until(gang),
        awaited_likely_start(gang),
    )
    return min((time for time in times if time is not None and time > now), default=None)


def _runs_on(gang: GangFact, now: float) -> bool:
    """Whether the members of a gang stay although its spec is refused. They end by their deadline, as others do."""
    return isinstance(gang, RefusedGang) and gang.runs_on and not is_exceeded(gang, now)


def _message(status: GangStatus, kind: Condition) -> str:
    condition = status.condition(kind)
    return "" if condition is None else condition.message


def _deletion(gang: GangFact, now: float) -> StatusReport | None:
    """Report that the gang is being deleted, while a finalizer keeps the object; None if its status says so."""
    planned = gang.status.condition(Condition.PLANNED)
    if planned is not None and planned.reason == Reason.GANG_DELETED:
        return None
    return StatusReport(status=attempt_marks.mark_being_deleted(gang, now=now))
