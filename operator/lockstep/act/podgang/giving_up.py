"""Gives up an attempt of a Gang: pods that are bound stay, and what was kept for the others is given back."""

import logging
from collections.abc import Callable

from lockstep.act.ending.release import Release
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.logs.fields import about
from lockstep.report.text.sentences import n_pods

log = logging.getLogger(__name__)


class GivingUp:
    """Ends an attempt of a Gang that failed. No pod is deleted: the pods belong to others."""

    def __init__(
        self, services: Services, gang: GangFact, reservation: Reservation, *, pause: Callable[[Failure], float]
    ) -> None:
        self._state = services.state
        self._gang = gang
        self._reservation = reservation
        self._release = Release(services, gang, reservation, pause)

    async def run(self, failure: Failure, *, landed_at: float) -> None:  # noqa: ARG002 - as other sources of members
        """Write that the attempt has ended, and which pods stay on nodes."""
        log.warning("attempt %d ends: %s", self._reservation.attempt, failure.message, extra=about(self._gang.key))
        bound = len(self._state.staying(self._reservation))
        if not bound:
            await self._release.claims()
        behind = f"there: {n_pods(bound)} on nodes, which stay" if bound else ""
        await self._release.reservation(failure, behind)
