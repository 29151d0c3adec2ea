"""Finds out what the pods of an owner need that runs and may get another number of pods: one of them is read.

Its controller makes more of the same template, and admission has made of it what it makes of the others.
"""

import asyncio
import logging

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.belief.podgangs.pod_group import PodsAlike, alone
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

_AT_ONCE = 8

log = logging.getLogger(__name__)


class RunningNeeds:
    """Reads one pod of each Gang whose size may change, once for each owner; after a failure, again later."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def check(self, gang: GangKey) -> None:
        """Read a pod of the Gang, if that is due."""
        elastic = self._state.pod_gangs.elastic
        is_due = elastic.of(gang) is not None and elastic.needs(gang) is None
        if is_due and gang not in self._under_way and self._state.pod_gangs.group(gang).going:
            self._under_way[gang] = asyncio.create_task(self._learn(gang))

    async def stop(self) -> None:
        """Stop: the next process reads the same."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _learn(self, gang: GangKey) -> None:
        work_for(gang)
        tries = 0
        try:
            while not await self._is_learned(gang):
                await asyncio.sleep(pause_after(tries))
                tries += 1
        finally:
            del self._under_way[gang]

    async def _is_learned(self, gang: GangKey) -> bool:
        """Whether it is known what the pods need, or nothing has to be known any more."""
        owner = self._state.pod_gangs.elastic.of(gang)
        pod = next(self._state.pod_gangs.group(gang).going_pods(), None)
        if owner is None or pod is None:
            return True
        try:
            async with self._at_once:
                answer = await self._client.get(paths.pod(pod.key))
            found = self._as_waiting(answer.body) if answer.is_success else None
        except (ApiUnavailableError, LookupError, TypeError, AttributeError, ValueError) as error:
            log.warning("pod %s can't be read: %r", pod.key.name, error, extra=about(gang))
            return False
        if found is None or found.kind.owner != owner.uid:
            return False
        self._state.learn_elastic_owner(gang, owner.uid, found)
        return True

    def _as_waiting(self, pod: Manifest) -> PodsAlike | None:
        """The pod as it was before it was bound."""
        spec = {field: value for field, value in pod["spec"].items() if field != "nodeName"}
        fact = parse_any_pod({**pod, "spec": spec, "status": {}}, self._state.sources)
        return alone(fact) if isinstance(fact, GroupedPod) else None
