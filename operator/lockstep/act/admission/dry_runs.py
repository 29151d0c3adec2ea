"""Checks with dry runs how the API server changes or refuses the members of waiting gangs.

So users see a refusal before their gang's turn comes, and gangs are planned with what admission adds. Kubernetes
reports no change of a policy, a LimitRange or a webhook. So gangs whose members are refused or changed are checked
again while they wait, each time after a longer pause. A gang that can start at once is not checked: the creation of its
members shows the same.

Gangs for which others could be evicted are checked first, because no gang is evicted for members that would be refused.
Then priority decides, and gangs of one priority are checked by namespace in turn. Each eighth check is of any rank, so
that urgent gangs that are refused again and again do not keep other gangs unchecked for ever. Repeated checks have
their own, smaller share, so neither kind waits for the other. Gangs with equal templates are checked separately,
because admission sees names, labels and owners.

A passed check may be outdated when others are about to be evicted. So :meth:`DryRuns.admits_now` repeats it then.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.admission.asking_admission import Admitted, ask_admission, at_once
from lockstep.act.admission.asking_bindings import BindingChecks
from lockstep.act.admission.repeats import pause_before_repeat
from lockstep.act.requests.services import Services
from lockstep.act.requests.workers import Workers
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.turns import Urgency
from lockstep.belief.common.fair_queue import FairQueue, Rank
from lockstep.belief.gangs.phases import Phase
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, Verdict
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.logs.fields import about
from lockstep.report.status.rate import Rate

# In dry runs per second. One dry run costs the API server almost as much as a pod. These rates leave most of its
# capacity.
_FIRST_PER_SECOND = 44.0
_AGAIN_PER_SECOND = 6.0
# The most checks at the same time, for all namespaces and for one, so that a slow webhook delays only some of them.
_AT_ONCE = 4
_OF_NAMESPACE = 2
_AGAIN_AT_ONCE = 2
_AGAIN_OF_NAMESPACE = 1
# The first part of a gang's rank in a queue. Gangs for which others may be evicted are checked first.
_MAY_EVICT, _OTHERS = 0, 1

# The longest time that an API server waits for a webhook.
_LONGEST_SECONDS = 30.0
# Evictions wait for this answer. If there is no answer in time, the members count as refused.
_LONGEST_NOW_SECONDS = 10.0

log = logging.getLogger(__name__)


class _Haste(NamedTuple):
    """How urgent the requests of a check are, how many seconds it may take, and what each request awaits first."""

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
    """Checks whether members are admitted, for a few gangs at once.

    ``changed`` is called for each gang whose needs or refusal a check changes.
    """

    def __init__(self, services: Services, *, changed: Callable[[GangFact], None]) -> None:
        self._client = services.client
        self._state = services.state
        self._changed = changed
        self._bindings = BindingChecks(services.client, services.state)
        self._asked: dict[GangKey, _AskedTemplate] = {}
        self._lowest_held = math.inf
        self._first, self._again = FairQueue(), FairQueue()
        self._first_checks = self._checks(self._first, _FIRST_PER_SECOND, at_once=_AT_ONCE, of_namespace=_OF_NAMESPACE)
        self._second_checks = self._checks(
            self._again, _AGAIN_PER_SECOND, at_once=_AGAIN_AT_ONCE, of_namespace=_AGAIN_OF_NAMESPACE
        )

    def ask(self, gang: GangFact) -> None:
        """Check a gang that waits or is refused, unless this version was already checked.

        For a Gang, this does nothing, because its pods exist already.
        """
        if is_pod_gang(gang.key):
            return
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
        """Check a gang before it is planned, if others could be evicted for it: such a plan needs the result."""
        if self._rank(gang).group == _MAY_EVICT:
            self.ask(gang)

    def admits(self, gang: GangFact) -> bool:
        """Whether the last check found that all members and the network could be created.

        For a Gang, this says whether it is not refused and its bindings may be checked now. Its pods exist already.
        """
        if is_pod_gang(gang.key):
            return gang.refusal is None and self._bindings.is_due(gang.key)
        known = self._asked.get(gang.key)
        return known is not None and known.version == (gang.uid, gang.generation) and known.is_admitted

    async def admits_now(self, gang: GangFact) -> bool:
        """Check again now whether the members and the network could be created.

        The result is used like that of any check.

        For a Gang, its bindings are checked. The answer is also False if there is no result within 10 seconds, or if
        the gang has changed meanwhile.
        """
        if is_pod_gang(gang.key):
            return await self._bindings.check(gang, seconds=_LONGEST_NOW_SECONDS)
        spec, asked = self._state.templates.written(gang), self._asked.get(gang.key)
        if spec is None or asked is None or asked.version != (gang.uid, gang.generation):
            return False
        await self._check_and_apply(gang, spec, asked, _NOW)
        known = self._state.gangs.get(gang.key)
        return known is not None and self.admits(known)

    def set_lowest_held(self, priority: float) -> None:
        """Set the lowest priority of the gangs that hold nodes. Gangs above it could evict others.

        A gang whose group holds less than its share could also evict gangs of its own priority.
        """
        self._lowest_held = priority

    def forget(self, gang: GangKey) -> None:
        """Forget a gang, and cancel its checks."""
        self._bindings.forget(gang)
        self._first.drop(gang)
        self._again.drop(gang)
        self._first_checks.cancel(gang)
        self._second_checks.cancel(gang)
        asked = self._asked.pop(gang, None)
        if asked is not None:
            _cancel_timer(asked)

    async def stop(self) -> None:
        """Stop all checks."""
        self._bindings.stop()
        for asked in self._asked.values():
            _cancel_timer(asked)
        await self._first_checks.stop()
        await self._second_checks.stop()

    def _checks(self, queue: FairQueue, per_second: float, *, at_once: int, of_namespace: int) -> Workers:
        pace = Rate(per_second=per_second, burst=1.0).urgent
        check = partial(self._check, haste=_Haste(Urgency.REPORT, _LONGEST_SECONDS, pace))
        return Workers(queue.take_in_turns, check, at_once=at_once, of_namespace=of_namespace)

    def _rank_anew(self, gang: GangFact) -> None:
        """Update the gang's place in its queue.

        Priorities and the gangs that hold nodes may have changed since it was queued.
        """
        for queue in (self._first, self._again):
            if gang.key in queue:
                queue.put(gang.key, self._rank(gang))

    def _rank(self, gang: GangFact) -> Rank:
        spec, priorities = self._state.templates.written(gang), self._state.priorities
        as_written = gang if spec is None else gang.with_spec(spec)
        priority = priorities.of(as_written)
        if priority is None:
            return Rank(_OTHERS, 0)
        takes_back = self._state.shares.holds_less_than_its_share(gang.key.namespace)
        is_above = priority + takes_back > self._lowest_held
        may_evict = gang.refusal is None and is_above and priorities.preempts(as_written)
        return Rank(_MAY_EVICT if may_evict else _OTHERS, -priority)

    async def _check(self, key: GangKey, *, haste: _Haste) -> None:
        gang, asked = self._waiting(key), self._asked.get(key)
        spec = None if gang is None else self._state.templates.written(gang)
        if gang is None or asked is None or spec is None:
            # The gang is checked again if it waits again.
            self.forget(key)
        elif await self._check_and_apply(gang, spec, asked, haste) and self._rank(gang).group == _MAY_EVICT:
            # From now on other gangs may be evicted for this gang.
            self._state.changes.plan()

    async def _check_and_apply(self, gang: GangFact, spec: GangSpec, asked: _AskedTemplate, haste: _Haste) -> bool:
        """Check a gang, apply the result and schedule the next check. Returns whether the gang is newly admitted.

        If a check before evictions has no result in time, the members count as refused. If any other check has no
        result in time, nothing changes.
        """
        was_admitted, found = asked.is_admitted, await self._find(gang, spec, haste)
        if self._asked.get(gang.key) is not asked:
            return False
        if found is not None:
            self._apply_verdict(gang, spec, found.verdict)
        if found is not None or haste is _NOW:
            asked.is_admitted = found is not None and found.is_whole
        self._check_later(gang.key, asked)
        return asked.is_admitted and not was_admitted

    async def _find(self, gang: GangFact, spec: GangSpec, haste: _Haste) -> Admitted | None:
        """Send the dry runs of the gang's members; None if there is no result in time."""
        try:
            async with asyncio.timeout(haste.seconds):
                return await ask_admission(self._client, gang, spec, urgency=haste.urgency, pace=haste.pace)
        except (ApiUnavailableError, TimeoutError) as error:
            why = str(error) or f"no answer within {haste.seconds:g} seconds"
            log.warning("the API server could not check the gang's members: %s", why, extra=about(gang.key))
            return None

    def _apply_verdict(self, gang: GangFact, spec: GangSpec, verdict: Verdict) -> None:
        now = self._waiting(gang.key)
        if now is None or now.uid != gang.uid:
            return
        if now.refusal is not None and not isinstance(verdict, Refusal):
            # The verdict leaves out roles that are refused for a reason that may pass. These roles count as written.
            verdict = {role.name: role.needs for role in spec.roles} | dict(verdict)
        if verdict and self._state.apply_verdict(now, verdict) and not isinstance(verdict, Refusal):
            self._changed(self._state.gangs[gang.key])

    def _check_later(self, key: GangKey, asked: _AskedTemplate) -> None:
        """Schedule another check of a gang that admission refuses or changes, unless one is scheduled."""
        gang = self._waiting(key)
        if gang is None:
            self.forget(key)
        if gang is None or asked.again is not None or (asked.is_admitted and not _is_changed(gang)):
            return
        pause = pause_before_repeat(asked.checked)
        asked.checked += 1
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
    return isinstance(gang, AcceptedGang) and gang.spec.is_changed_by_admission


def _cancel_timer(asked: _AskedTemplate) -> None:
    if asked.again is not None:
        asked.again.cancel()
        asked.again = None
