"""Changes the sizes of running gangs, as the newest plan has decided, if the cache still agrees.

A change tears down the attempt of the gang. The status write that says so also has the next size, so its room is
reserved before a member is asked to end. When the last member is gone, the next attempt begins in that room. After a
restart, the operator continues from the status. Members that read notices first get one
(``cycle/resizing/notices.py``). If members may join and leave, the attempt continues
(``cycle/resizing/member_changes.py``).
"""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from coschedule import GangKey, Members, Placement, SizeChange, SizeReason
from lockstep.act.attempts import Attempts
from lockstep.act.requests.progress import progress_of
from lockstep.act.requests.services import Services
from lockstep.api.preemption import Urgent, for_urgent_gang
from lockstep.belief.holding.ranked_members import RankedMembers
from lockstep.belief.holding.reservation import (
    Reservation,
    next_in_status,
    next_reservation,
)
from lockstep.cycle.ends.final_state import is_over
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.resizing.next_members import next_members
from lockstep.cycle.resizing.notice_times import PromisedStarts, begin_of_change, beginning_at
from lockstep.cycle.resizing.resizing import Resizing
from lockstep.cycle.resizing.unwanted_shrinks import UnwantedShrinks
from lockstep.cycle.resizing.why_size_stays import why_size_stays
from lockstep.cycle.resizing.without_room import GangsWithoutRoom
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.attempt_marks import mark_change_dropped
from lockstep.report.status.events import size_change_dropped
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.report.text.size_sentences import as_its_users_see, shrink_for, size_change
from lockstep.snapshot.attempt_start import start_of
from lockstep.snapshot.holders.leaving import has_former_members
from lockstep.snapshot.holders.running import may_be_evicted

# In seconds. While a gang ends member by member, plans may want a change for a moment only. So a change begins after
# plans have wanted it for this time.
_SETTLING_SECONDS = 2.0
# In seconds, the shortest time that a gang is expected to run after a change.
_LEAST_RUN_SECONDS = 1.0


class _WantedChange(NamedTuple):
    """A change that every plan has wanted since the monotonic time ``since``.

    ``first_promise`` is the earliest start that was promised to another gang at that time. Later plans assume the
    change, so it need not hurry for the promises of these plans.
    """

    since: float
    first_promise: float


class Changing(NamedTuple):
    """A gang that may still change its size as planned: its reservation, the room of its next size, and the reason."""

    gang: AcceptedGang
    reservation: Reservation
    following: NextSize
    room: Reservation
    members: RankedMembers
    because: SizeReason


