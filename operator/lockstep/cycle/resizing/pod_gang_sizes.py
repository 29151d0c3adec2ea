"""Changes how many pods a Gang has while others run: the owner of the pods gets another number of them.

A growth is an attempt for the new pods: their room is reserved in the status, then their owner makes them, and they are
bound. If that fails, the owner goes back to its size before. A shrink is written in the status first. Then the owner
gets the smaller number, and its controller removes the pods with the highest indexes, or those that the patch names.
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
from lockstep.act.admission.repeats import pause_before_repeat
from lockstep.act.attempts import Attempts
from lockstep.act.podgang.growing import is_old, report_change
from lockstep.act.podgang.hosts_after_changes import HostsAfterChanges
from lockstep.act.podgang.pods_to_leave import beyond, newest
from lockstep.act.podgang.resizing_owner import OwnerAnswer, OwnerChange, resize_owner
from lockstep.act.podgang.running_needs import RunningNeeds
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.preemption import Urgent, for_urgent_gang
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.resizing.cut_off_growths import CutOffGrowths
from lockstep.cycle.resizing.preemptor_events import post_shrink
from lockstep.cycle.resizing.why_size_stays import why_size_stays
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.events import size_change_dropped
from lockstep.report.status.pod_gang_sizes import mark_shrinking, mark_shrunk, mark_size_kept
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.size_sentences import as_its_users_see, shrink_for, size_change
from lockstep.snapshot.attempt_start import start_of
from lockstep.snapshot.holders.elastic_pod_gangs import (
    ElasticPodGang,
    elastic_pod_gang,
    is_elastic_candidate,
    members_of,
)

_NO_NODES = "its new pods could not be bound, so its owner has as many pods as before"

# A decision waits for these answers. No answer in time counts as a no.
_LONGEST_SECONDS = 10.0

log = logging.getLogger(__name__)


class _AskedOwner(NamedTuple):
    """What the owner has answered to the change that was decided at that time, after so many tries."""

    decided_at: float
    answer: OwnerAnswer
    again_at: float = math.inf
    tries: int = 0


class PodGangShrink(NamedTuple):
    """A Gang that is to shrink, and its next size."""

    one: ElasticPodGang
    following: NextSize


class PodGangSizes:
    """The changes of size of Gangs. What the status says is carried out, also by the next process."""

    def __init__(self, services: Services, attempts: Attempts, metrics: Metrics) -> None:
        self._services = services
        self._state = services.state
        self._writer = services.writer
        self._attempts = attempts
        self._metrics = metrics
        self._needs = RunningNeeds(services)
        self._hosts = HostsAfterChanges(services)
        self._cut_off = CutOffGrowths(services, metrics)
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._asked: dict[GangKey, _AskedOwner] = {}
        self._able: set[GangKey] = set()
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

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
        """The shrink of a Gang for a more urgent one; None if any fact of the decision has changed."""
        one = self._as_seen(change.gang, decided)
        if one is None or not _can_leave(one, _nodes_after(change, decided)):
            return None
        clause = for_urgent_gang(urgent, giver=change.gang)
        return PodGangShrink(one, self._following(one, change, decided, urgent=clause))

    async def can_shrink(self, changes: Iterable[SizeChange]) -> bool:
        """Whether the owners of the pods of all of these take the smaller size now, by dry runs."""
        answers = await asyncio.gather(*(self._can_shrink(change) for change in changes))
        return all(answers)

    def shrink(self, shrink: PodGangShrink) -> None:
        """Begin to shrink a Gang: the status says so first."""
        gang = shrink.one.gang
        if self._writer.make_way(gang.key):
            self._writer.report(gang, partial(self._shrinking, gang, shrink.following))

    def check(self, gang: GangFact, now: float) -> None:
        """Carry out the change in the status of a Gang without an attempt, and read what its pods need."""
        self._needs.check(gang.key)
        following = gang.status.next_size
        self._plan_if_able(gang.key)
        if following is None:
            self._cut_off.check(gang.key)
            self._drop(gang.key)
            return
        if gang.key in self._under_way or self._attempts.is_under_way(gang.key) or gang.status.reserved_at is not None:
            return
        asked = self._asked.get(gang.key)
        if asked is None or asked.decided_at != following.decided_at:
            asked = _AskedOwner(following.decided_at, OwnerAnswer("nothing was asked yet", may_pass=True), again_at=now)
        if asked.again_at <= now:
            self._under_way[gang.key] = asyncio.create_task(self._ask(gang, following, asked))
        elif not asked.answer.may_pass and self._are_listed(gang, following, asked.answer):
            self._writer.report(gang, partial(self._end, gang, following, asked.answer))

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone."""
        self._able.discard(gang)
        self._drop(gang)

    async def stop(self) -> None:
        """Stop all work: the next process goes on by the statuses."""
        self._alarms.stop()
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        await self._needs.stop()
        await self._hosts.stop()
        await self._cut_off.stop()

    def _drop(self, gang: GangKey) -> None:
        self._asked.pop(gang, None)
        self._alarms.forget(gang)
        self._hosts.forget(gang)

    def _plan_if_able(self, gang: GangKey) -> None:
        """Plan once the Gang may change its size, as when the last of its pods runs: no watch calls for that."""
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
            # The urgent gang must not wait for it. As after a suspension that is refused, others give way meanwhile.
            self._state.pod_gangs.yielding.keep(gang, self._services.now())
        return not answer.why_not

    def _following(self, one: ElasticPodGang, change: SizeChange, decided: LastPlan, *, urgent: str = "") -> NextSize:
        """The next size; the clause ``urgent`` names the gang for which the Gang shrinks."""
        now, terms, after = self._services.now(), one.gang.change_terms, _nodes_after(change, decided)
        takes = None if terms is None else terms.restart_time
        why = size_change(as_its_users_see(change), restart_time=takes)
        return NextSize(
            members=tuple(members_of(one.gang, (after.elements(), one.fixed))),
            # As the status says it.
            decided_at=float(int(now)),
            expected_finish=None if change.end == math.inf else now + change.end - decided.snapshot.now,
            why=shrink_for(change, urgent, restart_time=takes) if urgent else why,
        )

    def _grow(self, one: ElasticPodGang, following: NextSize, added: Counter[str], decided: LastPlan) -> None:
        """Begin the attempt for the new pods, unless facts that the plan has not seen forbid that."""
        start = start_of(self._state, one.gang, self._placement(one, following, added), self._services.now())
        are_offered = decided.seen.offers.stand(set(added), self._state)
        if not are_offered or why_size_stays(
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

    async def _ask(self, gang: GangFact, following: NextSize, asked: _AskedOwner) -> None:
        """Give the owner the size that the status says, or have it go back, and remember the answer."""
        work_for(gang.key)
        known, size = self._state.pod_gangs.objects.get(gang.key), gang.status.size
        answer = OwnerAnswer("its pods are gone")
        try:
            if known is not None and size is not None:
                answer = await resize_owner(self._services.client, known, self._change(known, following, size))
        except ApiUnavailableError as error:
            answer = OwnerAnswer(str(error), may_pass=True)
        finally:
            del self._under_way[gang.key]
        if known is not None and answer.is_made and following.size < (size or 0):
            self._metrics.size_changes.labels("shrink").inc()
            post_shrink(self._state, self._writer, gang, following.size, following.why)
            report_change(self._services, known, following)
        self._remember(gang, asked, answer)

    def _change(self, gang: PodGang, following: NextSize, size: int) -> OwnerChange:
        group = partial(self._state.pod_gangs.group, gang.key)
        if following.size > size:
            change = OwnerChange(was=following.size, size=size, goes_back=True)
            return change._replace(leaving=lambda owner: newest(group(), owner, gang, size))
        change = OwnerChange(was=size, size=following.size, is_old=is_old(self._services, following))
        return change._replace(leaving=lambda owner: beyond(group(), owner, following))

    def _remember(self, gang: GangFact, asked: _AskedOwner, answer: OwnerAnswer) -> None:
        if answer.why_not:
            log.warning("the owner of the gang's pods keeps its size: %s", answer.why_not, extra=about(gang.key))
        # If pods stay, its author may have changed the owner once more.
        again_at = self._services.now() + pause_before_repeat(asked.tries)
        self._asked[gang.key] = _AskedOwner(asked.decided_at, answer, again_at, asked.tries + 1)
        self._alarms.set(gang.key, again_at)
        self._state.changes.reconcile(gang.key)

    def _end(self, gang: GangFact, following: NextSize, answer: OwnerAnswer) -> StatusReport | None:
        """The report that the change is done or dropped, once the owner has no more pods than it is to have."""
        nodes = [pod.node for pod in self._state.pod_gangs.group(gang.key).going_pods()]
        if answer.why_not:
            return self._dropped(gang, answer.why_not, nodes)
        if not self._have_left(gang, following):
            return None
        if following.size > (gang.status.size or 0):
            return self._dropped(gang, _NO_NODES, nodes)
        status = mark_shrunk(gang, nodes, now=self._services.now(), note=self._hosts.why_not(gang.key))
        return StatusReport(status=status, written=self._state.changes.plan)

    def _are_listed(self, gang: GangFact, following: NextSize, answer: OwnerAnswer) -> bool:
        """Whether the list of its hosts has no pods that have left by this change."""
        is_due = not answer.why_not and self._have_left(gang, following)
        return not is_due or self._hosts.are_listed(gang, following.decided_at)

    def _have_left(self, gang: GangFact, following: NextSize) -> bool:
        """Whether the owner has no more pods than it is to have.

        If it shrinks from the end, pods that wait may get the room of others. Else they leave too, but pods that its
        controller does not know may be among them. So these are not awaited for long.
        """
        known, group = self._state.pod_gangs.objects.get(gang.key), self._state.pod_gangs.group(gang.key)
        own, size = group.own(known.made_for if known else None, 0), gang.status.size or 0
        owner = self._state.pod_gangs.elastic.of(gang.key)
        leave_too = owner is not None and owner.names_leaving and not is_old(self._services, following)
        if following.size < size and not leave_too:
            return own.going <= following.size
        return own.going + own.waiting <= min(following.size, size)

    def _dropped(self, gang: GangFact, why: str, nodes: list[str]) -> StatusReport:
        status = mark_size_kept(gang, nodes, now=self._services.now(), note=self._hosts.why_not(gang.key))
        event = size_change_dropped(why, goes_on=True)
        return StatusReport(status=status, event=event, written=self._metrics.size_changes_dropped.inc)


def _nodes_after(change: SizeChange, decided: LastPlan) -> Counter[str]:
    names = decided.snapshot.nodes.names
    return Counter(names[node] for node in change.nodes)


def _can_leave(one: ElasticPodGang, after: Counter[str]) -> bool:
    """Whether these nodes are left if the pods leave that are named, or those with the highest indexes."""
    return after <= Counter(one.nodes) if one.pods.role else Counter(one.nodes[: after.total()]) == after
