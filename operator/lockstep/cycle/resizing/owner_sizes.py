"""Gives owners of pods the size that is in the status of their Gang, and then ends the change of size.

An owner is asked again, by this process or the next one, until it accepts or refuses the size. Then the status says
that the change is done or dropped.
"""

import asyncio
import logging
import math
from functools import partial
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.admission.repeats import pause_before_repeat
from lockstep.act.podgang.growing import is_old, report_change
from lockstep.act.podgang.hosts_after_changes import HostsAfterChanges
from lockstep.act.podgang.pods_to_leave import beyond, newest
from lockstep.act.podgang.resizing_owner import OwnerAnswer, OwnerChange, resize_owner
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.resizing.preemptor_events import post_shrink
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.events import size_change_dropped
from lockstep.report.status.pod_gang_sizes import mark_shrunk, mark_size_kept
from lockstep.report.status.writer import StatusReport

_NO_NODES = "its new pods could not be bound, so its owner has as many pods as before"

log = logging.getLogger(__name__)


class _AskedOwner(NamedTuple):
    """The owner's last answer about the change decided at ``decided_at``. ``again_at`` is on the monotonic clock."""

    decided_at: float
    answer: OwnerAnswer
    again_at: float = math.inf
    tries: int = 0


class OwnerSizes:
    """Asks the owners, one task each, and ends the changes of size in the statuses."""

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._services = services
        self._state = services.state
        self._writer = services.writer
        self._metrics = metrics
        self._hosts = HostsAfterChanges(services)
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._asked: dict[GangKey, _AskedOwner] = {}
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def carry_out(self, gang: GangFact, following: NextSize) -> None:
        """Ask the owner to take the size ``following`` if that is due, or end the change according to its answer."""
        if gang.key in self._under_way:
            return
        asked = self._asked.get(gang.key)
        if asked is None or asked.decided_at != following.decided_at:
            answer = OwnerAnswer("nothing was asked yet", may_pass=True)
            asked = _AskedOwner(following.decided_at, answer, again_at=-math.inf)
        if asked.again_at <= self._services.monotonic():
            self._under_way[gang.key] = asyncio.create_task(self._ask(gang, following, asked))
        elif not asked.answer.may_pass and self._are_listed(gang, following, asked.answer):
            self._writer.report(gang, partial(self._end, gang, following, asked.answer))

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that changes no size any more."""
        self._asked.pop(gang, None)
        self._alarms.forget(gang)
        self._hosts.forget(gang)

    async def stop(self) -> None:
        """Stop all work. The next process continues from the statuses."""
        self._alarms.stop()
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        await self._hosts.stop()

    async def _ask(self, gang: GangFact, following: NextSize, asked: _AskedOwner) -> None:
        """Give the owner its next size, or its size before a failed growth, and remember the answer."""
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
        # The owner is asked again after every answer. If it still has more pods than its new size, another client may
        # have changed it.
        pause = pause_before_repeat(asked.tries)
        again_at = self._services.monotonic() + pause
        self._asked[gang.key] = _AskedOwner(asked.decided_at, answer, again_at, asked.tries + 1)
        self._alarms.set(gang.key, self._services.now() + pause)
        self._state.changes.reconcile(gang.key)

    def _end(self, gang: GangFact, following: NextSize, answer: OwnerAnswer) -> StatusReport | None:
        """The report that the change is done or dropped; None while pods still have to leave."""
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
        """Whether the list of hosts needs no write now.

        It needs one when all pods that leave have left, until it is written without them.
        """
        is_due = not answer.why_not and self._have_left(gang, following)
        return not is_due or self._hosts.are_listed(gang, following.decided_at)

    def _have_left(self, gang: GangFact, following: NextSize) -> bool:
        """Whether the owner has no more pods than it should have.

        If the owner removes the pods with the highest indexes, only pods on nodes count: a pod that waits may replace
        one that has left its node. If the patch names the pods that leave, pods that wait have to leave, too. After
        some time, pods that wait no longer count, because the owner's controller may not know some of them.
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
