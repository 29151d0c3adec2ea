"""Evicts the pods of a Gang that have to leave, if its owner can't be suspended.

Only pods of two kinds of Gangs are evicted. One is the group of a LeaderWorkerSet, which is then created anew. The
other is a Gang whose user has asked for evictions. A PodDisruptionBudget may refuse an eviction, so evictions are tried
for a minute.
"""

import asyncio
import itertools
from collections.abc import Callable, Collection
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.evicting.asked_evictions import pods_to_evict
from lockstep.act.evicting.asked_undo import AskedUndo
from lockstep.act.evicting.permit import EvictionDecision, EvictionPermit, eviction_right
from lockstep.act.evicting.pod_evictions import evict
from lockstep.act.evicting.remade_group import leader_to_evict
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import Undo
from lockstep.facts.gang.source import Source, maker_of

_LONGEST_SECONDS = 60.0


class Eviction(NamedTuple):
    """The effect of evictions, as a clause, or ``why_not``. Both are '' if no eviction was due.

    If ``may_pass``, another try may succeed.
    """

    effect: str = ""
    why_not: str = ""
    may_pass: bool = False


class GangEvictions:
    """Evicts pods of Gangs. Each try decides anew, from the present Gang, owners and rights."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._monotonic = services.monotonic
        self._undo = AskedUndo(services.client, services.state)

    async def evict(self, gang: GangKey, is_due: Callable[[], bool]) -> Eviction:
        """Evict the pods of a Gang that have to leave, and wait until all pods that were on nodes are leaving.

        Returns after about two minutes at the latest. ``is_due`` is called before each try, and ends the tries if it
        returns False.
        """
        before = {pod.uid for pod in self._state.pod_gangs.group(gang).going_pods()}
        eviction = await self._in_time(gang, is_due)
        if eviction.effect and not await self._have_left(gang, before):
            return Eviction(why_not=f"{eviction.effect}, but other pods of the Gang are still there")
        return eviction

    async def _in_time(self, gang: GangKey, is_due: Callable[[], bool]) -> Eviction:
        until = self._monotonic() + _LONGEST_SECONDS
        for tries in itertools.count():
            if not is_due():
                return Eviction(why_not="the pods no longer have to leave")
            eviction = await self._try(gang)
            left = until - self._monotonic()
            if not eviction.may_pass or left <= 0:
                return eviction
            await asyncio.sleep(min(pause_after(tries), left))
        raise AssertionError("there is no last try")

    async def _try(self, gang: GangKey) -> Eviction:
        if gang not in self._state.pod_gangs.objects:
            # The pods of a Gang that is gone continue to run.
            return Eviction()
        try:
            undo = await self._undo.of(gang)
            return await self._evict(gang, undo) if undo is Undo.EVICT or _group_of_set(gang) else Eviction()
        except ApiUnavailableError as error:
            return Eviction(why_not=f"the API server did not answer: {error}", may_pass=True)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            return Eviction(why_not=f"their owner can't be understood: {describe(error)}")

    async def _evict(self, gang: GangKey, undo: Undo) -> Eviction:
        right = await eviction_right(self._client)
        if isinstance(right, str):
            return Eviction(why_not=right)
        decision = await self._decide(gang, undo)
        if isinstance(decision, str):
            return Eviction(why_not=decision)
        why_not = await evict(self._client, EvictionPermit(right, decision))
        return Eviction(why_not=why_not, may_pass=True) if why_not else Eviction(effect=decision.effect)

    async def _decide(self, gang: GangKey, undo: Undo) -> EvictionDecision | str:
        group = _group_of_set(gang)
        decision = await leader_to_evict(self._client, self._state, gang, group) if group else ""
        if isinstance(decision, str) and undo is Undo.EVICT:
            return await pods_to_evict(self._client, self._state, gang)
        return decision

    async def _have_left(self, gang: GangKey, uids: Collection[str]) -> bool:
        """Wait for at most a minute until these pods are being deleted or gone. Returns whether they are."""
        until = self._monotonic() + _LONGEST_SECONDS
        for tries in itertools.count():
            if all(pod.uid not in uids for pod in self._state.pod_gangs.group(gang).going_pods()):
                return True
            if self._monotonic() >= until:
                return False
            await asyncio.sleep(pause_after(tries))
        raise AssertionError("there is no last check")


def _group_of_set(gang: GangKey) -> str:
    """The LeaderWorkerSet and the number of its group, from the name of its Gang; '' for other Gangs."""
    source, named = maker_of(object_name(gang)) or (None, "")
    return named if source is Source.LEADER_WORKER_SET else ""
