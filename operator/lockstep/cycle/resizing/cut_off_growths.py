"""Returns owners to the number of running pods if their Gang was made anew while the owner grew.

The Gang was deleted and created again. The plan for the new pods was lost with the status of the deleted Gang. The new
Gang may grow again.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

from coschedule import GangKey
from lockstep.act.admission.repeats import pause_before_repeat
from lockstep.act.podgang.pods_to_leave import newest
from lockstep.act.podgang.resizing_owner import OwnerAnswer, OwnerChange, resize_owner
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.events import size_change_dropped

_MADE_ANEW = "the Gang was deleted and created again while it grew"

log = logging.getLogger(__name__)


class CutOffGrowths:
    """Changes the owners of these Gangs beside the cycle, and tries again after a while."""

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._services = services
        self._pod_gangs = services.state.pod_gangs
        self._metrics = metrics
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def check(self, gang: GangKey) -> None:
        """Begin to return the owner of a Gang without an attempt to its earlier size, if that is due."""
        if gang not in self._under_way and self._change(gang) is not None:
            self._under_way[gang] = asyncio.create_task(self._go_back(gang))

    async def stop(self) -> None:
        """Stop. After a restart, the operator finds the same owners."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    def _change(self, gang: GangKey) -> OwnerChange | None:
        """The change of the owner that is still due; None if none is."""
        size, owner = self._pod_gangs.goes_back_to(gang), self._pod_gangs.elastic.of(gang)
        if size is None or owner is None or owner.elastic is None or owner.elastic.pods <= size:
            return None
        change = OwnerChange(was=owner.elastic.pods, size=size, goes_back=True)
        return change._replace(leaving=partial(self._leaving, self._pod_gangs.objects[gang], size))

    def _leaving(self, gang: PodGang, size: int, owner: SizedOwner) -> Sequence[str]:
        return newest(self._pod_gangs.group(gang.key), owner, gang, size)

    async def _go_back(self, gang: GangKey) -> None:
        work_for(gang)
        tries = 0
        try:
            while (change := self._change(gang)) is not None:
                await self._try(self._pod_gangs.objects[gang], change)
                await asyncio.sleep(pause_before_repeat(tries))
                tries += 1
        finally:
            del self._under_way[gang]

    async def _try(self, gang: PodGang, change: OwnerChange) -> None:
        try:
            answer = await resize_owner(self._services.client, gang, change)
        except ApiUnavailableError as error:
            answer = OwnerAnswer(str(error))
        if answer.why_not:
            log.warning("the owner can't return to its earlier size: %s", answer.why_not, extra=about(gang.key))
        known = self._services.state.gangs.get(gang.key)
        if answer.is_made and known is not None:
            self._metrics.size_changes_dropped.inc()
            self._services.writer.post(known, size_change_dropped(_MADE_ANEW, goes_on=True))
