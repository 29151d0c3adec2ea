"""Gives back what an attempt holds: its claims without volumes, and its reservation in the status."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import assert_never

from lockstep.act.requests.concurrent import for_each
from lockstep.act.requests.services import Services
from lockstep.act.volumes.needed_claims import NeededClaim
from lockstep.act.volumes.volume_requests import release_claim
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.logs.fields import about
from lockstep.report.status.attempt_marks import mark_released
from lockstep.report.status.pod_gang_sizes import mark_growth_failed
from lockstep.report.status.status import Written

# After a conflict, a newer version of the status is read. More conflicts than this are no coincidence.
_MOST_CONFLICTS = 3

log = logging.getLogger(__name__)


class Release:
    """Gives back what one attempt holds. ``pause`` returns the seconds that the gang rests after a failure."""

    def __init__(
        self, services: Services, gang: GangFact, reservation: Reservation, pause: Callable[[Failure], float]
    ) -> None:
        self._services = services
        self._gang = gang
        self._reservation = reservation
        self._pause_after = pause

    async def claims(self, needed: Sequence[NeededClaim]) -> None:
        """Remove the node from every claim without a volume, so that the next plan may choose another node.

        ``needed`` are the claims of the attempt.
        """
        await until_done(partial(self._release_claims, needed))

    async def reservation(self, failure: Failure, behind: str = "") -> None:
        """Remove the reservation from the status, if the gang still exists; ``behind`` names pods that are left."""
        await until_done(partial(self._release, failure, behind))

    def known(self) -> GangFact | None:
        """The gang in the cache; None if it was deleted, or if another gang has its name."""
        gang = self._services.state.gangs.get(self._gang.key)
        return None if gang is None or gang.uid != self._gang.uid else gang

    def stands_in(self, gang: GangFact) -> bool:
        """Whether the gang's status has a reservation of this attempt."""
        stands = reserved_in_status(gang)
        return stands is not None and stands.attempt == self._reservation.attempt

    async def write(self, gang: GangFact, status: GangStatus) -> Written:
        """Write a status of the attempt.

        Returns the result, which is also ``REFUSED`` if the API server does not answer.
        """
        try:
            written, message = await self._services.writer.write(gang, status)
        except ApiUnavailableError as error:
            log.warning("the end of the gang's attempt could not be written: %s", error, extra=about(gang.key))
            return Written.REFUSED
        if written is Written.REFUSED:
            log.warning(
                "the API server refuses the status that ends the gang's attempt: %s", message, extra=about(gang.key)
            )
            self._services.count_refused("release")
        return written

    async def report(self, status_of: Callable[[GangFact], GangStatus]) -> bool:
        """Write the state of the teardown, if the gang's status has the attempt.

        ``status_of`` computes the new status from the newest version of the gang, at each try. Returns whether a status
        was written now. The teardown continues in any case.
        """
        for _ in range(_MOST_CONFLICTS):
            gang = self.known()
            status = status_of(gang) if gang is not None and self.stands_in(gang) else None
            if gang is None or status is None or status == gang.status:
                return False
            match await self.write(gang, status):
                case Written.DONE:
                    return True
                case Written.GONE | Written.REFUSED:
                    return False
                case Written.CONFLICT:
                    continue
                case unknown:
                    assert_never(unknown)
        return False

    async def _release_claims(self, needed: Sequence[NeededClaim]) -> bool:
        claims, services = self._services.state.claims.claims, self._services
        with_node = [
            one
            for one in needed
            if one.key in claims and claims[one.key].selected_node == one.node and not claims[one.key].is_bound
        ]
        failure = await for_each(with_node, lambda one: release_claim(services.client, services.state, one))
        if failure is not None:
            log.warning(
                "the gang's PersistentVolumeClaims could not be released from their nodes: %s",
                failure.message,
                extra=about(self._gang.key),
            )
        return failure is None

    async def _release(self, failure: Failure, behind: str) -> bool:
        """Remove the reservation from the newest version of the status. Returns whether nothing is left to do."""
        gang = self.known()
        if gang is None or gang.status.end is not None:
            # The gang is gone, or its end was written before the status could say that the attempt is being torn down.
            return True
        now = self._services.now()
        if is_pod_gang(gang.key) and gang.status.next_size is not None:
            status = mark_growth_failed(gang, failure.message, now=now)
        else:
            status = mark_released(gang, failure, behind=behind, retry_seconds=self._pause_after(failure), now=now)
        return (await self.write(gang, status)).is_final


async def until_done(step: Callable[[], Awaitable[bool]]) -> None:
    """Repeat a step with growing pauses until it returns True."""
    tries = 0
    while not await step():
        await asyncio.sleep(pause_after(tries))
        tries += 1
