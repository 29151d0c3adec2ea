"""Marks Lockstep's AdmissionChecks as active. Before that, Kueue gives no quota in queues that use these checks."""

import asyncio
import logging
from http import HTTPStatus

from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.admission_check import active_patch, check_at, check_status_at, parse_check

_PAUSE_SECONDS = 1.0
# A check whose status can't be written is tried again after this number of pauses.
_REST_PAUSES = 60

log = logging.getLogger(__name__)


class ActiveChecks:
    """Writes the condition ``Active`` to AdmissionChecks that lack it, one after the other."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._client = services.client
        self._rests: dict[str, int] = {}

    async def keep_active(self) -> None:
        """Write missing conditions until cancelled. The checks show which are missing, also to the next process."""
        while True:
            await asyncio.sleep(_PAUSE_SECONDS)
            inactive = set(self._services.state.pod_gangs.workloads.inactive_checks())
            # Forget a check that is active or gone. If it is created anew, it is tried at once.
            self._rests = {name: left - 1 for name, left in self._rests.items() if left > 1 and name in inactive}
            for name in sorted(inactive - self._rests.keys()):
                self._rests[name] = _REST_PAUSES
                await self._activate(name)

    async def _activate(self, name: str) -> None:
        """Read the check again, and write its condition if it is still ours and not active."""
        try:
            found = await self._client.get(check_at(name))
            if not found.is_success or parse_check(found.body).is_active or not parse_check(found.body).is_ours:
                return
            patch = active_patch(found.body, self._services.now())
            answer = await self._client.patch(check_status_at(name), patch, Urgency.REPORT)
        except ApiUnavailableError as error:
            log.warning("AdmissionCheck %s is not active yet: %s", name, error)
            return
        if not answer.is_success and answer.code != HTTPStatus.CONFLICT:
            log.warning("AdmissionCheck %s is not active: %s", name, answer.message)
