"""Gives up an attempt of a Gang that was bound in part, and gives back what was kept for its other pods.

The owner of the pods is suspended and resumed where that can be done, so that all of them are placed anew. Elsewhere
pods that are bound stay.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lockstep.act.ending.release import Release
from lockstep.act.requests.services import Services
from lockstep.act.suspending.resumption import Suspension
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.pods.failure import Failure
from lockstep.logs.fields import about
from lockstep.report.status.attempt_marks import mark_undoing
from lockstep.report.text.sentences import n_pods

_WAITS = "the owner of its pods is to be suspended until they are gone"

log = logging.getLogger(__name__)


class GivingUp:
    """Ends an attempt of a Gang that failed. No pod is deleted: the pods belong to others."""

    def __init__(
        self, services: Services, gang: GangFact, reservation: Reservation, *, pause: Callable[[Failure], float]
    ) -> None:
        self._services = services
        self._state = services.state
        self._gang = gang
        self._reservation = reservation
        self._release = Release(services, gang, reservation, pause)

    async def run(self, failure: Failure, *, landed_at: float) -> None:  # noqa: ARG002 - as other sources of members
        """Have the owner take back the pods that are bound, and write that the attempt has ended, and what stays."""
        log.warning("attempt %d ends: %s", self._reservation.attempt, failure.message, extra=about(self._gang.key))
        had_bound = self._bound() > 0
        suspension = await self._suspend(failure) if had_bound else Suspension()
        if suspension.owner:
            message = f"{failure.message}; {suspension.owner} was suspended until its pods were gone, and resumed"
            failure = replace(failure, message=message)
        bound = self._bound()
        if had_bound and (suspension.owner or bound):
            self._services.count_given_up("suspended" if suspension.owner else "kept")
        if not bound:
            await self._release.claims()
        behind = f"there: {n_pods(bound)} on nodes, which stay: {suspension.why_not}" if bound else ""
        await self._release.reservation(failure, behind)

    def _bound(self) -> int:
        """How many pods of the attempt are on nodes, and are not being deleted."""
        going = self._state.pod_gangs.group(self._gang.key).going_pods()
        # The reservation may be only what an earlier process has left to be bound, so its ranks do not count.
        ours = (self._reservation.gang_uid, self._reservation.attempt)
        return sum(
            seat is not None and (seat.gang_uid, seat.attempt) == ours for seat in (pod.group.seat for pod in going)
        )

    async def _suspend(self, failure: Failure) -> Suspension:
        """Suspend the owner, unless pods of the Gang run that were placed before."""
        pods = list(self._state.pod_gangs.group(self._gang.key).going_pods())
        if len(pods) > self._bound():
            return Suspension(why_not="other pods of it run")
        await self._release.report(partial(mark_undoing, failure=failure, waits=_WAITS, now=self._services.now()))
        uids = {pod.group.owner for pod in pods} - {""}
        return await self._services.suspensions.suspend(self._gang.key, uids, self._why(failure))

    def _why(self, failure: Failure) -> str:
        gang = object_name(self._gang.key)
        return (
            f"it is suspended until its pods are gone, and then resumed: the Gang {gang} was bound in part, and its "
            f"other pods can't be bound: {failure.message}"
        )
