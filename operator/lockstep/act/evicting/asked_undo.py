"""Reads what the user of a Gang wants for its bound pods when these have to leave."""

from collections.abc import Mapping

from coschedule import GangKey
from lockstep.act.requests.job_above import as_its_job_wants
from lockstep.api.client.answer import exists
from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.made_gang import asked_undo
from lockstep.api.podgang.owner_reader import OwnerReader
from lockstep.api.podgang.owners import OWNERS
from lockstep.belief.state import State
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec, Undo
from lockstep.facts.gang.source import Source, maker_of


class AskedUndo:
    """Reads the annotation of the owner. If there is none, it takes the field of the Gang.

    The owner is read each time: no watch shows it, and an eviction can't be reversed.
    """

    def __init__(self, client: KubeClient, state: State) -> None:
        self._client = client
        self._state = state
        self._owners = OwnerReader(client)

    async def of(self, gang: GangKey) -> Undo:
        """The present wish of the Gang and its owner; ``KEEP`` if the Gang is gone or refused, or the wish is invalid.

        Raises ``ApiUnavailableError``.
        """
        known = self._state.pod_gangs.objects.get(gang)
        if known is None or not isinstance(known.asks, PodGangSpec):
            return Undo.KEEP
        try:
            asked = asked_undo(await self._annotations(gang, known))
        except ValueError:
            return Undo.KEEP
        return known.asks.undo if asked is None else asked

    async def _annotations(self, gang: GangKey, known: PodGang) -> Mapping[str, str]:
        """The annotations of the owner for which the Gang is made; none if the owner is gone, or a user made the Gang.

        A group of pods in a queue of Kueue has no owner. The annotations of its pods count, if all of them agree.
        """
        named = maker_of(object_name(gang))
        if named is None or known.made_for is None:
            return {}
        source, owner = named
        if source is Source.KUEUE_GROUP:
            terms = self._state.pod_gangs.group(gang).terms
            return dict(terms[0].terms.annotations) if len(terms) == 1 else {}
        return await self._annotations_of(gang, source, owner, known.made_for)

    async def _annotations_of(self, gang: GangKey, source: Source, name: str, uid: str) -> Mapping[str, str]:
        kind, answer = await self._owners.read(OWNERS[source], gang.namespace, name)
        if not exists(answer, f"{kind.kind} {name}") or answer.body["metadata"]["uid"] != uid:
            return {}
        owner = answer.body
        if source is Source.SCHEDULING_GROUP:
            owner = await as_its_job_wants(self._client, self._state.sources, owner)
        return owner["metadata"].get("annotations") or {}
