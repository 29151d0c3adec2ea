"""Gives up an attempt of a Gang that was bound in part, and gives back what was kept for its other pods.

Where that can be done, the owner of the pods is suspended and resumed, or pods are evicted. Then all of them are placed
anew. Elsewhere pods that are bound stay.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lockstep.act.ending.release import Release
from lockstep.act.podgang.taking_back import TakenBack, TakingBack
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.way_back import WayBack
from lockstep.facts.pods.failure import Failure
from lockstep.logs.fields import about
from lockstep.report.status.attempt_marks import mark_undoing
from lockstep.report.text.sentences import n_pods

_WAITS = "its pods must leave their nodes"

log = logging.getLogger(__name__)


class GivingUp:
    """Ends an attempt of a Gang that failed. The pods belong to others."""

    def __init__(
        self, services: Services, gang: GangFact, reservation: Reservation, *, pause: Callable[[Failure], float]
    ) -> None:
        self._services = services
        self._state = services.state
        self._gang = gang
        self._reservation = reservation
        self._taking_back = TakingBack(services)
        self._release = Release(services, gang, reservation, pause)

    async def run(self, failure: Failure, *, landed_at: float) -> Failure:  # noqa: ARG002 - as other sources of members
        """Have the owner take back the pods that are bound, and write that the attempt has ended, and what stays.

        Returns the failure with what became of the pods.
        """
        log.warning(
            "attempt %d of the gang ends: %s", self._reservation.attempt, failure.message, extra=about(self._gang.key)
        )
        if self._is_growth():
            # The owner takes its new pods back (``cycle/resizing/pod_gang_sizes.py``).
            await self._release.reservation(failure)
            return failure
        had_bound = self._bound() > 0
        has_come = had_bound or self._taking_back.may_give_quota_back(self._gang.key)
        taken = await self._take_back(failure) if has_come else TakenBack(WayBack.KEPT, "")
        if taken.way is not WayBack.KEPT:
            failure = replace(failure, message=f"{failure.message}; {taken.how}", begins_anew=True)
        bound = self._bound()
        if has_come and (taken.way is not WayBack.KEPT or bound):
            self._services.count_given_up(taken.way)
        if not bound:
            await self._release.claims()
        behind = f"there: {n_pods(bound)} on nodes, because {taken.how}" if bound else ""
        await self._release.reservation(failure, behind)
        return failure

    def _is_growth(self) -> bool:
        """Whether the attempt is for pods by which the Gang was to grow."""
        known = self._release.known()
        return known is not None and known.status.next_size is not None

    def _bound(self) -> int:
        """How many pods of the attempt are on nodes, and are not being deleted."""
        going = self._state.pod_gangs.group(self._gang.key).going_pods()
        # The reservation may be only what an earlier process has left to be bound, so its ranks do not count.
        ours = (self._reservation.gang_uid, self._reservation.attempt)
        return sum(
            seat is not None and (seat.gang_uid, seat.attempt) == ours for seat in (pod.group.seat for pod in going)
        )

    async def _take_back(self, failure: Failure) -> TakenBack:
        """Take back the pods, unless pods of the Gang run that were placed before."""
        if self._state.pod_gangs.group(self._gang.key).going > self._bound():
            return TakenBack(WayBack.KEPT, "other pods of the Gang run")
        await self._release.report(partial(mark_undoing, failure=failure, waits=_WAITS, now=self._services.now()))
        return await self._taking_back.take_back(self._gang.key, self._cause(failure), lambda: self._bound() > 0)

    def _cause(self, failure: Failure) -> str:
        gang = object_name(self._gang.key)
        return f"the Gang {gang} is bound only in part, since its other pods can't be bound: {failure.message}"
