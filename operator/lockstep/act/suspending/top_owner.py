"""Finds the topmost owner of a Gang's pods. Only this object can be suspended, because it controls those below."""

from collections.abc import Collection
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.event import EventSubject
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.kueue import is_queued
from lockstep.api.podgang.owner_reader import OwnerReader
from lockstep.api.podgang.owners import OWNERS, OwnerKind
from lockstep.api.podgang.single_pods import controller_of
from lockstep.api.suspending.suspendable import SuspendableKind, kinds_above, suspendable
from lockstep.api.suspending.whole_owner import has_other_pods
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source, maker_of

# A Job of a JobSet of a TrainJob has two objects above it.
_MOST_OWNERS = 4
# A CronJob creates Jobs and then leaves them alone.
_CRON_JOB = "CronJob"


class TopOwner(NamedTuple):
    """An object that can be suspended, as it was read.

    ``has_other_pods`` says that some of its pods are not of the Gang.
    """

    kind: SuspendableKind
    manifest: Manifest
    has_other_pods: bool = False

    def __str__(self) -> str:
        """The kind and the name, such as ``Job heat``."""
        return f"{self.kind.kind} {self.manifest['metadata']['name']}"

    @property
    def target(self) -> Target:
        """The location of the object in the API."""
        metadata = self.manifest["metadata"]
        return self.kind.target(metadata["namespace"], metadata["name"])

    @property
    def subject(self) -> EventSubject:
        """The object as the subject of events."""
        metadata = self.manifest["metadata"]
        return EventSubject(
            self.kind.api_version, self.kind.kind, metadata["namespace"], metadata["name"], metadata["uid"]
        )


async def top_owner(client: KubeClient, owners: OwnerReader, gang: GangKey, uids: Collection[str]) -> TopOwner | str:
    """The object to suspend for a Gang whose pods name one of ``uids`` as their owner; or a clause that says why not.

    Raises ``ApiUnavailableError``.
    """
    named = maker_of(object_name(gang))
    if named is None:
        return "a user has written the Gang, so its pods may have any owners"
    source, name = named
    if source is Source.KUEUE_GROUP:
        return "the pods of a group of Kueue have no owner in common"
    kind, answer = await owners.read(OWNERS[source], gang.namespace, name)
    if not answer.is_success:
        return f"{kind.kind} {name} can't be read: {answer.message}"
    if uids and answer.body["metadata"]["uid"] not in uids:
        return f"the owner of these pods is gone, and {kind.kind} {name} is a new object of that name"
    found = await _above(client, source, kind, answer.body)
    if isinstance(found, str):
        return found
    return _unless_queued(found._replace(has_other_pods=has_other_pods(kind, answer.body)))


async def _above(client: KubeClient, source: Source, of: OwnerKind, owner: Manifest) -> TopOwner | str:
    """The topmost controller above that object, or the object itself; or a clause that says why there is none."""
    api_version, kind = of.api_version, of.kind
    for _ in range(_MOST_OWNERS):
        controller = _controller(owner)
        if controller is None:
            break
        known = suspendable(controller["apiVersion"], controller["kind"])
        name = f"{controller['kind']} {controller['name']}"
        if known is None:
            return f"it belongs to {name}, and a {controller['kind']} can't be suspended"
        if known not in kinds_above((source,)):
            return f"it belongs to {name}, which may have other Gangs"
        answer = await client.get(known.target(owner["metadata"]["namespace"], controller["name"]))
        if not answer.is_success:
            return f"{name} can't be read: {answer.message}"
        if answer.body["metadata"]["uid"] != controller["uid"]:
            return f"its owner is gone, and {name} is a new object of that name"
        api_version, kind, owner = known.api_version, known.kind, answer.body
    known = suspendable(api_version, kind)
    return f"a {kind} can't be suspended" if known is None else TopOwner(known, owner)


def _controller(owner: Manifest) -> Manifest | None:
    """The controller that sets the fields of this object; None if there is none."""
    controller = controller_of(owner["metadata"])
    return None if not controller or controller["kind"] == _CRON_JOB else controller


def _unless_queued(owner: TopOwner) -> TopOwner | str:
    return f"Kueue has queued {owner}" if is_queued(owner.manifest) else owner
