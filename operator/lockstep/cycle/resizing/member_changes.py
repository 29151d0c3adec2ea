"""Members that join or leave while the others run on.

The status names joining members before any of them exists, and the staying members before any other is asked to end. So
after a restart, the operator knows which pods may exist. Joining members count after all of them run. If one can't be
created, is lost, or does not run in time, all of them are deleted. Leaving members have no reservation, so they are
deleted.
"""

from collections.abc import Collection
from functools import partial

from coschedule import GangKey
from lockstep.act.changing.joins import Joins
from lockstep.act.changing.member_files import MemberFiles
from lockstep.act.requests.progress import Progress, progress
from lockstep.act.requests.services import Services
from lockstep.belief.holding.ranked_members import RankedMembers
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.losses import record_lost
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.ends.owner_returned import interrupted
from lockstep.cycle.resizing.preemptor_events import post_shrink
from lockstep.cycle.resizing.staying_members import finish_with_fewer, staying_without
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodPhase
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.metrics.size_change_metrics import MEMBERS_LEFT
from lockstep.report.status.attempt_marks import mark_notice
from lockstep.report.status.events import gang_changes_size, members_joined, size_change_dropped
from lockstep.report.status.member_changes import mark_join_dropped, mark_joined, mark_joining, mark_left
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.sentences import duration, n_members
from lockstep.report.text.size_sentences import shrink_of_lost

LONGEST_JOIN_SECONDS = 600.0
"""Members that join a gang and do not all run after this time are deleted. It takes minutes to pull large images."""


