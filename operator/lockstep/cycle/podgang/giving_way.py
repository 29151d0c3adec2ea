"""Evicts Gangs for urgent gangs: the owners of their pods are suspended, and all pods begin anew.

Only the API server knows whether an owner can be suspended. So a dry run asks it before any gang is evicted. A Gang
whose owner can't be suspended is remembered for a while, and the next plan does not evict it.
"""

import asyncio
import logging
from collections.abc import Collection, Coroutine, Iterable
from contextlib import suppress
from functools import partial
from itertools import count, islice
from typing import Any, NamedTuple, assert_never

from coschedule import GangKey, RunningGang
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.preemption import Urgent, preemption_clause
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.podgangs.yielding import TakenAttempt
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import seen_from
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.events import gang_preempted, preempted_for_gang
from lockstep.report.status.pod_gang_marks import with_taken
from lockstep.report.status.status import Written
from lockstep.snapshot.holders.pod_gang_runs import may_yield

# A decision waits for these answers. If there is no answer in time, the owner counts as one that can't be suspended.
_LONGEST_SECONDS = 10.0
# The number of owners that are asked about at the same time.
_AT_ONCE = 8
# The answers about this number of Gangs, within a few seconds, are enough for the next plan.
_MOST_OTHERS = 256
# After a conflict, a newer version of the object is read. After more conflicts than this, each try waits for a pause.
_CONFLICTS_AT_ONCE = 3

log = logging.getLogger(__name__)


class _Eviction(NamedTuple):
    """A Gang that is evicted, the gang for which it is evicted, the reason, and what it loses.

    ``by_share`` says that the other gang is not more urgent, but its group has used less of its share. ``seconds`` is
    the run time that is lost, and ``members`` the number of pods.
    """

    gang: PodGang
    urgent: GangKey
    why: str
    by_share: bool
    seconds: float
    members: int


