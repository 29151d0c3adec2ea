"""Checks with dry runs whether the pods of a Gang may be bound, before other gangs are evicted for it."""

import asyncio
from dataclasses import dataclass

from coschedule import GangKey
from lockstep.act.admission.repeats import pause_before_repeat
from lockstep.act.requests.api_refusals import is_no_dry_run
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.common_objects import owner_uid
from lockstep.api.members.binding import binding_manifest
from lockstep.api.podgang.host_list import host_list_name
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.pods.pod import PodKey


@dataclass(slots=True)
class _RefusedBindings:
    """The number of refusals in a row for the bindings of a Gang, and the timer of its next check, if one runs."""

    count: int = 0
    again: asyncio.TimerHandle | None = None


class BindingChecks:
    """Checks whether pods of Gangs may be bound. After each refusal, the pause before the next check grows."""

    def __init__(self, client: KubeClient, state: State) -> None:
        self._client = client
        self._state = state
        self._refused: dict[GangKey, _RefusedBindings] = {}

    def is_due(self, gang: GangKey) -> bool:
        """Whether the Gang may be checked now."""
        known = self._refused.get(gang)
        return known is None or known.again is None

    async def check(self, gang: GangFact, *, seconds: float) -> bool:
        """Whether one waiting pod of each kind may be bound to a node, and whether the list of hosts may be written.

        False if there is no answer within ``seconds``.
        """
        try:
            async with asyncio.timeout(seconds):
                are_admitted = await self._are_admitted(gang)
        except (TimeoutError, ApiUnavailableError):
            are_admitted = False
        if are_admitted:
            self.forget(gang.key)
        else:
            self._check_later(gang.key)
        return are_admitted

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone, or whose pods may be bound."""
        known = self._refused.pop(gang, None)
        if known is not None and known.again is not None:
            known.again.cancel()

    def stop(self) -> None:
        """Cancel all timers."""
        for gang in list(self._refused):
            self.forget(gang)

    async def _are_admitted(self, gang: GangFact) -> bool:
        node = next(iter(self._state.nodes), "")
        group = self._state.pod_gangs.group(gang.key)
        waiting = group.waiting_by_kind(self._state.pod_gangs.owner(gang.key))
        ones = [(pod, group.pods[pod].uid) for pod in (next(iter(pods)) for _, pods in waiting)]
        are_admitted = bool(ones) and all([await self._is_admitted(pod, uid, node) for pod, uid in ones])
        return are_admitted and not await self._is_list_in_the_way(gang)

    async def _is_admitted(self, pod: PodKey, uid: str, node: str) -> bool:
        manifest = binding_manifest(pod, uid, node)
        answer = await self._client.dry_run(paths.binding_to_be(pod), manifest, urgency=Urgency.ACT)
        return answer.is_success or is_no_dry_run(answer)

    async def _is_list_in_the_way(self, gang: GangFact) -> bool:
        """Whether the Gang needs a list of hosts, but an object that is not the Gang's has the name of this list."""
        known = self._state.pod_gangs.objects.get(gang.key)
        if known is None or not known.wants_host_list:
            return False
        place = paths.config_map(gang.key.namespace, host_list_name(object_name(gang.key)))
        answer = await self._client.get(place)
        return answer.is_success and owner_uid(answer.body, gang) is None

    def _check_later(self, gang: GangKey) -> None:
        known = self._refused.setdefault(gang, _RefusedBindings())
        known.again = asyncio.get_running_loop().call_later(pause_before_repeat(known.count), self._again, known)
        known.count += 1

    def _again(self, known: _RefusedBindings) -> None:
        known.again = None
        self._state.changes.plan()
