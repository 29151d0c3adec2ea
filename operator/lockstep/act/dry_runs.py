"""Asks the API server, by a dry run, what it will make of the members of gangs that have to wait.

So their owners are told now, and not when their turn comes, and they are planned with what admission adds. Nobody tells
us when a policy, a LimitRange or a webhook changes: gangs whose members it refuses or changes are checked again while
they wait, each less and less often. A gang that can start at once is never checked: creating its members tells. Nobody
is evicted for a gang whose members would be refused.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from coschedule import GangKey, Members
from lockstep.act.admission import admitted_needs, estranged
from lockstep.act.network import is_in_the_way
from lockstep.act.refusals import is_no_dry_run, refused_template
from lockstep.act.services import Services
from lockstep.api import paths
from lockstep.api.answer import Answer, ApiUnavailableError
from lockstep.api.member_pod import MemberPods
from lockstep.belief.phases import Phase
from lockstep.belief.running import may_preempt
from lockstep.facts.gang import GangFact, GangSpec, Refusal, Verdict
from lockstep.facts.role import Needs, RoleSpec
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# A dry run costs the API server almost as much as a pod; so many leave most of what it can do to others.
_PAUSE_SECONDS = 0.02
_FIRST_AGAIN_SECONDS = 15.0
_LONGEST_AGAIN_SECONDS = 600.0

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Asked:
    version: tuple[str, int]
    checked: int = 0
    is_admitted: bool = False
    again: asyncio.TimerHandle | None = None


class DryRuns:
    """DryRuns one gang at a time. ``told`` is called for each gang that admission turns out to change."""

    def __init__(self, services: Services, *, told: Callable[[GangFact], None]) -> None:
        self._client = services.client
        self._state = services.state
        self._told = told
        self._asked: dict[GangKey, _Asked] = {}
        self._queue: dict[GangKey, None] = {}
        self._task: asyncio.Task[None] | None = None

    def ask(self, gang: GangFact) -> None:
        """Check a gang that has to wait, or is refused, unless that has been done."""
        version = (gang.uid, gang.generation)
        known = self._asked.get(gang.key)
        if (known is None or known.version != version) and self._state.templates.written(gang) is not None:
            self.forget(gang.key)
            self._asked[gang.key] = _Asked(version=version)
            self._enqueue(gang.key)

    def admits(self, gang: GangFact) -> bool:
        """Whether an attempt would make members and network now, as far as that can be told without making them."""
        known = self._asked.get(gang.key)
        return known is not None and known.version == (gang.uid, gang.generation) and known.is_admitted

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._queue.pop(gang, None)
        asked = self._asked.pop(gang, None)
        if asked is not None and asked.again is not None:
            asked.again.cancel()

    async def stop(self) -> None:
        """Check no more."""
        for gang in list(self._asked):
            self.forget(gang)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _enqueue(self, gang: GangKey) -> None:
        self._queue[gang] = None
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while self._queue:
            key = next(iter(self._queue))
            del self._queue[key]
            work_for(key)
            try:
                await self._check(key)
            except Exception:
                log.exception("its members could not be checked", extra=about(key))
            await asyncio.sleep(_PAUSE_SECONDS)
        self._task = None

    async def _check(self, key: GangKey) -> None:
        gang = self._waiting(key)
        spec = None if gang is None else self._state.templates.written(gang)
        if gang is None or spec is None:
            # Should it wait again, it is checked again.
            self.forget(key)
            return
        try:
            verdict, is_admitted = await self._verdict(gang, spec)
            is_admitted = is_admitted and not await is_in_the_way(self._client, gang)
        except ApiUnavailableError as error:
            log.warning("its members could not be checked: %s", error, extra=about(key))
        else:
            self._believe(gang, spec, verdict)
            self._note(gang, is_admitted=is_admitted)
        self._later(key)

    def _note(self, gang: GangFact, *, is_admitted: bool) -> None:
        """Remember whether its members would be created: from then on others may be evicted for it."""
        asked = self._asked.get(gang.key)
        if asked is None or asked.version != (gang.uid, gang.generation):
            return
        if is_admitted and not asked.is_admitted and may_preempt(self._state, gang):
            self._state.news.plan()
        asked.is_admitted = is_admitted

    async def _verdict(self, gang: GangFact, spec: GangSpec) -> tuple[Verdict, bool]:
        """What admission makes of the first member of each role, and whether it takes them all now.

        Nothing is made of those that are refused for what waiting mends.
        """
        verdict: dict[str, Needs] = {}
        is_admitted = True
        for role, pod in first_members(gang, spec):
            answer = await self._client.dry_run(paths.pods_to_be(gang.key.namespace), pod)
            needs = verdict_of(answer, role, pod)
            if isinstance(needs, Refusal):
                return needs, False
            is_admitted &= answer.is_success or is_no_dry_run(answer)
            if needs is not None:
                verdict[role.name] = needs
        return verdict, is_admitted

    def _believe(self, gang: GangFact, spec: GangSpec, verdict: Verdict) -> None:
        now = self._waiting(gang.key)
        if now is None or now.uid != gang.uid:
            return
        if now.refusal is not None and not isinstance(verdict, Refusal):
            # What is in the way by now is mended by waiting.
            verdict = {role.name: role.needs for role in spec.roles} | dict(verdict)
        if verdict and self._state.admission_says(now, verdict) and not isinstance(verdict, Refusal):
            self._told(self._state.gangs[gang.key])

    def _later(self, key: GangKey) -> None:
        gang, asked = self._waiting(key), self._asked.get(key)
        if gang is None:
            self.forget(key)
        if gang is None or asked is None or (asked.is_admitted and not _is_changed(gang)):
            return
        pause = min(_FIRST_AGAIN_SECONDS * 2.0**asked.checked, _LONGEST_AGAIN_SECONDS)
        asked.checked = min(asked.checked + 1, 16)
        asked.again = asyncio.get_running_loop().call_later(pause, self._enqueue, key)

    def _waiting(self, key: GangKey) -> GangFact | None:
        gang = self._state.gangs.get(key)
        if gang is None:
            return None
        phase = self._state.phase_of(gang)
        return gang if phase.is_planned or phase is Phase.REFUSED else None


def _is_changed(gang: GangFact) -> bool:
    return gang.spec is not None and gang.spec.is_changed_by_admission


def first_members(gang: GangFact, spec: GangSpec) -> Iterator[tuple[RoleSpec, dict[str, Any]]]:
    """The pod of the first member of each role, named as in the last attempt, so that refusals use the same words."""
    members = [Members("", role.sizes.minimum, role=role.name) for role in spec.roles]
    pods = MemberPods(replace(gang, spec=spec, refusal=None), max(gang.status.attempt, 1), members)
    rank = 0
    for role in spec.roles:
        yield role, pods.pod(rank)
        rank += role.sizes.minimum


def verdict_of(answer: Answer, role: RoleSpec, sent: Mapping[str, Any]) -> Needs | Refusal | None:
    """What admission makes of a member; None where it is refused for what waiting mends."""
    if answer.is_success:
        stranger = estranged(sent["metadata"], answer.body["metadata"])
        return stranger or admitted_needs(role.needs, answer.body["spec"], role.path)
    return refused_template(answer)
