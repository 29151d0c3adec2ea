"""The Service and ConfigMap by which members find each other, created or checked while the pods are created.

The Service stays for all attempts of a gang. The ConfigMap is written for each attempt, before a member is bound.
Objects of these names that are not the gang's are left alone.
"""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

from lockstep.act.requests.api_refusals import is_conflict
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.common_objects import files_manifest, files_name, owner_uid, service_manifest
from lockstep.api.manifest import Manifest
from lockstep.api.rendezvous.meeting import meeting_of
from lockstep.api.rendezvous.sets import files
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

_FIRST_ATTEMPT = 1
# Objects of an earlier gang of the name are removed by Kubernetes' garbage collector, in its own time.
_PAUSES_SECONDS = (0.25, 0.5, 1.0, 2.0)


class _Thing(NamedTuple):
    """An object of the gang: its name in sentences, its URLs, and its wanted manifest."""

    called: str
    folder: Target
    place: Target
    wanted: Manifest


class Network:
    """The Service of one attempt, and its ConfigMap where members have files. Every step can be repeated."""

    def __init__(self, client: KubeClient, gang: AcceptedGang, reservation: Reservation) -> None:
        self._client = client
        self._gang = gang
        self._is_first = reservation.attempt == _FIRST_ATTEMPT
        self._things = [_service(gang)]
        content = files(meeting_of(gang, reservation.attempt, reservation.members, reservation.ranks))
        if content:
            self._things.append(_config_map(gang, content))

    async def make(self) -> Failure | None:
        """Create or update both; a failure says why members can't find each other."""
        try:
            for thing in self._things:
                failure = await self._ensure(thing)
                if failure is not None:
                    return failure
        except ApiUnavailableError as error:
            return Failure(reason=Reason.API_UNAVAILABLE, message=f"the API server did not answer: {error}")
        return None

    async def _ensure(self, thing: _Thing) -> Failure | None:
        """Create the object, or make sure that it exists, is the gang's and has the wanted content."""
        failure: Failure | None = None
        for seconds in (*_PAUSES_SECONDS, 0.0):
            answer = await self._present(thing)
            if not answer.is_success:
                return _refused(f"{thing.called} can't be made: {answer.message}")
            owner = owner_uid(answer.body, self._gang)
            if owner is None:
                return _refused(f"{thing.called} is there already, and it is not this gang's")
            if owner != self._gang.uid:
                failure = _refused(f"{thing.called} of an earlier gang of this name is still there")
            elif await self._is_as_wanted(thing, answer.body):
                return None
            else:
                failure = _refused(f"{thing.called} can't be written: somebody else changes it")
            await asyncio.sleep(seconds)
        return failure

    async def _present(self, thing: _Thing) -> Answer:
        """The object as it exists, created if missing.

        A gang's first attempt creates before it reads, later ones read first: the likelier request comes first.
        """
        if not self._is_first:
            answer = await self._client.get(thing.place)
            if answer.code != HTTPStatus.NOT_FOUND:
                return answer
        answer = await self._client.create(thing.folder, thing.wanted)
        return await self._client.get(thing.place) if is_conflict(answer) else answer

    async def _is_as_wanted(self, thing: _Thing, there: Manifest) -> bool:
        """Write the wanted content if the object differs; returns False where the write failed.

        A Service has no content to compare, so it counts as wanted.
        """
        if there.get("data") == thing.wanted.get("data"):
            return True
        version = {"resourceVersion": there["metadata"]["resourceVersion"]}
        body = {**thing.wanted, "metadata": {**thing.wanted["metadata"], **version}}
        return (await self._client.replace(thing.place, body)).is_success


async def is_in_the_way(client: KubeClient, gang: GangFact) -> bool:
    """Whether an object has a name that the gang's network needs, and belongs to no GangJob of this name."""
    if not isinstance(gang, AcceptedGang) or gang.spec.network is None:
        return False
    namespace, name = gang.key
    for place in (paths.service(namespace, name), paths.config_map(namespace, files_name(name))):
        answer = await client.get(place)
        if answer.is_success and owner_uid(answer.body, gang) is None:
            return True
    return False


def _service(gang: GangFact) -> _Thing:
    namespace, name = gang.key
    folder, place = paths.services_of(namespace), paths.service(namespace, name)
    return _Thing(f"Service {name}", folder, place, service_manifest(gang))


def _config_map(gang: GangFact, content: Mapping[str, str]) -> _Thing:
    namespace, name = gang.key.namespace, files_name(gang.key.name)
    folder, place = paths.config_maps_of(namespace), paths.config_map(namespace, name)
    return _Thing(f"ConfigMap {name}", folder, place, files_manifest(gang, content))


def _refused(message: str) -> Failure:
    return Failure(reason=Reason.NETWORK_REFUSED, message=f"the members can't find each other: {message}")