class MemberChanges:
    """Changes the members of gangs while the other members run on."""

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._services = services
        self._state = services.state
        self._writer = services.writer
        self._metrics = metrics
        self._joins = Joins(services)
        self._files = MemberFiles(services)
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)

    def join(self, gang: GangFact, following: NextSize, room: Reservation) -> None:
        """Keep the room for members that will join, and report that. If the report fails, the room is given up."""
        if self._writer.make_way(gang.key):
            self._state.assumptions.keep_room(room)
            self._writer.report(gang, partial(self._joining, gang, following))

    def leave(self, gang: GangFact, staying: RankedMembers, finish: float | None, why: str) -> None:
        """Report that only these members stay. The others are asked to end after the report is written."""
        if self._writer.make_way(gang.key):
            self._writer.report(gang, partial(self._left, gang, staying, finish, why))

    def go_on_without(self, gang: GangFact, reservation: Reservation, lost: Collection[int], failure: Failure) -> bool:
        """Let a gang continue without the ``lost`` ranks, if it can. Their members are lost or have to leave.

        Returns whether it can: its first member must stay, and it must be allowed to have fewer members.
        """
        now = self._services.now()
        staying = staying_without(gang, reservation.without_newcomers, lost)
        if staying is None or not isinstance(gang, AcceptedGang):
            return False
        before, after = reservation.without_newcomers.size, sum(entry.count for entry in staying.members)
        record_lost(self._state, gang, reservation.attempt, failure.lost_on, now)
        finish = finish_with_fewer(self._state, gang, gang.status.members, staying.members, now)
        why = shrink_of_lost(before, after, failure.message, ends=(gang.status.expected_finish, finish))
        self._metrics.resizing.decided(MEMBERS_LEFT)
        self.leave(gang, staying, finish, why)
        return True

    def check(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> None:
        """Create the members that join. If none joins, keep the files of the present members up to date.

        The gang is reconciled when the time of joining members is over.
        """
        if not isinstance(gang, AcceptedGang):
            return
        if not reservation.joining:
            self._end_join(gang.key)
            self._files.keep(gang, reservation)
            return
        self._files.forget(gang.key)
        if not (self._own_reason(gang, reservation, counts) or self._why_lost(gang, reservation, now)):
            self._joins.make(gang, reservation)
            self._alarms.set(gang.key, self._ends(gang, now))

    def report(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> StatusReport | None:
        """The report that all joining members run, or that none joins any more; None if neither is the case."""
        if gang.status.joining_size is None:
            return None
        if not isinstance(gang, AcceptedGang) or not gang.spec.keeps_members:
            # The gang's mode has changed, or another client has written the status.
            return StatusReport(status=mark_notice(gang, None), written=self._state.changes.plan)
        own = self._own_reason(gang, reservation, counts)
        why = own or self._why_lost(gang, reservation, now)
        if why:
            status = mark_join_dropped(gang, has_failed=not own, now=now)
            if not own:
                self._avoid_nodes(gang, reservation, status)
            return StatusReport(status=status, event=size_change_dropped(why, goes_on=True), written=self._dropped)
        if not self._newcomers(gang, reservation).is_running:
            return None
        status = mark_joined(gang, self._state.change_times.terms(gang), now=now)
        written = partial(self._have_joined, status)
        return StatusReport(status=status, event=members_joined(status.size or 0), written=written)

    def forget(self, gang: GangKey) -> None:
        """Drop a gang whose attempt has ended, or is being torn down."""
        self._end_join(gang)
        self._files.forget(gang)

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        self._alarms.stop()
        await self._joins.stop()
        await self._files.stop()

    def _end_join(self, gang: GangKey) -> None:
        """Forget the join, since no member joins the gang."""
        self._joins.forget(gang)
        self._alarms.forget(gang)

    def _own_reason(self, gang: GangFact, reservation: Reservation, counts: Progress) -> str:
        """The gang's own reason why members need not join any more, as a clause; '' if there is none."""
        following = gang.status.joining_size
        if following is None or not reservation.joining or not isinstance(gang, AcceptedGang) or not gang.spec.elastic:
            return "the spec no longer allows that size"
        if gang.spec.elastic.size not in (None, following.size):
            return f"elastic.size asks for {n_members(gang.spec.elastic.size or 0)}"
        return "a member has succeeded" if counts.succeeded else ""

    def _why_lost(self, gang: GangFact, reservation: Reservation, now: float) -> str:
        """Why joining members are lost or late, as a clause; '' if they are neither."""
        newcomers, counts = reservation.newcomers, self._newcomers(gang, reservation)
        failure = self._joins.failure(gang.key) or interrupted(self._state, newcomers, now)
        if failure is not None:
            return failure.message
        for node in {entry.node for entry in newcomers.members}:
            if (why := self._services.lost_nodes.why_lost(node)) is not None:
                return f"node {node} {why}"
        if counts.losses or counts.succeeded:
            return counts.losses[-1].why if counts.losses else "a member that joined has ended at once"
        is_late = self._is_late(gang) and not counts.is_running
        return f"not all of its new members ran within {duration(LONGEST_JOIN_SECONDS)}" if is_late else ""

    def _is_late(self, gang: GangFact) -> bool:
        """Whether the time in which joining members must run is over."""
        decided_at = 0.0 if gang.status.joining_size is None else gang.status.joining_size.decided_at
        # The clock may have been set back. Statuses keep whole seconds.
        return not -1.0 <= self._services.now() - decided_at < LONGEST_JOIN_SECONDS

    def _avoid_nodes(self, gang: AcceptedGang, reservation: Reservation, status: GangStatus) -> None:
        """Keep the gang, when it grows again, off the nodes where new members were lost or did not run in time.

        A node on which another member of the gang runs is not avoided, because that member stays there.
        """
        elastic, newcomers = gang.spec.elastic, reservation.newcomers
        assert elastic is not None, "a gang that members join may change its size"
        pods = self._state.pods_of(newcomers) if self._is_late(gang) else ()
        failed = {pod.node for pod in pods if pod.phase is not PodPhase.RUNNING}
        losses = self._newcomers(gang, reservation).losses
        failed |= {loss.pod.node for loss in losses if not loss.is_own_failure}
        failed -= {"", *(entry.node for entry in reservation.without_newcomers.members)}
        interval = elastic.terms(status.last_change, status.failed_joins).min_interval
        self._state.failed_nodes.record_not_joined(gang.uid, failed, self._services.now() + interval)

    def _newcomers(self, gang: GangFact, reservation: Reservation) -> Progress:
        return progress(reservation.newcomers, self._state.members(gang), self._state.departed(gang))

    def _ends(self, gang: GangFact, now: float) -> float | None:
        """When the time of joining members is over; None if it is over."""
        following = gang.status.joining_size
        end = None if following is None else following.decided_at + LONGEST_JOIN_SECONDS
        return None if end is None or end <= now else end

    def _joining(self, gang: GangFact, following: NextSize) -> StatusReport:
        status = mark_joining(gang, following, now=self._services.now())
        return StatusReport(
            status=status, event=gang_changes_size(following.why, others_run=True), written=partial(self._count, "grow")
        )

    def _left(self, gang: GangFact, staying: RankedMembers, finish: float | None, why: str) -> StatusReport:
        status = mark_left(gang, staying, finish, why, now=self._services.now())
        written = partial(self._have_left, gang, status.size or 0, why)
        event = gang_changes_size(why, others_run=True)
        return StatusReport(status=status, event=event, written=written, is_act=True)

    def _have_joined(self, status: GangStatus) -> None:
        if status.last_change is not None and status.last_change.seconds is not None:
            self._metrics.resizing.made(status.last_change.seconds)
        self._state.changes.plan()

    def _have_left(self, gang: GangFact, size: int, why: str) -> None:
        post_shrink(self._state, self._writer, gang, size, why)
        self._count("shrink")

    def _dropped(self) -> None:
        self._metrics.size_changes_dropped.inc()
        self._state.changes.plan()

    def _count(self, direction: str) -> None:
        self._metrics.size_changes.labels(direction).inc()
        self._state.changes.plan()
