"""What becomes of gangs that hold nodes, and of those that are gone: from what their pods show to the next step.

Level, not edge: each look starts from the gang, its reservation and its pods, so that a look too many changes nothing,
and the first look after a restart continues whatever stands half-way.
"""

import logging
from functools import partial

from coschedule import GangKey
from lockstep.act.attempts import Attempts
from lockstep.act.dry_runs import DryRuns
from lockstep.act.progress import Progress, progress, remembered_ranks
from lockstep.act.services import Services
from lockstep.act.sweep import Sweeper
from lockstep.act.undo import undone_in_status
from lockstep.belief.phases import Phase
from lockstep.belief.reservation import Reservation, reserved_in_status
from lockstep.cycle.batches import Batches
from lockstep.cycle.promises import note_placed, note_started, note_succeeded
from lockstep.cycle.starts import Starts, has_gates
from lockstep.facts.failure import Failure
from lockstep.facts.gang import GangFact
from lockstep.facts.ranks import spell_ranks
from lockstep.facts.reasons import Condition, Reason
from lockstep.logs.fields import about
from lockstep.report import conditions, events
from lockstep.report.metrics import Metrics
from lockstep.report.sentences import n_pods
from lockstep.report.writer import Report

_PAUSE_AFTER_ERROR_SECONDS = 10.0
_NOT_OURS = Failure(
    reason=Reason.NO_LONGER_FITS, message="its status was changed by somebody else to say that it holds nodes"
)
# Members that end within so long are written down together.
_REMEMBER_SECONDS = 3.0
_GANG_DELETED = Failure(reason=Reason.GANG_DELETED, message="the GangJob is being deleted")

log = logging.getLogger(__name__)


