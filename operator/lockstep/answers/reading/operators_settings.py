"""Reads the operator's options that affect plans, which its leader has published."""

from http import HTTPStatus

from lockstep.answers.reading.cluster import answered
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.credentials import refused_to_person
from lockstep.api.cluster.published_settings import parse_published


class UnknownSettingsError(AnswerError):
    """The operator's options are unknown; the message is a clause that says why."""


async def read_settings(client: KubeClient, place: str) -> dict[str, str]:
    """The options in the ConfigMap at ``NAMESPACE/NAME``, by name, formatted as on the command line.

    Raises ``UnknownSettingsError``. Raises ``AnswerError`` if the API server does not answer or accept the credentials.
    """
    namespace, _, name = place.partition("/")
    with answered(client):
        answer = await client.get(paths.config_map(namespace, name))
    if answer.code == HTTPStatus.UNAUTHORIZED:
        raise AnswerError(f"{refused_to_person(client.configuration)}.")
    if answer.is_absence:
        raise UnknownSettingsError(f"there is no ConfigMap {place}")
    if not answer.is_success:
        raise UnknownSettingsError(f"ConfigMap {place} can't be read: {answer.message}")
    settings = parse_published(answer.body)
    if not settings:
        raise UnknownSettingsError(f"ConfigMap {place} does not contain them")
    return settings
