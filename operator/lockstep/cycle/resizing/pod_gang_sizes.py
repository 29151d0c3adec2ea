"""Begins changes of the number of pods that a Gang has, while its pods run.

A growth is an attempt for the new pods: the status reserves their room, then their owner makes them, and they are
bound. If that fails, the owner returns to its earlier size. A shrink is written to the status first. Then the owner
gets the smaller size (``owner_sizes.py``). Its controller removes the pods with the highest indexes, or those that the
patch names.
"""

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from coschedule import GangKey, Members, Placement, SizeChange
from lockstep.act.attempts import Attempts
from lockstep.act.podgang.resizing_owner import OwnerAnswer, OwnerChange, resize_owner
from lockstep.act.podgang.running_needs import RunningNeeds
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.preemption import Urgent, for_urgent_gang
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.resizing.cut_off_growths import CutOffGrowths
from lockstep.cycle.resizing.owner_sizes import OwnerSizes
from lockstep.cycle.resizing.why_size_stays import why_size_stays
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.pod_gang_sizes import mark_shrinking
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.size_sentences import as_its_users_see, shrink_for, size_change
from lockstep.snapshot.attempt_start import start_of
from lockstep.snapshot.holders.elastic_pod_gangs import (
    ElasticPodGang,
    elastic_pod_gang,
    is_elastic_candidate,
    members_of,
)
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

# In seconds. A decision waits for these answers. An owner that does not answer in time counts as one that can't shrink.
_LONGEST_SECONDS = 10.0

log = logging.getLogger(__name__)


class PodGangShrink(NamedTuple):
    """A Gang that is to shrink, and its next size."""

    one: ElasticPodGang
    following: NextSize


