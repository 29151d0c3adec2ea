"""Reads owners of pods, in the version of their kind that the API server has."""

from http import HTTPStatus
from typing import NamedTuple

from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.owners import OwnerKind


class OwnerRead(NamedTuple):
    """The kind in the version that was asked for, and the answer."""

    kind: OwnerKind
    answer: Answer


class OwnerReader:
    """Reads each kind in the version that was there the last time, or in another one if that is gone.

    So a version may come or go at any time, and nothing is asked about kinds that no pod needs.
    """

    def __init__(self, client: KubeClient) -> None:
        self._client = client
        self._served: dict[str, str] = {}

    async def read(self, kind: OwnerKind, namespace: str, named: str) -> OwnerRead:
        """Read the owner for which a Gang is made, as the Gang's name says. Raises ``ApiUnavailableError``."""
        served = self._served.get(kind.resource, kind.api_version)
        for version in sorted(kind.versions, key=lambda one: one != served):
            at = kind.at(version)
            answer = await self._client.get(at.target(namespace, named))
            if not _is_without_version(answer):
                self._served[kind.resource] = version
                break
        return OwnerRead(at, answer)


def _is_without_version(answer: Answer) -> bool:
    """Whether the API server does not have the version: about an object that is missing it says its name."""
    return answer.code == HTTPStatus.NOT_FOUND and not (answer.body.get("details") or {}).get("name")