class Follower:
    """Follows gangs: reports what their pods show, starts and stops attempts, deletes pods that no gang stands for."""

    def __init__(self, services: Services, attempts: Attempts, dry_runs: DryRuns, metrics: Metrics) -> None:
        self._sweeper = Sweeper(services.client, services.state, services.deletions)
        self._lost_nodes = services.lost_nodes
        self._starts = Starts(services)
        self._ends = Batches(_REMEMBER_SECONDS, due=services.state.news.look_at)
        self._state = services.state
        self._attempts = attempts
        self._dry_runs = dry_runs
        self._writer = services.writer
        self._metrics = metrics
        # When all members were first seen running, and ended: a status keeps whole seconds, and waits its turn.
        self._running_since: dict[GangKey, float] = {}
        self._ended_at: dict[GangKey, float] = {}
        self._monotonic = services.monotonic
        # Gangs whose last look raised, and when they are looked at again, by the monotonic clock.
        self._set_aside: dict[GangKey, float] = {}

    def follow(self, now: float) -> list[GangKey]:
        """Look at every gang of which there is news. Returns those that are gone."""
        self._lost_nodes.note()
        due = self._monotonic()
        changed = sorted(key for key in self._state.news.gangs if self._set_aside.get(key, due) <= due)
        gone = [key for key in changed if self._look_guarded(key, now)]
        self._sweeper.sweep(changed)
        return gone

    async def stop(self) -> None:
        """Leave everything as it stands."""
        self._lost_nodes.stop()
        self._ends.stop()
        await self._starts.stop()
        await self._sweeper.stop()

    def next_look(self) -> float:
        """In how many seconds a gang that was set aside is looked at again; infinite where there is none."""
        return min(self._set_aside.values(), default=float("inf")) - self._monotonic()

    def _look_guarded(self, key: GangKey, now: float) -> bool:
        """Look at one gang; returns whether it is gone.

        A look that raises costs nobody else anything: the news of that gang is kept, for another look after a pause.
        """
        self._set_aside.pop(key, None)
        self._state.news.looked_at(key)
        try:
            return self._look(key, now)
        except Exception:
            log.exception("could not be followed, and is looked at again later", extra=about(key))
            self._metrics.gang_errors.labels("follow").inc()
            self._state.news.look_later(key)
            self._set_aside[key] = self._monotonic() + _PAUSE_AFTER_ERROR_SECONDS
            return False

    def _look(self, key: GangKey, now: float) -> bool:
        gang = self._state.gangs.get(key)
        if gang is None:
            self._attempts.drop(key)
            self._state.forget(key)
            self._writer.forget(key)
            self._forget_times(key)
            return True
        if self._attempts.must_stop(gang):
            self._attempts.drop(key)
        if self._attempts.is_under_way(key):
            self._attempts.tell(key)
        else:
            self._look_at(gang, now)
        return False

    def _look_at(self, gang: GangFact, now: float) -> None:
        reservation = self._reservation(gang)
        phase = self._state.phase_of(gang)
        if phase is Phase.COMPLETE:
            self._clean_up_after(gang)
        elif reservation is not None:
            self._look_at_members(gang, reservation, now)
        else:
            self._sweeper.delete(gang.key, self._state.members(gang).values())
            if phase is Phase.DELETED:
                self._writer.report(gang, partial(_deletion, gang, now))
            elif phase is Phase.REFUSED:
                if gang.refusal is not None:
                    self._dry_runs.ask(gang)
                self._writer.report(gang, partial(self._refusal, gang, now))

    def _reservation(self, gang: GangFact) -> Reservation | None:
        """What the gang holds, without an attempt of it under way: what its status says, and nothing else."""
        if reserved_in_status(gang) is None:
            self._state.forget(gang.key)
        else:
            self._state.hold_what_is_reserved(gang)
        return self._state.reservations.get(gang.key)

    def _look_at_members(self, gang: GangFact, reservation: Reservation, now: float) -> None:
        strays = [
            pod
            for pod in self._state.members(gang).values()
            if pod.member and pod.member.attempt != reservation.attempt
        ]
        self._sweeper.delete(gang.key, strays)
        undone = self._must_go(gang)
        if undone is not None:
            self._forget_times(gang.key)
            self._undo(gang, reservation, undone)
            return
        counts = progress(
            reservation,
            self._state.members(gang),
            self._state.departed(gang),
            succeeded_ranks=remembered_ranks(gang, reservation),
        )
        self._note_times(gang.key, counts, now)
        if self._state.phase_of(gang) is not Phase.PLACED:
            self._look_at_unplaced(gang, reservation, counts, now)
            return
        lost = counts.disrupted or self._lost(reservation, counts) or self._starts.look(gang, reservation, counts, now)
        if lost is not None:
            self._forget_times(gang.key)
            self._undo(gang, reservation, lost)
        else:
            self._writer.report(gang, partial(self._run, gang, reservation, counts, now))

    def _must_go(self, gang: GangFact) -> Failure | None:
        """Why the gang is to be undone whatever its members show, if it is."""
        if gang.is_deleting:
            return _GANG_DELETED
        if self._state.is_foreign(gang) and self._state.phase_of(gang) is not Phase.PLACED:
            return _NOT_OURS
        return undone_in_status(gang)

    def _lost(self, reservation: Reservation, counts: Progress) -> Failure | None:
        """Why members that no watch shows as disrupted are lost all the same, if they are."""
        if counts.unseen:
            return Failure(reason=Reason.POD_LOST, message=f"{n_pods(counts.unseen)} of it are not there")
        lost = {
            node: why
            for node in {entry.node for entry in reservation.members}
            if (why := self._lost_nodes.why_lost(node))
        }
        for key in reservation.pod_keys() if lost else ():
            pod = self._state.pods.get(key)
            if pod is not None and pod.node in lost and not pod.has_ended:
                message = f"pod {key.name} is lost: node {pod.node} {lost[pod.node]}"
                return Failure(reason=Reason.POD_LOST, message=message)
        return None

    def _look_at_unplaced(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> None:
        if counts.is_bound and counts.disrupted is None:
            self._writer.report(gang, partial(self._placing, gang, now))
        else:
            self._resume(gang, reservation)

    def _placing(self, gang: GangFact, now: float) -> Report:
        if not has_gates(gang):
            self._attempts.succeeded(gang.key)
        planned = gang.status.condition(Condition.PLANNED)
        return Report(
            status=conditions.mark_placed(gang, now=now),
            event=events.gang_placed(planned.message if planned else ""),
            written=partial(self._count_placed, gang, now),
        )

    def _resume(self, gang: GangFact, reservation: Reservation) -> None:
        """Go on with an attempt, but not at once where it has just broken off: the end of the pause is news."""
        if not self._attempts.is_resting(gang.key):
            self._attempts.resume(gang, reservation)

    def _undo(self, gang: GangFact, reservation: Reservation, failure: Failure) -> None:
        """Take a gang back, but not at once where that has just broken off."""
        if not self._attempts.is_resting(gang.key):
            self._attempts.interrupt(gang, reservation, failure)

    def _run(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> Report | None:
        """What a placed gang's members show: running, all succeeded, or one failed."""
        if counts.failed is not None:
            status = conditions.mark_failed(gang, counts.failed, now=now)
            return Report(status=status, event=events.gang_failed(counts.failed))
        if counts.has_succeeded:
            return self._success(gang, reservation, now)
        if counts.is_running and gang.status.started_at is None:
            return self._start(gang, reservation)
        return self._remembered_ends(gang, reservation, counts)

    def _start(self, gang: GangFact, reservation: Reservation) -> Report:
        self._attempts.succeeded(gang.key)
        since = self._running_since[gang.key]
        skew = self._starts.skew(gang, reservation, since)
        note = partial(note_started, self._metrics.predictions, gang, reservation, since=since, skew=skew)
        return Report(status=conditions.mark_started(gang, now=since), written=note)

    def _remembered_ends(self, gang: GangFact, reservation: Reservation, counts: Progress) -> Report | None:
        """Which members have ended well, a batch at a time: their pods may be cleaned up at any moment."""
        if counts.succeeded == remembered_ranks(gang, reservation).bit_count() or not self._ends.is_due(gang.key):
            return None
        return Report(status=conditions.mark_succeeded_ranks(gang, spell_ranks(counts.succeeded_ranks)))

    def _success(self, gang: GangFact, reservation: Reservation, now: float) -> Report:
        status = conditions.mark_succeeded(gang, now=now)
        end = status.condition(Condition.COMPLETE)
        run_time = self._run_time(gang)
        note = partial(note_succeeded, self._metrics.predictions, gang, reservation)
        return Report(
            status=status,
            event=events.gang_succeeded(end.message if end else ""),
            written=None if run_time is None else partial(note, run_time),
        )

    def _run_time(self, gang: GangFact) -> float | None:
        """How long all members ran; nothing where nobody saw the gang run."""
        if gang.status.started_at is None:
            return None
        since = self._running_since[gang.key]
        if since > gang.status.started_at + 1:
            # An earlier process saw it start: the status says when, to the second.
            since = gang.status.started_at
        return self._ended_at[gang.key] - since

    def _note_times(self, gang: GangKey, counts: Progress, now: float) -> None:
        self._starts.note(gang, counts, now)
        if counts.is_running:
            self._running_since.setdefault(gang, now)
        if counts.has_succeeded:
            self._ended_at.setdefault(gang, now)

    def _forget_times(self, gang: GangKey) -> None:
        self._running_since.pop(gang, None)
        self._ended_at.pop(gang, None)
        self._starts.forget(gang)
        self._ends.forget(gang)

    def _refusal(self, gang: GangFact, now: float) -> Report | None:
        refusal = self._state.refusal_of(gang)
        status = None if refusal is None else conditions.mark_refused(gang, refusal, now=now)
        if refusal is None or status is None or status == gang.status:
            return None
        return Report(status=status, event=events.invalid_spec(refusal.message))

    def _clean_up_after(self, gang: GangFact) -> None:
        """A failed gang leaves no member that waits for the missing one; pods that have ended stay for their logs."""
        self._forget_times(gang.key)
        self._sweeper.delete(gang.key, (pod for pod in self._state.members(gang).values() if not pod.has_ended))

    def _count_placed(self, gang: GangFact, now: float) -> None:
        self._metrics.decisions.labels(Condition.PLACED).inc()
        self._metrics.gang_wait.observe(max(0.0, now - gang.created))
        note_placed(self._metrics.predictions, gang)


def _deletion(gang: GangFact, now: float) -> Report | None:
    """Somebody keeps the object: say why nothing becomes of it."""
    planned = gang.status.condition(Condition.PLANNED)
    if planned is not None and planned.reason == Reason.GANG_DELETED:
        return None
    return Report(status=conditions.mark_being_deleted(gang, now=now))
