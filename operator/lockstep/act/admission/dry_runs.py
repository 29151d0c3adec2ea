"""Asks the API server, by dry runs, what it makes of the members of gangs that have to wait.

So their owners know it now, and not when their turn comes, and gangs are planned with what admission adds. Nothing says
when a policy, a LimitRange or a webhook changes: gangs whose members it refuses or changes are checked again while they
wait, each less and less often. A gang that can start at once is not checked: creating its members shows the same.

Gangs are checked in an order of their own: first those for which others could be evicted, since no gang is evicted for
members that would be refused; then by priority; of equally urgent gangs each namespace in its turn. Gangs that are
checked again have turns of their own, which are fewer, so that neither kind ever waits for the other. Each gang is
asked for itself, also where another one has the same template: admission sees names, labels and owners.

The yes of a check is old when others are to be evicted on it: then it is asked for anew (:meth:`DryRuns.admits_now`).
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.admission.asking_admission import Admitted, ask_admission, at_once
from lockstep.act.admission.fair_queue import FairQueue, Rank
from lockstep.act.requests.services import Services
from lockstep.act.requests.workers import Workers
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.turns import Urgency
from lockstep.belief.gangs.phases import Phase
from lockstep.facts.gang.gang import GangFact, GangSpec, Refusal, Verdict
from lockstep.logs.fields import about
from lockstep.report.status.rate import Rate

# A dry run costs the API server almost as much as a pod; so many a second leave most of what it can do to others.
_FIRST_PER_SECOND = 44.0
_AGAIN_PER_SECOND = 6.0
# A webhook may take its time: others are checked meanwhile, also those of the same namespace.
_AT_ONCE = 4
_OF_NAMESPACE = 2
_AGAIN_AT_ONCE = 2
_AGAIN_OF_NAMESPACE = 1
# The groups of ranks.
_MAY_EVICT, _OTHERS = 0, 1
_FIRST_AGAIN_SECONDS = 15.0
_LONGEST_AGAIN_SECONDS = 600.0

# An API server waits so long for a webhook at most.
_LONGEST_SECONDS = 30.0
# Whether others are evicted waits for it. An API server that does not answer by then has not said yes.
_LONGEST_NOW_SECONDS = 10.0

log = logging.getLogger(__name__)


class _Haste(NamedTuple):
    """How a gang is checked: how urgent the requests are, how long they may take, and what each of them waits for."""

    urgency: Urgency
    seconds: float
    pace: Callable[[], Awaitable[None]]


_NOW = _Haste(Urgency.ACT, _LONGEST_NOW_SECONDS, at_once)


@dataclass(slots=True, kw_only=True)
class _AskedTemplate:
    version: tuple[str, int]
    checked: int = 0
    is_admitted: bool = False
    again: asyncio.TimerHandle | None = None


class DryRuns:
    """Checks gangs, a few at once. ``changed`` is called for each gang that admission turns out to change."""

    def __init__(self, services: Services, *, changed: Callable[[GangFact], None]) -> None:
        self._client = services.client
        self._state = services.state
        self._changed = changed
        self._asked: dict[GangKey, _AskedTemplate] = {}
        self._lowest_held = math.inf
        self._first, self._again = FairQueue(), FairQueue()
        self._first_checks = self._checks(self._first, _FIRST_PER_SECOND, at_once=_AT_ONCE, of_namespace=_OF_NAMESPACE)
        self._second_checks = self._checks(
            self._again, _AGAIN_PER_SECOND, at_once=_AGAIN_AT_ONCE, of_namespace=_AGAIN_OF_NAMESPACE
        )

    def ask(self, gang: GangFact) -> None:
        """Check a gang that has to wait, or is refused, unless that has been done."""
        version = (gang.uid, gang.generation)
        known = self._asked.get(gang.key)
        if known is not None and known.version == version:
            self._rank_anew(gang)
        elif self._state.templates.written(gang) is not None:
            self.forget(gang.key)
            self._asked[gang.key] = _AskedTemplate(version=version)
            self._first.put(gang.key, self._rank(gang))
            self._first_checks.wake()

    def ask_early(self, gang: GangFact) -> None:
        """Check a gang before it is planned if others could be evicted for it: a plan that does so needs the answer."""
        if self._rank(gang).group == _MAY_EVICT:
            self.ask(gang)

    def admits(self, gang: GangFact) -> bool:
        """Whether an attempt would make members and network, by what the last check of the gang has found."""
        known = self._asked.get(gang.key)
        return known is not None and known.version == (gang.uid, gang.generation) and known.is_admitted

    async def admits_now(self, gang: GangFact) -> bool:
        """Ask anew whether an attempt would make members and network; what is found counts as in any check.

        False also where the API server does not answer within some seconds, or the gang is another one by then.
        """
        spec, asked = self._state.templates.written(gang), self._asked.get(gang.key)
        if spec is None or asked is None or asked.version != (gang.uid, gang.generation):
            return False
        await self._find_and_note(gang, spec, asked, _NOW)
        known = self._state.gangs.get(gang.key)
        return known is not None and self.admits(known)

    def note_lowest_held(self, priority: float) -> None:
        """The least urgent gang that holds nodes has that priority: for more urgent ones it could be evicted."""
        self._lowest_held = priority

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._first.drop(gang)
        self._again.drop(gang)
        self._first_checks.cancel(gang)
        self._second_checks.cancel(gang)
        asked = self._asked.pop(gang, None)
        if asked is not None:
            _call_off(asked)

    async def stop(self) -> None:
        """Check no more."""
        for asked in self._asked.values():
            _call_off(asked)
        await self._first_checks.stop()
        await self._second_checks.stop()

    def _checks(self, queue: FairQueue, per_second: float, *, at_once: int, of_namespace: int) -> Workers:
        pace = Rate(per_second=per_second, burst=1.0).urgent
        check = partial(self._check, haste=_Haste(Urgency.REPORT, _LONGEST_SECONDS, pace))
        return Workers(queue.take, check, at_once=at_once, of_namespace=of_namespace)

    def _rank_anew(self, gang: GangFact) -> None:
        """Priorities may have changed since the gang waits for its check, and so may who holds nodes."""
        for queue in (self._first, self._again):
            if gang.key in queue:
                queue.put(gang.key, self._rank(gang))

    def _rank(self, gang: GangFact) -> Rank:
        spec, priorities = self._state.templates.written(gang), self._state.priorities
        as_written = gang if spec is None else replace(gang, spec=spec, refusal=None)
        priority = None if as_written.spec is None else priorities.of(as_written)
        if priority is None:
            return Rank(_OTHERS, 0)
        may_evict = gang.refusal is None and priority > self._lowest_held and priorities.preempts(as_written)
        return Rank(_MAY_EVICT if may_evict else _OTHERS, -priority)

    async def _check(self, key: GangKey, *, haste: _Haste) -> None:
        gang, asked = self._waiting(key), self._asked.get(key)
        spec = None if gang is None else self._state.templates.written(gang)
        if gang is None or asked is None or spec is None:
            # Should it wait again, it is checked again.
            self.forget(key)
        elif await self._find_and_note(gang, spec, asked, haste) and self._rank(gang).group == _MAY_EVICT:
            # From now on others may be evicted for it.
            self._state.news.plan()

    async def _find_and_note(self, gang: GangFact, spec: GangSpec, asked: _AskedTemplate, haste: _Haste) -> bool:
        """Check a gang, believe what is found, and see that it is checked again; returns whether a no became a yes.

        No answer in time is a no where others are to be evicted, and changes nothing elsewhere.
        """
        was_admitted, found = asked.is_admitted, await self._find(gang, spec, haste)
        if self._asked.get(gang.key) is not asked:
            return False
        if found is not None:
            self._believe(gang, spec, found.verdict)
        if found is not None or haste is _NOW:
            asked.is_admitted = found is not None and found.is_whole
        self._check_later(gang.key, asked)
        return asked.is_admitted and not was_admitted

    async def _find(self, gang: GangFact, spec: GangSpec, haste: _Haste) -> Admitted | None:
        """Ask for the gang's members; None where there is no answer in time."""
        try:
            async with asyncio.timeout(haste.seconds):
                return await ask_admission(self._client, gang, spec, urgency=haste.urgency, pace=haste.pace)
        except (ApiUnavailableError, TimeoutError) as error:
            why = str(error) or f"no answer within {haste.seconds:g} seconds"
            log.warning("its members could not be checked: %s", why, extra=about(gang.key))
            return None

    def _believe(self, gang: GangFact, spec: GangSpec, verdict: Verdict) -> None:
        now = self._waiting(gang.key)
        if now is None or now.uid != gang.uid:
            return
        if now.refusal is not None and not isinstance(verdict, Refusal):
            # What is in the way by now is mended by waiting.
            verdict = {role.name: role.needs for role in spec.roles} | dict(verdict)
        if verdict and self._state.admission_says(now, verdict) and not isinstance(verdict, Refusal):
            self._changed(self._state.gangs[gang.key])

    def _check_later(self, key: GangKey, asked: _AskedTemplate) -> None:
        """Have a gang checked again that admission refuses or changes; where that is to come already, let it."""
        gang = self._waiting(key)
        if gang is None:
            self.forget(key)
        if gang is None or asked.again is not None or (asked.is_admitted and not _is_changed(gang)):
            return
        pause = min(_FIRST_AGAIN_SECONDS * 2.0**asked.checked, _LONGEST_AGAIN_SECONDS)
        asked.checked = min(asked.checked + 1, 16)
        asked.again = asyncio.get_running_loop().call_later(pause, self._check_again, key, asked)

    def _check_again(self, key: GangKey, asked: _AskedTemplate) -> None:
        asked.again = None
        gang = self._state.gangs.get(key)
        if gang is not None:
            self._again.put(key, self._rank(gang))
            self._second_checks.wake()

    def _waiting(self, key: GangKey) -> GangFact | None:
        gang = self._state.gangs.get(key)
        if gang is None:
            return None
        phase = self._state.phase_of(gang)
        return gang if phase.is_planned or phase is Phase.REFUSED else None


def _is_changed(gang: GangFact) -> bool:
    return gang.spec is not None and gang.spec.is_changed_by_admission


def _call_off(asked: _AskedTemplate) -> None:
    if asked.again is not None:
        asked.again.cancel()
        asked.again = None
