"""What becomes of gangs that hold nodes, and of those that are gone: from what their pods show to the next step.

Level, not edge: each look starts from the gang, its reservation and its pods, so that a look too many changes nothing,
and the first look after a restart continues whatever stands half-way.
"""

import logging
from collections.abc import Generator
from functools import partial
from typing import assert_never

from coschedule import GangKey
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.changing.pod_patches import STOP, PodPatches
from lockstep.act.expiries import Expiries
from lockstep.act.requests.services import Services
from lockstep.act.sweep import Sweeper
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.belief.losses import resume_rejection
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.ends.active_deadline import exceeded_at, is_exceeded
from lockstep.cycle.ends.expiry import expires_at
from lockstep.cycle.ends.kept_members import kept_until, remains, stopped_by
from lockstep.cycle.ends.overrun import overruns_at
from lockstep.cycle.placed.reserved import ReservedGangs
from lockstep.facts.gang.gang import GangFact, GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import conditions, endings, events
from lockstep.report.status.writer import StatusReport

_PAUSE_AFTER_ERROR_SECONDS = 10.0

log = logging.getLogger(__name__)


class Follower:
    """Follows gangs: reports what their pods show, starts and stops attempts, deletes pods that no gang stands for."""

    def __init__(self, services: Services, attempts: Attempts, dry_runs: DryRuns, metrics: Metrics) -> None:
        self._sweeper = Sweeper(services.client, services.state, services.deletions)
        self._stops = PodPatches(services.client, services.state, STOP)
        self._lost_nodes = services.lost_nodes
        self._reserved = ReservedGangs(services, attempts, metrics)
        self._expiries = Expiries(services)
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._state = services.state
        self._attempts = attempts
        self._dry_runs = dry_runs
        self._writer = services.writer
        self._metrics = metrics
        self._monotonic = services.monotonic
        # Gangs whose last look raised, and when they are looked at again, by the monotonic clock.
        self._set_aside: dict[GangKey, float] = {}

    def following(self, now: float) -> Generator[None, None, list[GangKey]]:
        """Look at every gang of which there is news, one a step, between which belief may change.

        Returns those that are gone.
        """
        self._lost_nodes.update()
        due = self._monotonic()
        changed = sorted(key for key in self._state.changes.gangs if self._set_aside.get(key, due) <= due)
        gone = []
        for key in changed:
            yield
            if self._look_guarded(key, now):
                gone.append(key)
        self._sweeper.sweep(changed)
        return gone

    async def stop(self) -> None:
        """Leave everything as it stands."""
        self._lost_nodes.stop()
        self._alarms.stop()
        await self._reserved.stop()
        await self._expiries.stop()
        await self._stops.stop()
        await self._sweeper.stop()

    def next_look(self) -> float:
        """In how many seconds a gang that was set aside is looked at again; infinite where there is none."""
        return min(self._set_aside.values(), default=float("inf")) - self._monotonic()

    def _look_guarded(self, key: GangKey, now: float) -> bool:
        """Look at one gang; returns whether it is gone.

        A look that raises costs nobody else anything: the news of that gang is kept, for another look after a pause.
        """
        self._set_aside.pop(key, None)
        self._state.changes.reconciling(key)
        try:
            return self._look(key, now)
        except Exception:
            log.exception("could not be followed, and is looked at again later", extra=about(key))
            self._metrics.gang_errors.labels("follow").inc()
            self._state.changes.reconcile_later(key)
            self._set_aside[key] = self._monotonic() + _PAUSE_AFTER_ERROR_SECONDS
            return False

    def _look(self, key: GangKey, now: float) -> bool:
        gang = self._state.gangs.get(key)
        if gang is None:
            self._attempts.drop(key)
            self._state.forget(key)
            self._writer.forget(key)
            self._forget(key)
            return True
        self._alarms.set(key, _next_look(gang, now))
        resume_rejection(self._state, gang, now)
        if self._attempts.must_stop(gang, is_unwanted=self._reserved.is_unwanted(gang, now)):
            self._attempts.drop(key)
        if self._attempts.is_under_way(key):
            self._attempts.wake(key)
        else:
            self._look_at(gang, now)
        return False

    def _look_at(self, gang: GangFact, now: float) -> None:
        reservation = self._reservation(gang)
        phase = self._state.phase_of(gang)
        if phase is Phase.COMPLETE:
            self._clean_up_after(gang, now)
            return
        members = self._state.members(gang).values()
        if reservation is not None:
            strays = [pod for pod in members if pod.member and pod.member.attempt != reservation.attempt]
            self._sweeper.delete(gang.key, strays)
            self._reserved.look_at(gang, reservation, now)
        else:
            self._reserved.forget(gang.key)
            self._sweeper.delete(gang.key, members)
            self._look_at_unreserved(gang, phase, now)

    def _look_at_unreserved(self, gang: GangFact, phase: Phase, now: float) -> None:
        if phase is not Phase.DELETED and is_exceeded(gang, now):
            self._reserved.end(gang, now)
            return
        match phase:
            case Phase.DELETED:
                self._writer.report(gang, partial(_deletion, gang, now))
            case Phase.REFUSED:
                if gang.refusal is not None:
                    self._dry_runs.ask(gang)
                self._writer.report(gang, partial(self._refusal, gang, now))
            case Phase.SUSPENDED:
                self._attempts.forgive(gang.key)
                self._writer.report(gang, partial(self._suspension, gang, now))
            case Phase.WAITING | Phase.BACKING_OFF:
                self._dry_runs.ask_early(gang)
                if gang.status.restart_at is not None and gang.status.restart_at > now:
                    self._attempts.rest(gang.key, gang.status.restart_at - now)
            case Phase.RESERVED | Phase.PLACED | Phase.COMPLETE:
                raise ValueError(f"a gang that is {phase} is followed elsewhere")
            case _:
                assert_never(phase)

    def _reservation(self, gang: GangFact) -> Reservation | None:
        """What the gang holds, without an attempt of it under way: what its status says, and nothing else."""
        if reserved_in_status(gang) is None:
            self._state.forget(gang.key)
        else:
            self._state.hold_what_is_reserved(gang)
        return self._state.reservations.get(gang.key)

    def _refusal(self, gang: GangFact, now: float) -> StatusReport | None:
        refusal = self._state.refusal_of(gang)
        if refusal is None:
            return None
        rejected = self._state.rejections.rejected(gang) if refusal.reason == Reason.REJECTED_BY_KUBELETS else None
        status = conditions.mark_refused(gang, refusal, now=now, rejected=rejected)
        if status == gang.status:
            return None
        return StatusReport(status=status, event=events.not_accepted(refusal))

    def _suspension(self, gang: GangFact, now: float) -> StatusReport | None:
        """That the gang is suspended, or not any more: it is planned when its status says so."""
        is_told = gang.status.is_true(Condition.SUSPENDED)
        if gang.policies.is_suspended:
            status = endings.mark_suspended(gang, now=now)
            event = None if is_told else events.gang_suspended(_message(status, Condition.SUSPENDED))
            return None if status == gang.status else StatusReport(status=status, event=event)
        status = endings.mark_resumed(gang, now=now)
        event = events.gang_resumed(_message(status, Condition.SUSPENDED))
        return StatusReport(status=status, event=event, written=self._state.changes.plan)

    def _clean_up_after(self, gang: GangFact, now: float) -> None:
        """A gang that is over leaves no member that runs; its pods stay for their logs."""
        self._reserved.forget(gang.key)
        stopped, deleted = remains(gang, self._state.members(gang).values(), now)
        self._stops.make(gang.key, stopped)
        self._sweeper.delete(gang.key, deleted)
        end = expires_at(gang)
        if end is not None and end <= now:
            self._expiries.delete(gang)

    def _forget(self, gang: GangKey) -> None:
        self._alarms.forget(gang)
        self._reserved.forget(gang)
        self._expiries.forget(gang)
        self._stops.forget(gang)


def _next_look(gang: GangFact, now: float) -> float | None:
    """When time alone changes what becomes of the gang, if it does."""
    times = (overruns_at(gang), exceeded_at(gang), expires_at(gang), stopped_by(gang), kept_until(gang))
    return min((time for time in times if time is not None and time > now), default=None)


def _message(status: GangStatus, kind: Condition) -> str:
    condition = status.condition(kind)
    return "" if condition is None else condition.message


def _deletion(gang: GangFact, now: float) -> StatusReport | None:
    """Somebody keeps the object: say why nothing becomes of it."""
    planned = gang.status.condition(Condition.PLANNED)
    if planned is not None and planned.reason == Reason.GANG_DELETED:
        return None
    return StatusReport(status=conditions.mark_being_deleted(gang, now=now))
