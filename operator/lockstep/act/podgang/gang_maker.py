"""Makes the Gangs for owners of pods, and changes them with their owners. Gangs that users write are left alone."""

import asyncio
import logging
from http import HTTPStatus

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.podgang.made_gang import made_gang, made_parts
from lockstep.api.podgang.owners import OWNERS, OwnerKind
from lockstep.api.podgang.pod_gang import is_as_made
from lockstep.belief.state import State
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import maker_of
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# Reads and writes of owners and Gangs at a time: these are fewer than bindings, and less urgent.
_AT_ONCE = 8

log = logging.getLogger(__name__)


class GangMaker:
    """Makes and changes Gangs beside the cycle, a few at once. A Gang whose owner was just read is left for a while."""

    def __init__(self, client: KubeClient, state: State) -> None:
        self._client = client
        self._state = state
        self._checks: dict[GangKey, int] = {}
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def reconcile_made(self, gang: GangKey) -> None:
        """Make the Gang, or compare it with its owner, unless that was done a moment ago."""
        named = maker_of(object_name(gang))
        if named is None or named[0] not in self._state.sources or gang in self._under_way:
            return
        source, owner = named
        self._under_way[gang] = asyncio.create_task(self._reconcile(gang, OWNERS[source], owner))

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang whose pods are placed or gone: what comes next is checked soon."""
        self._checks.pop(gang, None)

    async def stop(self) -> None:
        """Stop: the next process finds the same pods."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _reconcile(self, gang: GangKey, kind: OwnerKind, owner: str) -> None:
        work_for(gang)
        checks = self._checks.get(gang, 0)
        self._checks[gang] = checks + 1
        try:
            async with self._at_once:
                problem = await self._make_or_change(gang, kind, owner)
        except (ApiUnavailableError, LookupError, TypeError, AttributeError, ValueError) as error:
            problem = f"{kind.kind} {owner} can't be understood: {error!r}"
        if problem and not checks:
            log.warning("it has no Gang as its pods want: %s", problem, extra=about(gang))
        await asyncio.sleep(pause_after(checks))
        del self._under_way[gang]
        if self._state.pod_gangs.group(gang).waiting:
            self._state.changes.reconcile(gang)

    async def _make_or_change(self, gang: GangKey, kind: OwnerKind, owner: str) -> str:
        """Make the Gang or change it, if that is due; returns why that failed, or ''."""
        found = await self._client.get(kind.target(gang.namespace, owner))
        if not found.is_success:
            return f"{kind.kind} {owner} can't be read: {found.message}"
        known = self._state.pod_gangs.objects.get(gang)
        if known is None:
            manifest = made_gang(object_name(gang), kind, found.body)
            answer = await self._client.create(paths.pod_gangs_of(gang.namespace), manifest, Urgency.REPORT)
        elif known.is_made and not is_as_made(known, made := made_parts(kind, found.body)):
            body = {**made, "metadata": {**made["metadata"], "uid": known.uid}}
            answer = await self._client.patch(paths.gang(gang), body, Urgency.REPORT)
        else:
            return ""
        return "" if answer.is_success or answer.code == HTTPStatus.CONFLICT else answer.message
