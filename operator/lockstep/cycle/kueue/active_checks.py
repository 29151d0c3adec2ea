"""Says of AdmissionChecks that Lockstep is their controller: before, Kueue gives no quota that needs them."""

import asyncio
import logging
from http import HTTPStatus

from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.admission_check import active_patch, check_at, check_status_at, parse_check

_PAUSE_SECONDS = 1.0
# A check whose status can't be written is tried again after so many pauses.
_REST_PAUSES = 60

log = logging.getLogger(__name__)


class ActiveChecks:
    """Writes the condition of AdmissionChecks that lack it, one after the other."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._client = services.client
        self._rests: dict[str, int] = {}

    async def keep_active(self) -> None:
        """Write the condition of each until cancelled. The next process finds which lack it in the same objects."""
        while True:
            await asyncio.sleep(_PAUSE_SECONDS)
            inactive = set(self._services.state.pod_gangs.workloads.inactive_checks())
            # One that is active or gone by now, and then made anew, is another case.
            self._rests = {name: left - 1 for name, left in self._rests.items() if left > 1 and name in inactive}
            for name in sorted(inactive - self._rests.keys()):
                self._rests[name] = _REST_PAUSES
                await self._activate(name)

    async def _activate(self, name: str) -> None:
        """Write it for the check as it is read now."""
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
