"""Shrinks Gangs to the number of running pods if their other pods wait and find no room, for example after a drain.

GangJobs shrink as soon as members are lost. The owner of a Gang first creates its lost pods anew, and these may find
room. When an owner gets fewer pods, its controller removes those with the highest indexes. Waiting pods of the Gang may
then take the room of these pods. But a gang in front would take this room first, so a Gang behind another gang is not
shrunk. If the operator may choose the pods that leave, the waiting pods leave.
"""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from coschedule import Decision, GangKey, Placement, Reason
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.resizing.staying_members import later_finish
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.report.status.pod_gang_sizes import mark_without_room
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.size_sentences import shrink_without_room
from lockstep.snapshot.holders.elastic_pod_gangs import (
    PodGangWithoutRoom,
    members_with_room,
    pod_gang_without_room,
    would_free_nodes,
)


class GangsWithoutRoom:
    """Finds Gangs whose pods have waited in vain for ``settling`` seconds.

    ``guarded`` limits an error in the work for one gang to this gang.
    """

    def __init__(
        self,
        services: Services,
        attempts: Attempts,
        *,
        settling: float,
        guarded: Callable[[GangKey], AbstractContextManager[None]],
    ) -> None:
        self._state = services.state
        self._writer = services.writer
        self._now = services.now
        self._monotonic = services.monotonic
        self._attempts = attempts
        self._settling = settling
        self._guarded = guarded
        # For each Gang, the monotonic time since which no plan has had room for its waiting pods.
        self._since: dict[GangKey, float] = {}

    def begin(self, decided: LastPlan) -> float:
        """Begin the shrinks that are due. Returns the seconds until a plan is due again; infinity if none is."""
        now, before, elastic = self._monotonic(), self._since, self._state.pod_gangs.elastic.gangs()
        decisions = {one.gang: one for one in decided.plan.decisions if one.gang in elastic and not _is_put_off(one)}
        # A long queue is planned in parts, so some plans have no decision about a Gang.
        self._since = {gang: since for gang, since in before.items() if gang not in decisions and gang in elastic}
        due, first = math.inf, _first_that_waits(decided)
        for gang, decision in decisions.items():
            with self._guarded(gang):
                due = min(due, self._judge(decision, before.get(gang, now), decided, is_behind=gang not in first))
        return due

    def _judge(self, decision: Decision, since: float, decided: LastPlan, *, is_behind: bool) -> float:
        """Begin a shrink if it is due. Returns the seconds until it is due; infinity if there is none."""
        short = pod_gang_without_room(self._state, decision.gang)
        if short is None or self._attempts.is_under_way(decision.gang) or self._has_room(decision, short, decided):
            return math.inf
        if is_behind and would_free_nodes(self._state, short):
            return math.inf
        self._since[decision.gang] = since
        left = max(since + self._settling - self._monotonic(), self._rests_for(short))
        if left > 0:
            return left
        del self._since[decision.gang]
        self._shrink(short)
        return math.inf

    def _has_room(self, decision: Decision, short: PodGangWithoutRoom, decided: LastPlan) -> bool:
        """Whether the plan starts the waiting pods at least as soon as the program would work again after a shrink."""
        soon = decided.snapshot.now + short.pods.spec.restart_time
        return isinstance(decision, Placement) and decision.start <= soon

    def _rests_for(self, short: PodGangWithoutRoom) -> float:
        """The seconds for which no change is tried, because the last one has failed."""
        status = short.gang.status
        if not status.failed_joins or status.resized_at is None:
            return 0.0
        interval = short.pods.spec.terms(status.last_change, status.failed_joins).min_interval
        left = status.resized_at + interval - self._now()
        # If the clock was set back, the rest would not end for a long time.
        return left if left <= interval else 0.0

    def _shrink(self, short: PodGangWithoutRoom) -> None:
        if self._writer.make_way(short.gang.key):
            following = self._following(short)
            self._writer.report(short.gang, partial(self._shrinking, short.gang, following, short.pods.pods))

    def _shrinking(self, gang: GangFact, following: NextSize, pods: int) -> StatusReport:
        return StatusReport(status=mark_without_room(gang, following, pods=pods, now=self._now()), is_act=True)

    def _following(self, short: PodGangWithoutRoom) -> NextSize:
        return NextSize(
            members=members_with_room(self._state, short),
            # As the status has it, in whole seconds.
            decided_at=float(int(self._now())),
            expected_finish=self._finish(short),
            why=shrink_without_room(short.pods.pods, short.size, short.waiting),
        )

    def _finish(self, short: PodGangWithoutRoom) -> float | None:
        status, pods, work = short.gang.status, short.pods, short.gang.spec.work
        end = status.expected_finish
        if end is None or work is None:
            return end
        longer = work.float_time(short.size) / work.float_time(pods.pods)
        return later_finish(end, longer, pods.spec.terms(status.last_change), self._now())


def _first_that_waits(decided: LastPlan) -> frozenset[GangKey]:
    """The gangs at the front of the queue, up to the first that waits for room which may become free."""
    found = list[GangKey]()
    for one in decided.plan.decisions:
        found.append(one.gang)
        starts = isinstance(one, Placement) and one.start <= decided.snapshot.now
        if not starts and (isinstance(one, Placement) or one.fits_empty is not False):
            break
    return frozenset(found)


def _is_put_off(decision: Decision) -> bool:
    """Whether the plan does not decide about the gang, because it is too far back in the queue."""
    return not isinstance(decision, Placement) and decision.reason is Reason.BEHIND_IN_QUEUE
