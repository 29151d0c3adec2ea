"""Reads owners of pods in a version that the API server has."""

from typing import NamedTuple

from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.owners import OwnerKind


class OwnerRead(NamedTuple):
    """The answer to a read of an owner, and the kind in the version of this request."""

    kind: OwnerKind
    answer: Answer


class OwnerReader:
    """Reads each kind in the version of the last read, or in another version if the API server no longer has that one.

    So a version may come or go at any time. There are no requests to find out the versions of kinds.
    """

    def __init__(self, client: KubeClient) -> None:
        self._client = client
        self._served: dict[str, str] = {}

    async def read(self, kind: OwnerKind, namespace: str, named: str) -> OwnerRead:
        """Read the owner for which a Gang is made; ``named`` is the name of the Gang without the source.

        Raises ``ApiUnavailableError``.
        """
        served = self._served.get(kind.resource, kind.api_version)
        for version in sorted(kind.versions, key=lambda one: one != served):
            at = kind.at(version)
            answer = await self._client.get(at.target(namespace, named))
            # If the API server has the version and only lacks the object, its answer names the object.
            if not answer.is_unserved:
                self._served[kind.resource] = version
                break
        return OwnerRead(at, answer)
