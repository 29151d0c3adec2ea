"""Writes the list of a Gang's pods and their hosts, before the first of the new pods is bound.

It is written for an attempt only: once for all pods that are bound together, and not when pods end. A Gang with a large
list rests after it. Otherwise pods that come one by one would each cost a megabyte.
"""

import asyncio
from collections.abc import Sequence

from lockstep.act.podgang.seats import TakenSeat
from lockstep.act.requests.owned_objects import OwnedObject, OwnedObjects
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.common_objects import LARGEST_FILES
from lockstep.api.podgang.host_list import ListedPod, host_list_data, host_list_manifest, host_list_name
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.text.sentences import n_pods

_BYTES_A_SECOND = 64 * 1024
_FIRST_ATTEMPT = 1


class HostListOfGang:
    """The list of one attempt; nothing is written unless the Gang asks for it."""

    def __init__(self, services: Services, gang: GangFact, attempt: int) -> None:
        self._client = services.client
        self._pod_gangs = services.state.pod_gangs
        self._gang = gang
        self._is_new = attempt == _FIRST_ATTEMPT
        self._bytes = 0

    async def write(self, seats: Sequence[TakenSeat]) -> Failure | None:
        """Write the pods that are on nodes and those that get these seats; done once it has succeeded."""
        known = self._pod_gangs.objects.get(self._gang.key)
        if self._bytes or known is None or not known.wants_host_list:
            return None
        data = host_list_data(await _listed(self._pod_gangs.group(self._gang.key), seats))
        written = sum(map(len, data.values()))
        if written > LARGEST_FILES:
            lines = data["hosts"].count("\n")
            return _refused(f"it has {written} bytes for {n_pods(lines)}, and one ConfigMap holds {LARGEST_FILES}")
        try:
            problem = await OwnedObjects(self._client, self._gang, is_new=self._is_new).ensure(self._object(data))
        except ApiUnavailableError as error:
            return Failure(reason=Reason.API_UNAVAILABLE, message=f"the API server did not answer: {error}")
        if problem:
            return _refused(problem)
        self._bytes = written
        return None

    async def rest(self) -> None:
        """Wait for as long as a list of its size takes at the pace that one Gang may write."""
        await asyncio.sleep(self._bytes / _BYTES_A_SECOND)

    def _object(self, data: dict[str, str]) -> OwnedObject:
        namespace, name = self._gang.key.namespace, host_list_name(object_name(self._gang.key))
        folder, place = paths.config_maps_of(namespace), paths.config_map(namespace, name)
        return OwnedObject(f"ConfigMap {name}", folder, place, host_list_manifest(self._gang, data))


async def _listed(group: PodGroup, seats: Sequence[TakenSeat]) -> list[ListedPod]:
    """The pods by rank. A Gang may have 10,000: others have a turn of the event loop between the steps."""
    hosts = {seat.pod: group.pods[seat.pod].group.host for seat in seats if seat.pod in group.pods}
    new = [ListedPod(seat.rank, seat.pod.name, seat.node, hosts.get(seat.pod, "")) for seat in seats]
    there = [_on_node(pod) for pod in group.going_pods() if pod.key not in hosts]
    await asyncio.sleep(0)
    listed = sorted((*there, *new))
    await asyncio.sleep(0)
    return listed


def _on_node(pod: GroupedPod) -> ListedPod:
    return ListedPod(pod.group.rank or 0, pod.key.name, pod.node, pod.group.host)


def _refused(problem: str) -> Failure:
    return Failure(reason=Reason.NETWORK_REFUSED, message=f"the list of its hosts can't be written: {problem}")
