"""Asks the API server for members that no watch has shown, before their gang counts as having lost them.

A new leader reads the statuses of gangs anew, but its watch of pods may be behind the previous leader's. So members of
a placed gang may run although this process has never seen them.
"""

import logging

from coschedule import GangKey
from lockstep.act.members.member_reads import refresh_members
from lockstep.act.requests.questions import Questions
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact
from lockstep.logs.fields import about

# The number of lists at the same time. After a long pause of the operator, members of many gangs may be missing.
LISTS_AT_ONCE = 8

log = logging.getLogger(__name__)


class MissingMembers:
    """Lists the members of attempts. A gang is reconciled again after each list."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._listed = Questions(services.state, self._list, at_once=LISTS_AT_ONCE)

    def are_missing(self, gang: GangFact, reservation: Reservation) -> bool:
        """Whether members that the cache does not have are missing, because the API server has listed the members.

        If it has not listed them yet, begin to list them.
        """
        return self._listed.is_confirmed(gang, reservation.attempt)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang whose attempt has ended."""
        self._listed.forget(gang)

    async def stop(self) -> None:
        """Cancel all lists."""
        await self._listed.stop()

    async def _list(self, gang: GangFact, attempt: int) -> bool:
        """List the members. Returns whether all that exist are in the cache now."""
        try:
            await refresh_members(self._client, self._state, gang, attempt)
        except ApiUnavailableError as error:
            log.warning("the gang's members can't be listed: %s", error, extra=about(gang.key))
            return False
        return True
