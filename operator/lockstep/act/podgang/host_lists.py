"""Writes the list of a Gang's pods and their hosts, before the first of the new pods is bound.

An attempt writes the list once for all pods that are bound together. The list is not written when pods end. A Gang with
a large list rests after each write. Otherwise pods that come one by one would each cost a megabyte.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TypeVar

from lockstep.act.podgang.seats import TakenSeat
from lockstep.act.requests.owned_objects import OwnedObject, OwnedObjects
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.common_objects import LARGEST_FILES
from lockstep.api.podgang.host_list import ListedPod, host_list_data, host_list_manifest, host_list_name
from lockstep.belief.podgangs.pod_group import PodGroup, is_going
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.text.sentences import n_pods

_BYTES_A_SECOND = 64 * 1024
_ITEMS_IN_A_TURN = 1_000
_FIRST_ATTEMPT = 1

Item = TypeVar("Item")


class HostListOfGang:
    """The list of one attempt. Nothing is written unless the Gang asks for it."""

    def __init__(self, services: Services, gang: GangFact, attempt: int) -> None:
        self._client = services.client
        self._pod_gangs = services.state.pod_gangs
        self._gang = gang
        self._is_new = attempt == _FIRST_ATTEMPT
        self._bytes = 0

    async def write(self, seats: Sequence[TakenSeat]) -> Failure | None:
        """Write the pods on nodes and the pods that get these seats, once for the attempt.

        Returns why that failed, or None.
        """
        known = self._pod_gangs.objects.get(self._gang.key)
        if self._bytes or known is None or not known.wants_host_list:
            return None
        data = host_list_data(await _listed(self._pod_gangs.group(self._gang.key), seats))
        written = sum(map(len, data.values()))
        if written > LARGEST_FILES:
            lines = data["hosts"].count("\n")
            return _refused(
                f"it has {written} bytes for {n_pods(lines)}, and a ConfigMap holds at most {LARGEST_FILES} bytes"
            )
        try:
            problem = await OwnedObjects(self._client, self._gang, is_new=self._is_new).ensure(self._object(data))
        except ApiUnavailableError as error:
            return Failure(reason=Reason.API_UNAVAILABLE, message=f"the API server did not answer: {error}")
        if problem:
            return _refused(problem)
        self._bytes = written
        return None

    def check_again(self) -> None:
        """Let the next call of ``write`` write the list again, because the list may be gone.

        The API server was away, and may come back with an earlier state.
        """
        self._bytes = 0

    async def rest(self) -> None:
        """Wait, so that a Gang writes at most ``_BYTES_A_SECOND`` bytes of its list a second."""
        await asyncio.sleep(self._bytes / _BYTES_A_SECOND)

    def _object(self, data: dict[str, str]) -> OwnedObject:
        namespace, name = self._gang.key.namespace, host_list_name(object_name(self._gang.key))
        folder, place = paths.config_maps_of(namespace), paths.config_map(namespace, name)
        return OwnedObject(f"ConfigMap {name}", folder, place, host_list_manifest(self._gang, data))


async def _listed(group: PodGroup, seats: Sequence[TakenSeat]) -> list[ListedPod]:
    """The pods on nodes and the pods that get these seats, by rank."""
    listed, seated = list[ListedPod](), {seat.pod for seat in seats}
    pods = list(group.pods.values())
    async for pod in _in_turns(pods):
        if is_going(pod) and pod.key not in seated:
            listed.append(ListedPod(pod.group.rank or 0, pod.key.name, pod.node, pod.group.host))
    async for seat in _in_turns(seats):
        host = group.pods[seat.pod].group.host if seat.pod in group.pods else ""
        listed.append(ListedPod(seat.rank, seat.pod.name, seat.node, host))
    return sorted(listed)


async def _in_turns(items: Sequence[Item]) -> AsyncIterator[Item]:
    """The items one by one. There may be 10,000, so the event loop does other work in between."""
    for number, item in enumerate(items, 1):
        yield item
        if number % _ITEMS_IN_A_TURN == 0:
            await asyncio.sleep(0)
    await asyncio.sleep(0)


def _refused(problem: str) -> Failure:
    return Failure(reason=Reason.NETWORK_REFUSED, message=f"the list of its hosts can't be written: {problem}")
