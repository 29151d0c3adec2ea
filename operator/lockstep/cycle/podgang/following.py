"""Follows Gangs: continues attempts that were cut off, and reports which pods wait and which are bound.

The module is level-triggered, like all modules that follow gangs. The owner of the pods decides whether the work of a
Gang is done.
"""

from functools import partial
from typing import assert_never

from coschedule import GangKey
from lockstep.act.attempts import Attempts
from lockstep.act.podgang.gang_maker import GangMaker
from lockstep.act.requests.services import Services
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.holding.reservation import Reservation
from lockstep.cycle.awaiting.awaiting import AwaitingGangs
from lockstep.cycle.kueue.check_reports import CheckReports
from lockstep.cycle.podgang.group_conditions import GroupConditions
from lockstep.cycle.podgang.leaving import LeavingGangs
from lockstep.cycle.podgang.reports import PodGangReports
from lockstep.cycle.resizing.pod_gang_sizes import PodGangSizes
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import maker_of
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.metrics.metrics import Metrics

_ALL_TAKEN_AWAY = Failure(reason=Reason.POD_LOST, message="all bound pods of the Gang are being deleted")


class PodGangFollower:
    """Reconciles Gangs that have no running attempt."""

    def __init__(
        self,
        services: Services,
        attempts: Attempts,
        metrics: Metrics,
        sizes: PodGangSizes,
        awaiting: AwaitingGangs,
    ) -> None:
        self._awaiting = awaiting
        self._maker = GangMaker(services)
        self._suspensions = services.suspensions
        self._leaving = LeavingGangs(services, sizes.shrink)
        self._conditions = GroupConditions(services)
        self._checks = CheckReports(services)
        self._sizes = sizes
        self._state = services.state
        self._writer = services.writer
        self._attempts = attempts
        self._reports = PodGangReports(services, metrics)

    def begin(self) -> None:
        """Begin to resume the owners of pods that the operator suspended before it was restarted."""
        self._suspensions.begin()

    def wake(self, gang: GangKey) -> None:
        """Note that pods of the Gang have changed. A suspension of their owner may wait for this change."""
        self._suspensions.wake(gang)

    def check_attempt(self, gang: GangFact, now: float) -> None:
        """End the running attempt of a Gang if pods of the Gang have to leave their nodes."""
        self._leaving.check_attempt(gang, now)

    def reconcile(self, gang: GangFact, reservation: Reservation | None, now: float) -> None:
        """Take the next step that is due."""
        self._conditions.check(gang)
        self._checks.check(gang, now)
        if reservation is None:
            self._leaving.check(gang, now)
            self._sizes.check(gang)
        phase = self._state.phase_of(gang)
        if reservation is None and self._awaiting.check(gang, phase, now):
            self.reconcile_made(gang.key)
            return
        match phase:
            case Phase.RESERVED | Phase.PLACED:
                if reservation is not None:
                    self._go_on(gang, reservation, now)
            case Phase.REFUSED:
                self.reconcile_made(gang.key)
                self._writer.report(gang, partial(self._reports.refused, gang, now))
            case Phase.AWAITS_PODS:
                self.reconcile_made(gang.key)
                self._writer.report(gang, partial(self._reports.awaiting, gang, now))
            case Phase.WAITING | Phase.BACKING_OFF:
                self._wait(gang, now)
            case Phase.DELETED | Phase.SUSPENDED | Phase.AWAITS_OTHERS | Phase.COMPLETE:
                # The phase does not occur for Gangs, or needs no report.
                pass
            case unknown:
                assert_never(unknown)

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone."""
        self._leaving.forget(gang)
        self._conditions.forget(gang)
        self._checks.forget(gang)
        self._sizes.forget(gang)

    def reconcile_made(self, gang: GangKey) -> None:
        """Create the Gang or compare it with the owner of its pods, while pods wait for it or run without it."""
        if self._maker.is_due(gang):
            self._maker.reconcile_made(gang)
        else:
            self._maker.forget(gang)

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        await self._maker.stop()
        await self._leaving.stop()
        await self._conditions.stop()
        await self._checks.stop()
        await self._sizes.stop()
        await self._suspensions.stop()

    def _wait(self, gang: GangFact, now: float) -> None:
        """Compare the Gang of a group with its owner, and report why a Gang rests.

        Nothing else is reported here: after each plan, other modules report why Gangs wait.
        """
        if _is_of_group(gang.key):
            self.reconcile_made(gang.key)
        rest = self._attempts.rest_of(gang.key)
        if rest is not None:
            self._writer.report(gang, partial(self._reports.resting, gang, rest, now))

    def _go_on(self, gang: GangFact, reservation: Reservation, now: float) -> None:
        """Report that all pods are bound, or continue with the pods that are not bound.

        If all bound pods are being deleted, waiting pods belong to the next run: they are planned anew. While the owner
        of the pods is suspended, nothing is bound.
        """
        if self._suspensions.is_under_way(gang.key):
            return
        seated = self._state.counts.seats.take(reservation)
        left = reservation.without(seated)
        if seated and not self._state.counts.seats.staying(reservation):
            if not self._attempts.is_resting(gang.key):
                self._attempts.interrupt(gang, reservation, _ALL_TAKEN_AWAY)
        elif not left.size:
            self._attempts.placed(gang.key, is_running=True)
            self._writer.report(gang, partial(self._reports.placed, gang, now))
        elif not self._attempts.is_resting(gang.key):
            self._resume(gang, reservation, left, now)

    def _resume(self, gang: GangFact, reservation: Reservation, left: Reservation, now: float) -> None:
        """Continue with the pods that are not bound, unless other pods of the Gang have to leave."""
        leaves = self._leaving.check_attempt(gang, now)
        if leaves is None:
            self._attempts.resume(gang, left)
        else:
            self._attempts.interrupt(gang, reservation, leaves)


def _is_of_group(gang: GangKey) -> bool:
    named = maker_of(object_name(gang))
    return named is not None and named[0].is_pod_group
