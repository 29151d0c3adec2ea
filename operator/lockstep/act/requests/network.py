"""The Service and ConfigMap through which members find each other. They are created while the pods are created.

The Service stays for all attempts of a gang. The ConfigMap is written for each attempt, before a member is bound.
Objects of these names that are not the gang's are left alone.
"""

from collections.abc import Mapping

from lockstep.act.requests.owned_objects import OwnedObject, OwnedObjects
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.common_objects import files_manifest, files_name, owner_uid, service_manifest
from lockstep.api.rendezvous.meeting import meeting_of
from lockstep.api.rendezvous.sets import files
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

_FIRST_ATTEMPT = 1


class Network:
    """The Service of one attempt, and its ConfigMap if members have files. Each step can be repeated."""

    def __init__(self, client: KubeClient, gang: AcceptedGang, reservation: Reservation) -> None:
        self._objects = OwnedObjects(client, gang, is_new=reservation.attempt == _FIRST_ATTEMPT)
        self._things = [_service(gang)]
        content = files(meeting_of(gang, reservation.attempt, reservation.members, reservation.ranks))
        if content:
            self._things.append(_config_map(gang, content))

    async def make(self) -> Failure | None:
        """Create or update both. Returns a failure that says why members can't find each other, or None."""
        try:
            for thing in self._things:
                problem = await self._objects.ensure(thing)
                if problem:
                    return _refused(problem)
        except ApiUnavailableError as error:
            return Failure(reason=Reason.API_UNAVAILABLE, message=f"the API server did not answer: {error}")
        return None


async def is_in_the_way(client: KubeClient, gang: GangFact) -> bool:
    """Whether an object has a name that the gang's network needs, and does not belong to a GangJob of this name."""
    if not isinstance(gang, AcceptedGang) or gang.spec.network is None:
        return False
    namespace, name = gang.key
    for place in (paths.service(namespace, name), paths.config_map(namespace, files_name(name))):
        answer = await client.get(place)
        if answer.is_success and owner_uid(answer.body, gang) is None:
            return True
    return False


def _service(gang: GangFact) -> OwnedObject:
    namespace, name = gang.key
    folder, place = paths.services_of(namespace), paths.service(namespace, name)
    return OwnedObject(f"Service {name}", folder, place, service_manifest(gang))


def _config_map(gang: GangFact, content: Mapping[str, str]) -> OwnedObject:
    namespace, name = gang.key.namespace, files_name(gang.key.name)
    folder, place = paths.config_maps_of(namespace), paths.config_map(namespace, name)
    return OwnedObject(f"ConfigMap {name}", folder, place, files_manifest(gang, content))


def _refused(message: str) -> Failure:
    return Failure(reason=Reason.NETWORK_REFUSED, message=f"the members can't find each other: {message}")
