"""Finds out what the pods of a running owner need, if its number of pods may change: it reads one pod of each kind.

The owner's controller creates more pods from the same template, and admission changes them in the same way.
"""

import asyncio
import logging
from collections.abc import Iterable
from operator import itemgetter

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.podgangs.elastic_owners import RunningPods, has_fixed_pods
from lockstep.belief.podgangs.own_pods import PodsAlike
from lockstep.belief.podgangs.pod_group import alone
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

_AT_ONCE = 8

log = logging.getLogger(__name__)


class RunningNeeds:
    """Reads one pod of each kind of a Gang whose size may change, once for each owner.

    After a failure it tries again later.
    """

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def check(self, gang: GangKey) -> None:
        """Begin to read pods of the Gang, if that is due."""
        elastic = self._state.pod_gangs.elastic
        owner = elastic.of(gang)
        is_due = owner is not None and elastic.needs(gang) is None and gang not in self._under_way
        if is_due and owner is not None and has_fixed_pods(self._state.pod_gangs.group(gang), owner):
            self._under_way[gang] = asyncio.create_task(self._learn(gang))

    async def stop(self) -> None:
        """Stop. After a restart, the operator reads the same pods."""
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
        """Read the pods. Returns whether their needs are known, or need not be known any more."""
        owner, group = self._state.pod_gangs.elastic.of(gang), self._state.pod_gangs.group(gang)
        if owner is None or not has_fixed_pods(group, owner):
            return True
        found = [await self._read(gang, owner, pod) for pod in _one_of_each(group.going_pods(), owner)]
        able = [pods for pods in found if pods is not None]
        if not able or len(able) < len(found):
            return False
        self._state.pod_gang_facts.learn_running_pods(gang, owner.uid, RunningPods(*able))
        return True

    async def _read(self, gang: GangKey, owner: SizedOwner, pod: GroupedPod) -> PodsAlike | None:
        """The needs of a pod of the owner; None if it can't be read now."""
        try:
            async with self._at_once:
                answer = await self._client.get(paths.pod(pod.key))
            found = self._as_waiting(answer.body) if answer.is_success else None
        except (ApiUnavailableError, LookupError, TypeError, AttributeError, ValueError) as error:
            log.warning("pod %s can't be read: %s", pod.key.name, describe(error), extra=about(gang))
            return None
        return found if found is not None and found.kind.owner == owner.uid else None

    def _as_waiting(self, pod: Manifest) -> PodsAlike | None:
        """The pod as it was before it was bound."""
        spec = {field: value for field, value in pod["spec"].items() if field != "nodeName"}
        fact = parse_any_pod({**pod, "spec": spec, "status": {}}, self._state.sources)
        return alone(fact) if isinstance(fact, GroupedPod) else None


def _one_of_each(pods: Iterable[GroupedPod], owner: SizedOwner) -> list[GroupedPod]:
    """One of the pods whose number may change, and one of the other pods, if the owner has others."""
    role, found = "" if owner.elastic is None else owner.elastic.role, dict[bool, GroupedPod]()
    for pod in pods:
        found.setdefault(bool(role) and pod.group.role != role, pod)
        if len(found) > bool(role):
            break
    return [pod for _, pod in sorted(found.items(), key=itemgetter(0))]
