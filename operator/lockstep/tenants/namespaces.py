"""Which namespace of a name is there now: its users may read nothing of an earlier one of its name."""

from collections.abc import Mapping
from typing import NamedTuple

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.api.times import epoch_seconds
from lockstep.tenants.trouble import NoAnswerNowError, Trouble
from lockstep.watch.pages import ListError, pages


class NoNamespaceError(Exception):
    """There is no namespace of that name now; the message is a sentence."""


class OwnNamespace(NamedTuple):
    """The namespace of a name, and when it was ``made``, in seconds since 1970."""

    uid: str
    made: int


async def read_namespace(client: KubeClient, name: str) -> OwnNamespace:
    """The namespace that is there now. Raises ``NoNamespaceError`` or ``NoAnswerNowError``."""
    try:
        listed = await client.get(paths.ALL_NAMESPACES, {"fieldSelector": f"metadata.name={name}"})
    except ApiUnavailableError as error:
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, str(error)) from error
    if not listed.is_success:
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, listed.message)
    for one in listed.body["items"]:
        return OwnNamespace(_uid(one), round(epoch_seconds(one["metadata"]["creationTimestamp"]) or 0.0))
    raise NoNamespaceError(f"There is no namespace {name} now.")


async def read_uids(client: KubeClient) -> Mapping[str, str]:
    """The UID of every namespace, by name. Raises ``NoAnswerNowError``."""
    uids: dict[str, str] = {}
    try:
        async for page in pages(client, paths.ALL_NAMESPACES):
            uids.update((one["metadata"]["name"], _uid(one)) for one in page["items"] or ())
    except (ApiUnavailableError, ListError) as error:
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, str(error)) from error
    return uids


def _uid(namespace: Manifest) -> str:
    return str(namespace["metadata"]["uid"])