class SizeChanges:
    """Carries out changes of size. ``guarded`` limits an error in the work for one gang to this gang."""

    def __init__(
        self,
        services: Services,
        attempts: Attempts,
        resizing: Resizing,
        metrics: Metrics,
        *,
        guarded: Callable[[GangKey], AbstractContextManager[None]],
    ) -> None:
        self._services = services
        self._notices, self._members, self._pod_gangs = resizing
        self._state = services.state
        self._cutter = services.cutter
        self._writer = services.writer
        self._now = services.now
        self._attempts = attempts
        self._metrics = metrics
        self._guarded = guarded
        self._monotonic = services.monotonic
        self._wanted: dict[GangKey, _WantedChange] = {}
        self._unwanted = UnwantedShrinks(services.state, services.monotonic, settling=_SETTLING_SECONDS)
        self._without_room = GangsWithoutRoom(services, attempts, settling=_SETTLING_SECONDS, guarded=guarded)

    def begin(self, decided: LastPlan) -> float:
        """Begin the changes of this plan that are still possible. The others are left to the next plan.

        Returns the seconds until a plan is due again. By then plans have wanted a change for long enough, or have not
        used a shrink for long enough. Returns infinity if neither is the case.
        """
        now, before = self._monotonic(), self._wanted
        new = _WantedChange(now, min(self._promises(decided), default=math.inf) if decided.changes else math.inf)
        self._wanted = {change.gang: before.get(change.gang, new) for change in decided.changes}
        judged_again = self._unwanted.judge(decided.plan.decisions, decided.snapshot.now)
        judged_again = min(judged_again, self._without_room.begin(decided))
        self._notices.unwanted = self._unwanted.gangs
        for change in decided.changes:
            if now - self._wanted[change.gang].since >= _SETTLING_SECONDS:
                with self._guarded(change.gang):
                    self._begin_if_possible(change, decided)
        # A change of which members have notice may have lost its room, because of facts that are new in this plan.
        self._state.changes.reconcile(*(following.gang for following in self._state.counts.next_sizes))
        seconds_left = (wanted.since + _SETTLING_SECONDS - now for wanted in self._wanted.values())
        return min((seconds for seconds in (*seconds_left, judged_again) if seconds > 0), default=math.inf)

    def go_on(self, gang: GangFact, now: float) -> None:
        """Begin the next attempt of a gang whose members have ended for a change of size.

        If the next size would no longer be placed there, the change is dropped and the gang is planned again.
        """
        if self._attempts.is_resting(gang.key) or not self._writer.make_way(gang.key):
            # The gang is reconciled again when its rest or the report ends.
            return
        following, room = gang.status.next_size, next_in_status(gang)
        if following is None:
            return
        if room is None or not isinstance(gang, AcceptedGang):
            self._drop(gang, "the spec no longer allows that size", now)
            return
        start = start_of(self._state, gang, _placement(gang, following, self._restart_time(gang), now), now)
        self._state.counts.next_sizes.forget(gang.key)
        conflict = self._cutter.conflict(gang, start.reservation, now)
        if conflict is not None:
            self._drop(gang, conflict_sentence(conflict).rstrip("."), now)
            return
        self._state.assumptions.hold(start.reservation)
        self._attempts.begin(gang, start)

    def shrink_for(self, urgent: Urgent, change: SizeChange, decided: LastPlan) -> Changing | None:
        """The change of a gang that shrinks for a more urgent one; None if a fact of the decision has changed."""
        return self._still_possible(change, decided, urgent=for_urgent_gang(urgent, giver=change.gang))

    def begin_at_once(self, changing: Changing) -> None:
        """Begin a change of which members have no notice."""
        gang, reservation, following, room, *_ = changing
        self._metrics.resizing.decided(changing.because)
        if gang.spec.keeps_members:
            self._change_members(changing)
            return
        self._state.assumptions.keep_room(room)
        failure = Failure(reason=Reason.CHANGING_SIZE, message=following.why, next_size=following)
        self._attempts.interrupt(gang, reservation, failure)

    def _begin_if_possible(self, change: SizeChange, decided: LastPlan) -> None:
        if is_pod_gang(change.gang):
            self._pod_gangs.begin(change, decided)
            return
        changing = self._still_possible(change, decided)
        if changing is not None:
            self._begin(changing, self._promises(decided))
            self._unwanted.watch(change, decided.changes)
        elif self._state.changes.generation != decided.snapshot.generation:
            self._state.changes.plan()

    def _still_possible(self, change: SizeChange, decided: LastPlan, *, urgent: str = "") -> Changing | None:
        """The change with its facts; None if a fact on which it is based has changed.

        ``urgent`` is a clause that names the gang for which this gang shrinks.
        """
        gang, reservation = self._state.gangs.get(change.gang), self._state.reservations.get(change.gang)
        if not isinstance(gang, AcceptedGang) or reservation is None:
            return None
        if not self._wants(gang, change) or reservation != decided.seen.held.get(change.gang):
            return None
        if self._attempts.is_under_way(gang.key) or not self._runs_undisturbed(gang, reservation):
            return None
        members = next_members(gang.spec, reservation, change, decided.snapshot.nodes.names)
        if members is None:
            return None
        why = self._why(gang, change, urgent)
        following = self._following(change, members.members, decided, why)
        room = next_reservation(gang, gang.spec, following)
        is_there = decided.seen.offers.stand({entry.node for entry in following.members}, self._state)
        if not is_there or why_size_stays(self._services, gang, reservation, room, self._now()):
            return None
        because = SizeReason.ASKED if _is_asked(gang) and not urgent else change.because
        return Changing(gang, reservation, following, room, members, because)

    def _wants(self, gang: AcceptedGang, change: SizeChange) -> bool:
        """Whether the gang may still change its size, and may have the size of this change."""
        return gang.spec.elastic is not None and gang.spec.elastic.size in (None, change.size_after)

    def _runs_undisturbed(self, gang: GangFact, reservation: Reservation) -> bool:
        counts = progress_of(self._state, gang, reservation)
        is_whole = counts.is_running and not counts.succeeded and not counts.losses
        is_changing = gang.status.next_size is not None or has_former_members(self._state, reservation)
        is_going_on = (
            not is_changing
            and may_be_evicted(self._state, gang, reservation)
            and gang.key not in self._state.counts.next_sizes
        )
        return is_whole and is_going_on and not is_over(self._state, gang, reservation, self._now())

    def _why(self, gang: AcceptedGang, change: SizeChange, urgent: str) -> str:
        pause, lost = self._restart_time(gang), 0.0 if gang.spec.elastic is None else gang.spec.elastic.lost
        if urgent:
            return shrink_for(change, urgent, restart_time=pause, lost=lost)
        return size_change(as_its_users_see(change), restart_time=pause, lost=lost, is_asked=_is_asked(gang))

    def _following(self, change: SizeChange, members: tuple[Members, ...], decided: LastPlan, why: str) -> NextSize:
        now = self._now()
        return NextSize(
            members=members,
            decided_at=now,
            expected_finish=None if change.end == math.inf else now + change.end - decided.snapshot.now,
            why=why,
        )

    def _begin(self, changing: Changing, starts: Sequence[float]) -> None:
        gang = changing.gang
        noticed = None if gang.spec.keeps_members else self._with_notice(changing, starts)
        if noticed is not None:
            self._metrics.resizing.decided(changing.because)
            self._notices.give(gang, noticed, next_reservation(gang, gang.spec, noticed))
        else:
            self.begin_at_once(changing)

    def _change_members(self, changing: Changing) -> None:
        """Let members join or leave, while the others run on."""
        gang, reservation, following, room, members, _ = changing
        if room.size > reservation.size:
            self._members.join(gang, following, room)
        else:
            self._members.leave(gang, members, following.expected_finish, following.why)

    def _with_notice(self, changing: Changing, starts: Sequence[float]) -> NextSize | None:
        """The change with the time at which it begins, if members read notices; None if it begins now."""
        gang, reservation, following, room, *_ = changing
        if gang.spec.elastic is None or not gang.spec.elastic.has_notice:
            return None
        is_growing, now = room.size > reservation.size, self._now()
        promises = PromisedStarts(math.inf if is_growing else self._wanted[gang.key].first_promise, starts)
        begin = begin_of_change(self._state, gang, reservation, room, promises=promises, now=now)
        if begin is None:
            return None
        return beginning_at(self._state, gang, reservation, following, begin=begin, now=now)

    def _restart_time(self, gang: GangFact) -> float:
        """The expected seconds of a change of the gang's size; 0 if the gang may no longer change it."""
        terms = self._state.change_times.terms(gang)
        return 0.0 if terms is None else terms.restart_time

    def _promises(self, decided: LastPlan) -> list[float]:
        """The starts that are promised to gangs which still wait."""
        waiting = (self._state.gangs.get(key) for key in decided.asked if key not in self._state.reservations)
        plans = (gang.status.plan for gang in waiting if gang is not None)
        promises = (plan.promised_start for plan in plans if plan is not None)
        return [time for time in promises if time is not None]

    def _drop(self, gang: GangFact, why: str, now: float) -> None:
        self._state.counts.next_sizes.forget(gang.key)
        self._writer.report(gang, partial(self._dropped, gang, why, now))

    def _dropped(self, gang: GangFact, why: str, now: float) -> StatusReport:
        self._metrics.size_changes_dropped.inc()
        return StatusReport(
            status=mark_change_dropped(gang, why, now=now),
            event=size_change_dropped(why),
            written=self._state.changes.plan,
        )


def _is_asked(gang: AcceptedGang) -> bool:
    """Whether the gang's spec asks for a size."""
    return gang.spec.elastic is not None and gang.spec.elastic.size is not None


def _placement(gang: GangFact, following: NextSize, pause: float, now: float) -> Placement:
    """The next size as a placement that starts now. If the change takes longer than planned, the gang ends later.

    The change was expected to take ``pause`` seconds.
    """
    return Placement(
        gang=gang.key,
        size=following.size,
        start=now,
        finish=_finish(following, pause, now),
        speedup=None,
        members=following.members,
        slowest=following.members[0].node,
        latest=None,
        alternative=None,
    )


def _finish(following: NextSize, pause: float, now: float) -> float:
    if following.expected_finish is None:
        return math.inf
    run_time = max(following.expected_finish - following.asked_to_end_at - pause, _LEAST_RUN_SECONDS)
    return max(following.expected_finish, now + run_time)
