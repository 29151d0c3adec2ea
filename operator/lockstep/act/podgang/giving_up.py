"""Ends an attempt of a Gang that was bound in part, and gives back what was reserved for its other pods.

If possible, the owner of the pods is suspended and resumed, or pods are evicted. Then all pods are placed anew.
Otherwise bound pods stay.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from lockstep.act.ending.release import Release
from lockstep.act.podgang.taking_back import TakenBack, TakingBack
from lockstep.act.requests.services import Services
from lockstep.act.volumes.needed_claims import NeededClaim
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
    """Ends a failed attempt of a Gang. The pods belong to other controllers.

    ``needed`` returns the claims of these pods.
    """

    def __init__(
        self,
        services: Services,
        gang: GangFact,
        reservation: Reservation,
        *,
        pause: Callable[[Failure], float],
        needed: Callable[[], Sequence[NeededClaim]],
    ) -> None:
        self._services = services
        self._state = services.state
        self._gang = gang
        self._reservation = reservation
        self._needed = needed
        self._taking_back = TakingBack(services)
        self._release = Release(services, gang, reservation, pause)

    async def run(self, failure: Failure, *, landed_at: float) -> Failure:  # noqa: ARG002 - as in ``Undoing.run``
        """Take back the bound pods, and write to the status that the attempt has ended and how many pods stay.

        Returns the failure. If pods were taken back, its message says how.
        """
        log.warning(
            "attempt %d of the gang ends: %s", self._reservation.attempt, failure.message, extra=about(self._gang.key)
        )
        if self._is_growth():
            # The owner takes its new pods back (``cycle/resizing/pod_gang_sizes.py``).
            await self._release.reservation(failure)
            return failure
        had_bound, needed = self._bound() > 0, self._needed()
        has_come = had_bound or self._taking_back.may_give_quota_back(self._gang.key)
        taken = await self._take_back(failure) if has_come else TakenBack(WayBack.KEPT, "")
        if taken.way is not WayBack.KEPT:
            failure = replace(failure, message=f"{failure.message}; {taken.how}", begins_anew=True)
        bound = self._bound()
        if has_come and (taken.way is not WayBack.KEPT or bound):
            self._services.count_given_up(taken.way)
        if not bound:
            await self._release.claims(needed)
        behind = f"there: {n_pods(bound)} on nodes, because {taken.how}" if bound else ""
        await self._release.reservation(failure, behind)
        return failure

    def _is_growth(self) -> bool:
        """Whether the attempt is for pods by which the Gang grows."""
        known = self._release.known()
        return known is not None and known.status.next_size is not None

    def _bound(self) -> int:
        """The number of pods of the attempt that are on nodes and are not being deleted."""
        going = self._state.pod_gangs.group(self._gang.key).going_pods()
        # After a restart, the reservation may have only the seats that were left to be bound. So pods are counted by
        # their attempt, and not by the ranks of the reservation.
        ours = (self._reservation.gang_uid, self._reservation.attempt)
        return sum(
            seat is not None and (seat.gang_uid, seat.attempt) == ours for seat in (pod.group.seat for pod in going)
        )

    async def _take_back(self, failure: Failure) -> TakenBack:
        """Take back the pods, unless the Gang has running pods that were placed earlier."""
        if self._state.pod_gangs.group(self._gang.key).going > self._bound():
            return TakenBack(WayBack.KEPT, "other pods of the Gang run")
        await self._release.report(partial(mark_undoing, failure=failure, waits=_WAITS, now=self._services.now()))
        return await self._taking_back.take_back(self._gang.key, self._cause(failure), lambda: self._bound() > 0)

    def _cause(self, failure: Failure) -> str:
        gang = object_name(self._gang.key)
        return f"the Gang {gang} is bound only in part, since its other pods can't be bound: {failure.message}"