class PodGangSizes:
    """The changes of size of Gangs. This process or the next one carries out what the status says."""

    def __init__(self, services: Services, attempts: Attempts, metrics: Metrics) -> None:
        self._services = services
        self._state = services.state
        self._writer = services.writer
        self._attempts = attempts
        self._needs = RunningNeeds(services)
        self._owner_sizes = OwnerSizes(services, metrics)
        self._cut_off = CutOffGrowths(services, metrics)
        self._able: set[GangKey] = set()

    def begin(self, change: SizeChange, decided: LastPlan) -> None:
        """Begin a change of this plan, if the Gang and its pods are as the plan has seen them."""
        one = self._as_seen(change.gang, decided)
        if one is None or not self._writer.make_way(change.gang):
            return
        before, after = Counter(one.nodes), _nodes_after(change, decided)
        following = self._following(one, change, decided)
        if before <= after:
            self._grow(one, following, after - before, decided)
        elif _can_leave(one, after):
            self.shrink(PodGangShrink(one, following))

    def shrink_for(self, urgent: Urgent, change: SizeChange, decided: LastPlan) -> PodGangShrink | None:
        """The shrink of a Gang for an urgent gang; None if a fact has changed on which the decision is based."""
        one = self._as_seen(change.gang, decided)
        if one is None or not _can_leave(one, _nodes_after(change, decided)):
            return None
        clause = for_urgent_gang(urgent, giver=change.gang)
        return PodGangShrink(one, self._following(one, change, decided, urgent=clause))

    async def can_shrink(self, changes: Iterable[SizeChange]) -> bool:
        """Whether all owners accept the smaller size now, by dry runs."""
        answers = await asyncio.gather(*(self._can_shrink(change) for change in changes))
        return all(answers)

    def shrink(self, shrink: PodGangShrink) -> None:
        """Begin to shrink a Gang: the status says so first."""
        gang = shrink.one.gang
        if self._writer.make_way(gang.key):
            self._writer.report(gang, partial(self._shrinking, gang, shrink.following))

    def check(self, gang: GangFact) -> None:
        """Carry out the change in the status of a Gang without an attempt, and read what its pods need."""
        self._needs.check(gang.key)
        self._plan_if_able(gang.key)
        following = gang.status.next_size
        if following is None:
            self._cut_off.check(gang.key)
            self._owner_sizes.forget(gang.key)
        elif not self._attempts.is_under_way(gang.key) and gang.status.reserved_at is None:
            self._owner_sizes.carry_out(gang, following)

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone."""
        self._able.discard(gang)
        self._owner_sizes.forget(gang)

    async def stop(self) -> None:
        """Stop all work. The next process continues from the statuses."""
        await self._owner_sizes.stop()
        await self._needs.stop()
        await self._cut_off.stop()

    def _plan_if_able(self, gang: GangKey) -> None:
        """Request a plan once the Gang can change its size, such as when its last pod runs: no watch requests it."""
        if not is_elastic_candidate(self._state, gang):
            self._able.discard(gang)
        elif gang not in self._able:
            self._able.add(gang)
            self._state.changes.plan()

    def _as_seen(self, gang: GangKey, decided: LastPlan) -> ElasticPodGang | None:
        """The Gang, if it may change and the plan has seen the same pods on the same nodes."""
        if self._attempts.is_under_way(gang) or self._attempts.is_resting(gang):
            return None
        run = next((run for run in decided.seen.elastic.runs if run.key == gang), None)
        one, names = elastic_pod_gang(self._state, gang), decided.snapshot.nodes.names
        if run is None or one is None:
            return None
        fixed = tuple(names[node] for part in run.fixed for node in part.nodes)
        return one if (tuple(names[node] for node in run.nodes), fixed) == (one.nodes, one.fixed) else None

    async def _can_shrink(self, change: SizeChange) -> bool:
        gang = self._state.pod_gangs.objects.get(change.gang)
        smaller = OwnerChange(was=change.size_before, size=change.size_after)
        if gang is None:
            return False
        try:
            async with asyncio.timeout(_LONGEST_SECONDS):
                answer = await resize_owner(self._services.client, gang, smaller, is_dry_run=True)
        except (ApiUnavailableError, TimeoutError) as error:
            answer = OwnerAnswer(str(error) or "no answer came in time")
        if answer.why_not:
            log.info("the gang can't shrink for an urgent gang: %s", answer.why_not, extra=about(gang.key))
            # The urgent gang must not wait for this Gang: other gangs give way, as after a refused suspension.
            self._state.pod_gangs.yielding.keep(gang, self._services.now())
        return not answer.why_not

    def _following(self, one: ElasticPodGang, change: SizeChange, decided: LastPlan, *, urgent: str = "") -> NextSize:
        """The next size; the clause ``urgent`` names the gang for which the Gang shrinks."""
        now, terms, after = (
            self._services.now(),
            self._state.change_times.terms(one.gang),
            _nodes_after(change, decided),
        )
        takes = None if terms is None else terms.restart_time
        why = size_change(as_its_users_see(change), restart_time=takes)
        return NextSize(
            members=tuple(members_of(one.gang, (after.elements(), one.fixed))),
            # In whole seconds, as in the status.
            decided_at=float(int(now)),
            expected_finish=None if change.end == math.inf else now + change.end - decided.snapshot.now,
            why=shrink_for(change, urgent, restart_time=takes) if urgent else why,
        )

    def _grow(self, one: ElasticPodGang, following: NextSize, added: Counter[str], decided: LastPlan) -> None:
        """Begin the attempt for the new pods, unless facts that are newer than the plan forbid it."""
        start = start_of(self._state, one.gang, self._placement(one, following, added), self._services.now())
        are_offered = decided.seen.offers.stand(set(added), self._state)
        # The reservation has only the new pods, so quotas must have room for all of its members.
        is_allowed = QuotaBounds(self._state).allow(one.gang, start.reservation.members)
        if not (are_offered and is_allowed) or why_size_stays(
            self._services, one.gang, start.reservation, start.reservation, self._services.now()
        ):
            self._state.changes.plan()
            return
        self._state.assumptions.hold(start.reservation)
        self._attempts.begin(one.gang, replace(start, growth=following))

    def _placement(self, one: ElasticPodGang, following: NextSize, added: Counter[str]) -> Placement:
        role, now = one.gang.spec.roles[0], self._services.now()
        return Placement(
            gang=one.gang.key,
            size=added.total(),
            start=now,
            finish=math.inf if following.expected_finish is None else max(following.expected_finish, now),
            speedup=None,
            members=tuple(Members(node, count, role=role.name) for node, count in sorted(added.items())),
            slowest=min(added),
            latest=None,
            alternative=None,
        )

    def _shrinking(self, gang: GangFact, following: NextSize) -> StatusReport:
        status = mark_shrinking(gang, following, now=self._services.now())
        return StatusReport(status=status, is_act=True)


def _nodes_after(change: SizeChange, decided: LastPlan) -> Counter[str]:
    names = decided.snapshot.nodes.names
    return Counter(names[node] for node in change.nodes)


def _can_leave(one: ElasticPodGang, after: Counter[str]) -> bool:
    """Whether pods are left on exactly these nodes, once the named pods or those with the highest indexes have left."""
    return after <= Counter(one.nodes) if one.pods.role else Counter(one.nodes[: after.total()]) == after
