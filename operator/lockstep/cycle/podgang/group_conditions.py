"""Writes the condition of PodGroups of Kubernetes, as kube-scheduler does for the groups whose pods it places.

The module is level-triggered: it compares the status of a Gang with the condition that was written last.
"""

import asyncio
import logging
from http import HTTPStatus
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import Answer, ApiUnavailableError, Target, served
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.podgang.owner_reader import OwnerReader
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.scheduling_group import GroupCondition, condition_patch
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source, maker_of
from lockstep.facts.reason_meanings import LACKING_PODS
from lockstep.facts.reasons import Condition
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# People read these conditions, and the statuses of Gangs say the same. So a few writes at once are enough.
_AT_ONCE = 4
_MOST_CONFLICTS = 5

log = logging.getLogger(__name__)


class _Due(NamedTuple):
    """The condition to write to the PodGroup of that name, if it still has that UID."""

    name: str
    uid: str
    condition: GroupCondition


class GroupConditions:
    """Writes conditions, one write at a time for each Gang.

    Conditions follow from the status of the Gang, so there are no more writes than changes of this status.
    """

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._now = services.now
        self._owners = OwnerReader(services.client)
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._written: dict[GangKey, _Due] = {}
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def check(self, gang: GangFact) -> None:
        """Begin to write the condition that follows from the status of the Gang, if a write is due."""
        due = self._due(gang)
        if due is not None and due != self._written.get(gang.key) and gang.key not in self._under_way:
            self._under_way[gang.key] = asyncio.create_task(self._write(gang.key, due))

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone."""
        self._written.pop(gang, None)

    async def stop(self) -> None:
        """Stop. After a restart, the operator compares the conditions anew."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    def _due(self, gang: GangFact) -> _Due | None:
        named, uid = maker_of(object_name(gang.key)), self._state.pod_gangs.owner(gang.key)
        if named is None or named[0] is not Source.SCHEDULING_GROUP or not uid:
            return None
        condition = condition_of(gang)
        # The status may belong to an earlier group of the same name, whose pods are gone. A True condition can't become
        # False again.
        is_over = condition is not None and condition.is_scheduled and not self._state.pod_gangs.group(gang.key).going
        return None if condition is None or is_over else _Due(named[1], uid, condition)

    async def _write(self, gang: GangKey, due: _Due) -> None:
        work_for(gang)
        try:
            await self._write_patiently(gang, due)
        except (LookupError, TypeError, AttributeError, ValueError):
            log.exception("the condition of the gang's PodGroup can't be written", extra=about(gang))
        finally:
            del self._under_way[gang]
        self._written[gang] = due
        # The status may have changed meanwhile, and the Gang may be gone.
        self._state.changes.reconcile(gang)

    async def _write_patiently(self, gang: GangKey, due: _Due) -> None:
        tries = 0
        while True:
            try:
                async with self._at_once:
                    answer = await self._write_once(gang, due)
            except ApiUnavailableError as error:
                log.warning("the condition of the gang's PodGroup is not written yet: %s", error, extra=about(gang))
                if gang not in self._state.gangs:
                    return
            else:
                if answer.code != HTTPStatus.CONFLICT or tries >= _MOST_CONFLICTS:
                    _log_refusal(gang, answer)
                    return
            await asyncio.sleep(pause_after(tries))
            tries += 1

    async def _write_once(self, gang: GangKey, due: _Due) -> Answer:
        """Compare the PodGroup with the condition that is due, and patch it if they differ."""
        kind, found = await self._owners.read(OWNERS[Source.SCHEDULING_GROUP], gang.namespace, due.name)
        named = f"PodGroup {due.name}"
        if not served(found, f"{named} can't be read").is_success or found.body["metadata"]["uid"] != due.uid:
            return found
        patch = condition_patch(found.body, kind.api_version, due.condition, self._now())
        if patch is None:
            return found
        path, resource = kind.target(gang.namespace, due.name)
        answer = await self._client.patch(Target(f"{path}/status", f"{resource}/status"), patch, Urgency.REPORT)
        return served(answer, f"{named} can't be changed")


def condition_of(gang: GangFact) -> GroupCondition | None:
    """The condition of the PodGroup that follows from the status of a Gang.

    None if there is nothing new, for example while an attempt is under way.
    """
    status = gang.status
    accepted, planned = status.condition(Condition.ACCEPTED), status.condition(Condition.PLANNED)
    placed = status.condition(Condition.PLACED)
    if placed is not None and status.is_true(Condition.PLACED):
        return GroupCondition(is_scheduled=True, message=placed.message)
    if status.reserved_at is not None:
        return None
    if accepted is not None and not status.is_true(Condition.ACCEPTED):
        return GroupCondition(is_scheduled=False, message=accepted.message)
    # As kube-scheduler does, write no condition before the pods of the group exist.
    if planned is None or planned.reason in LACKING_PODS:
        return None
    return GroupCondition(is_scheduled=False, message=planned.message)


def _log_refusal(gang: GangKey, answer: Answer) -> None:
    # A PodGroup that is gone has no condition.
    if not answer.is_success and not answer.is_absence:
        log.warning("the condition of the gang's PodGroup is not written: %s", answer.message, extra=about(gang))
