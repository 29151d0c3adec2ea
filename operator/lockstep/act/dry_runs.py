"""Asks the API server, by dry runs, what it makes of the members of gangs that have to wait.

So their owners know it now, and not when their turn comes, and gangs are planned with what admission adds. Nothing says
when a policy, a LimitRange or a webhook changes: gangs whose members it refuses or changes are checked again while they
wait, each less and less often. A gang that can start at once is never checked: creating its members shows the same.

Gangs are checked in an order of their own: first those for which others could be evicted, since no gang is evicted for
members that would be refused; then by priority; of equally urgent gangs each namespace in its turn. A second check of a
gang waits for all first checks, but for one turn in eight. Each gang is asked for itself, also where another one has
the same template: admission sees names, labels and owners.

The yes of a check is old when others are to be evicted on it: then it is asked for anew (:meth:`DryRuns.admits_now`).
"""

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from coschedule import GangKey
from lockstep.act.asking_admission import Admitted, ask_admission, at_once
from lockstep.act.fair_queue import FairQueue, Rank
from lockstep.act.services import Services
from lockstep.act.workers import Workers
from lockstep.api.answer import ApiUnavailableError
from lockstep.api.turns import Urgency
from lockstep.belief.phases import Phase
from lockstep.facts.gang import GangFact, GangSpec, Refusal, Verdict
from lockstep.logs.fields import about
from lockstep.report.rate import Rate

# A dry run costs the API server almost as much as a pod; so many a second leave most of what it can do to others.
_PER_SECOND = 50.0
# A webhook may take its time: others are checked meanwhile, also those of the same namespace.
_AT_ONCE = 4
_OF_NAMESPACE = 2
# Of so many turns one is for gangs that are checked again.
_ROUND = 8
# As long as an API server waits for a webhook at most.
_LONGEST_SECONDS = 30.0
# Whether others are evicted waits for it. An API server that does not answer by then has not said yes.
_LONGEST_NOW_SECONDS = 10.0
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
    """Checks gangs, a few at once. ``changed`` is called for each gang that admission turns out to change."""

    def __init__(self, services: Services, *, changed: Callable[[GangFact], None]) -> None:
        self._client = services.client
        self._state = services.state
        self._changed = changed
        self._asked: dict[GangKey, _Asked] = {}
        self._first, self._again = FairQueue(), FairQueue()
        self._taken = 0
        self._lowest_held = math.inf
        self._rate = Rate(per_second=_PER_SECOND, burst=1.0)
        self._workers = Workers(self._take, self._check, at_once=_AT_ONCE, of_namespace=_OF_NAMESPACE)

    def ask(self, gang: GangFact) -> None:
        """Check a gang that has to wait, or is refused, unless that has been done."""
        version = (gang.uid, gang.generation)
        known = self._asked.get(gang.key)
        if known is not None and known.version == version:
            self._rank_anew(gang)
        elif self._state.templates.written(gang) is not None:
            self.forget(gang.key)
            self._asked[gang.key] = _Asked(version=version)
            self._first.put(gang.key, self._rank(gang))
            self._workers.wake()

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
        await self._find_and_note(gang, spec, asked, Urgency.ACT)
        known = self._state.gangs.get(gang.key)
        return known is not None and self.admits(known)

    def note_lowest_held(self, priority: float) -> None:
        """The least urgent gang that holds nodes has that priority: for more urgent ones it could be evicted."""
        self._lowest_held = priority

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._first.drop(gang)
        self._again.drop(gang)
        self._workers.cancel(gang)
        asked = self._asked.pop(gang, None)
        if asked is not None:
            _call_off(asked)

    async def stop(self) -> None:
        """Check no more."""
        for asked in self._asked.values():
            _call_off(asked)
        await self._workers.stop()

    def _take(self, is_busy: Callable[[str], bool]) -> GangKey | None:
        is_for_again = self._taken % _ROUND == _ROUND - 1
        for queue in (self._again, self._first) if is_for_again else (self._first, self._again):
            gang = queue.take(is_busy)
            if gang is not None:
                self._taken += 1
                return gang
        return None

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
            return Rank(group=1, minus_priority=0)
        may_evict = gang.refusal is None and priority > self._lowest_held and priorities.preempts(as_written)
        return Rank(group=0 if may_evict else 1, minus_priority=-priority)

    async def _check(self, key: GangKey) -> None:
        gang, asked = self._waiting(key), self._asked.get(key)
        spec = None if gang is None else self._state.templates.written(gang)
        if gang is None or asked is None or spec is None:
            # Should it wait again, it is checked again.
            self.forget(key)
        elif await self._find_and_note(gang, spec, asked, Urgency.REPORT) and self._rank(gang).group == 0:
            # From now on others may be evicted for it.
            self._state.news.plan()

    async def _find_and_note(self, gang: GangFact, spec: GangSpec, asked: _Asked, urgency: Urgency) -> bool:
        """Check a gang, believe what is found, and see that it is checked again; returns whether a no became a yes."""
        was_admitted, found = asked.is_admitted, await self._find(gang, spec, urgency)
        if self._asked.get(gang.key) is not asked:
            return False
        if found is not None:
            self._believe(gang, spec, found.verdict)
        if found is not None or urgency is Urgency.ACT:
            asked.is_admitted = found is not None and found.is_whole
        self._check_later(gang.key, asked)
        return asked.is_admitted and not was_admitted

    async def _find(self, gang: GangFact, spec: GangSpec, urgency: Urgency) -> Admitted | None:
        """Ask for the gang's members; None where there is no answer in time. What is urgent waits for no pace."""
        is_urgent = urgency is Urgency.ACT
        seconds = _LONGEST_NOW_SECONDS if is_urgent else _LONGEST_SECONDS
        try:
            async with asyncio.timeout(seconds):
                return await ask_admission(
                    self._client, gang, spec, urgency=urgency, pace=at_once if is_urgent else self._rate.urgent
                )
        except (ApiUnavailableError, TimeoutError) as error:
            why = str(error) or f"no answer within {seconds:g} seconds"
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

    def _check_later(self, key: GangKey, asked: _Asked) -> None:
        """Have a gang checked again that admission refuses or changes; where that is to come already, let it."""
        gang = self._waiting(key)
        if gang is None:
            self.forget(key)
        if gang is None or asked.again is not None or (asked.is_admitted and not _is_changed(gang)):
            return
        pause = min(_FIRST_AGAIN_SECONDS * 2.0**asked.checked, _LONGEST_AGAIN_SECONDS)
        asked.checked = min(asked.checked + 1, 16)
        asked.again = asyncio.get_running_loop().call_later(pause, self._check_again, key, asked)

    def _check_again(self, key: GangKey, asked: _Asked) -> None:
        asked.again = None
        gang = self._state.gangs.get(key)
        if gang is not None:
            self._again.put(key, self._rank(gang))
            self._workers.wake()

    def _waiting(self, key: GangKey) -> GangFact | None:
        gang = self._state.gangs.get(key)
        if gang is None:
            return None
        phase = self._state.phase_of(gang)
        return gang if phase.is_planned or phase is Phase.REFUSED else None


def _is_changed(gang: GangFact) -> bool:
    return gang.spec is not None and gang.spec.is_changed_by_admission


def _call_off(asked: _Asked) -> None:
    if asked.again is not None:
        asked.again.cancel()
        asked.again = None
