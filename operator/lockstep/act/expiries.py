"""Deletes ended GangJobs whose time to live is over. Each is deleted only at the version that was checked."""

import asyncio
import logging
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.facts.gang.gang import GangFact
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# The longest wait for a watch to show a deletion that the API server accepted, or found already done.
_NO_EFFECT_SECONDS = 60.0

log = logging.getLogger(__name__)


class _Deletion(NamedTuple):
    """The deletion in progress for one GangJob. Another GangJob may have the same name by now."""

    gang_uid: str
    task: asyncio.Task[None]


class Expiries:
    """Deletes GangJobs. Each one is reconciled again after a try, because its spec may have changed meanwhile."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._reconcile = services.state.changes.reconcile
        self._deletions: dict[GangKey, _Deletion] = {}
        self._failures: dict[GangKey, int] = {}

    def delete(self, gang: GangFact) -> None:
        """Delete that gang, unless a deletion is in progress or the pause after the last one is not over.

        The gang is reconciled after the pause.
        """
        known = self._deletions.get(gang.key)
        if known is not None and known.gang_uid != gang.uid:
            self.forget(gang.key)
        if not gang.is_deleting and gang.key not in self._deletions:
            self._deletions[gang.key] = _Deletion(gang.uid, asyncio.create_task(self._delete(gang)))

    def forget(self, gang: GangKey) -> None:
        """Cancel the deletion of a gang that is gone, or that another gang has replaced."""
        self._failures.pop(gang, None)
        known = self._deletions.pop(gang, None)
        if known is not None:
            known.task.cancel()

    async def stop(self) -> None:
        """Cancel all deletions."""
        tasks = [known.task for known in self._deletions.values()]
        for gang in list(self._deletions):
            self.forget(gang)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _delete(self, gang: GangFact) -> None:
        work_for(gang.key)
        try:
            await asyncio.sleep(await self._ask(gang))
        finally:
            self._end(gang)

    def _end(self, gang: GangFact) -> None:
        """Reconcile the gang again, unless another one has its name or it was forgotten."""
        known = self._deletions.get(gang.key)
        if known is not None and known.gang_uid == gang.uid:
            del self._deletions[gang.key]
            self._reconcile(gang.key)

    async def _ask(self, gang: GangFact) -> float:
        """Send one deletion. Returns the seconds until the next one may be sent, also after an error."""
        try:
            answer = await self._client.delete(paths.gang(gang.key), uid=gang.uid, version=gang.resource_version)
        except ApiUnavailableError as error:
            return self._failed(gang.key, str(error))
        except Exception as error:
            log.exception("the deletion of the ended gang raised an error", extra=about(gang.key))
            return self._failed(gang.key, describe(error))
        if answer.is_success or answer.is_absence:
            log.info("the gang has ended, and is deleted after ttlSecondsAfterFinished", extra=about(gang.key))
            return _NO_EFFECT_SECONDS
        return self._failed(gang.key, answer.message)

    def _failed(self, gang: GangKey, why: str) -> float:
        failures = self._failures.get(gang, 0)
        self._failures[gang] = failures + 1
        log.warning("the ended gang can't be deleted: %s", why, extra=about(gang))
        return pause_after(failures)