class PodGangEvictions:
    """Evicts Gangs. A suspended owner is always resumed, even if the urgent gang is gone."""

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._state = services.state
        self._writer = services.writer
        self._suspensions = services.suspensions
        self._now = services.now
        self._metrics = metrics
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._under_way: set[asyncio.Task[None]] = set()

    def victim(self, seen: RunningGang) -> PodGang | None:
        """The Gang, if it may be evicted and has as many pods on as many nodes as the plan has seen; else None."""
        gang, group = self._state.pod_gangs.objects.get(seen.key), self._state.pod_gangs.group(seen.key)
        if gang is None or not may_yield(self._state, gang) or self._suspensions.is_under_way(gang.key):
            return None
        return gang if (group.going, len(group.nodes)) == (seen.size, len(seen.holds)) else None

    async def can_give_way(self, gangs: Collection[GangKey], others: Iterable[GangKey]) -> bool:
        """Whether the owners of the pods of all ``gangs`` can be suspended now.

        If one can't, the operator also asks about ``others``. Otherwise each Gang that can't be suspended would cost a
        plan.
        """
        answers = await asyncio.gather(*(self._can_give_way(gang) for gang in gangs))
        if all(answers):
            return True
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_SECONDS):
                await asyncio.gather(*(self._can_give_way(gang) for gang in islice(others, _MOST_OTHERS)))
        return False

    def evict(self, gang: PodGang, urgent: Urgent) -> None:
        """Begin to suspend the owner of the Gang's pods."""
        group, now = self._state.pod_gangs.group(gang.key), self._now()
        since = group.held.running_since(now)
        eviction = _Eviction(
            gang=gang,
            urgent=urgent.key,
            why=preemption_clause(urgent, victim=gang.key),
            by_share=urgent.by_share,
            seconds=0.0 if since is None else now - since,
            members=group.going,
        )
        self._state.giving_way.evicted.decide(gang.key, urgent.key)
        self._state.pod_gangs.yielding.begin(gang.key)
        self._spawn(self._evict(eviction))

    async def stop(self) -> None:
        """Stop all work. After a restart, the operator resumes suspended owners."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _can_give_way(self, key: GangKey) -> bool:
        gang = self._state.pod_gangs.objects.get(key)
        if gang is None:
            return False
        try:
            async with self._at_once, asyncio.timeout(_LONGEST_SECONDS):
                why_not = await self._suspensions.why_not_whole(key, self._uids(key))
        except ApiUnavailableError:
            # The API server has not answered about this owner.
            return False
        except Exception as error:
            log.exception("it is not known whether the gang can give way to urgent gangs", extra=about(key))
            why_not = f"its owner can't be understood: {describe(error)}"
        if why_not:
            self._keep(gang, why_not)
        return not why_not

    def _keep(self, gang: PodGang, why_not: str) -> None:
        log.info("the gang can't give way to urgent gangs: %s", why_not, extra=about(gang.key))
        self._state.pod_gangs.yielding.keep(gang, self._now())

    async def _evict(self, eviction: _Eviction) -> None:
        key = eviction.gang.key
        work_for(key)
        why = f"it is suspended until its pods are gone, and then resumed: {eviction.why}"
        try:
            begun = partial(self._begun, eviction)
            suspension = await self._suspensions.suspend(key, self._uids(key), why, begun=begun)
        finally:
            self._state.giving_way.evicted.finalize(key)
        if not suspension.owner:
            self._keep(eviction.gang, suspension.why_not)
        # The Gang has given way, or is known as one that can't. In both cases, another plan may help the urgent gang.
        self._state.changes.plan()

    def _begun(self, eviction: _Eviction) -> None:
        """Report to both gangs that the owner is suspended."""
        self._metrics.preempted(seconds=eviction.seconds, members=eviction.members)
        victim, urgent = (self._state.gangs.get(key) for key in (eviction.gang.key, eviction.urgent))
        if victim is not None:
            self._take(victim, eviction)
            self._writer.post(victim, gang_preempted(eviction.why))
        if urgent is not None:
            seen = seen_from(urgent.key.namespace, eviction.gang.key)
            self._writer.post(urgent, preempted_for_gang(seen, gives_way="begins anew"))

    def _take(self, gang: GangFact, eviction: _Eviction) -> None:
        """Record why the attempt ends.

        Fair shares use the reason. Each status of the Gang that is made from now on has the reason, until such a
        status is written.
        """
        reason, status = Reason.RECLAIMED if eviction.by_share else Reason.PREEMPTED, gang.status
        self._state.shares.gives_way(gang, reason)
        taken = TakenAttempt(gang.uid, status.attempt, status.started_at, reason, eviction.why)
        self._state.pod_gangs.yielding.unreported[gang.key] = taken
        self._spawn(self._report(gang.key, taken))

    async def _report(self, key: GangKey, taken: TakenAttempt) -> None:
        """Try to write the condition Preempted until the status has it, or until the next attempt has begun."""
        work_for(key)
        unreported = self._state.pod_gangs.yielding.unreported
        try:
            for tries in count():
                gang = self._state.gangs.get(key)
                if gang is None or not taken.is_last_of(gang) or await self._is_written(gang, taken):
                    return
                if tries >= _CONFLICTS_AT_ONCE:
                    await asyncio.sleep(pause_after(tries - _CONFLICTS_AT_ONCE))
        finally:
            if unreported.get(key) is taken:
                del unreported[key]

    async def _is_written(self, gang: GangFact, taken: TakenAttempt) -> bool:
        """Try to write the condition. Returns whether no further try is needed: it is written, or never will be."""
        status = with_taken(gang.status, gang, taken, now=self._now())
        try:
            written, message = await self._writer.write(gang, status)
        except ApiUnavailableError as error:
            log.warning("the gang gives way, but its status does not say so yet: %s", error, extra=about(gang.key))
            return False
        match written:
            case Written.CONFLICT:
                return False
            case Written.REFUSED:
                log.warning(
                    "the gang gives way, but its status could not be written: %s", message, extra=about(gang.key)
                )
                return True
            case Written.DONE | Written.GONE:
                return True
            case unknown:
                assert_never(unknown)

    def _uids(self, gang: GangKey) -> set[str]:
        """The UIDs of the owners that the Gang's pods on nodes name."""
        return {pod.group.owner for pod in self._state.pod_gangs.group(gang).going_pods()} - {""}

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
