"""Finds the namespace that has a name now. Its users may read nothing of an earlier namespace of that name."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.review import Caller
from lockstep.api.manifest import Manifest
from lockstep.api.times import epoch_seconds
from lockstep.tenants.parties import digest_of
from lockstep.tenants.shared_results import SharedResults
from lockstep.tenants.trouble import NoAnswerNowError, Trouble
from lockstep.watch.pages import ListError, pages


class NoNamespaceError(Exception):
    """There is no namespace of that name now; the message is a sentence."""


class OwnNamespace(NamedTuple):
    """A namespace, and when it was ``made`` (created), in seconds since 1970."""

    name: str
    uid: str
    made: int


class OwnNamespaces:
    """The namespaces that callers may read. A result is kept as long as the result of the review of a caller's rights.

    Results are kept for each caller. So the new owner of a name never gets the result of the previous owner.
    """

    def __init__(self, client: KubeClient, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._kept = SharedResults[tuple[bytes, str], OwnNamespace](monotonic)

    async def of(self, caller: Caller, name: str) -> OwnNamespace:
        """The namespace of that name. Raises ``NoNamespaceError`` or ``NoAnswerNowError``."""
        return await self._kept.get((digest_of(caller), name), lambda: read_namespace(self._client, name))


async def read_namespace(client: KubeClient, name: str) -> OwnNamespace:
    """The namespace that has the name now. Raises ``NoNamespaceError`` or ``NoAnswerNowError``."""
    try:
        listed = await client.get(paths.ALL_NAMESPACES, {"fieldSelector": f"metadata.name={name}"})
    except ApiUnavailableError as error:
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, str(error)) from error
    if not listed.is_success:
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, listed.message)
    for one in listed.body["items"]:
        return OwnNamespace(name, _uid(one), round(epoch_seconds(one["metadata"]["creationTimestamp"]) or 0.0))
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
