"""Takes the next step for a gang that holds nodes, from the state of its members and from its spec."""

from collections.abc import Collection
from functools import partial
from typing import assert_never

from coschedule import GangKey
from lockstep.act.attempts import Attempts
from lockstep.act.ending.success_policy import has_succeeded
from lockstep.act.ending.undo import undone_in_status
from lockstep.act.members.member_reads import cached_members
from lockstep.act.members.missing_members import MissingMembers
from lockstep.act.members.remaining_pods import waits_for
from lockstep.act.requests.progress import Progress, progress_of
from lockstep.act.requests.services import Services
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.losses import record_lost
from lockstep.belief.run_times.reported_work import reported_part
from lockstep.cycle.clockwork.batches import Batches
from lockstep.cycle.ends.active_deadline import is_exceeded
from lockstep.cycle.ends.dealt_pieces import PiecesSay, what_pieces_say, with_pieces
from lockstep.cycle.ends.failure_policy import FailureAction, answer
from lockstep.cycle.ends.late_members import LateMembers
from lockstep.cycle.ends.owner_returned import interrupted, ranks_of_owners
from lockstep.cycle.pace.paces import Paces
from lockstep.cycle.placed.outcomes import Outcomes
from lockstep.cycle.placed.starts import Starts
from lockstep.cycle.placed.unit_times import is_measured
from lockstep.cycle.resizing.resizing import Resizing
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.policies import Action
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.sentences import n_pods

_NOT_OURS = Failure(
    reason=Reason.NO_LONGER_FITS, message="another program has changed its status, which now says that it holds nodes"
)
_GANG_DELETED = Failure(reason=Reason.GANG_DELETED, message="the GangJob is being deleted")
_SUSPENDED = Failure(reason=Reason.GANG_SUSPENDED, message="the gang is suspended")
_WITHOUT_QUOTA = Failure(reason=Reason.AWAITS_QUOTA, message="Kueue no longer lets the gang run")
# Ends of members within this time are written together. Progress is written less often, because only plans use it.
_REMEMBER_SECONDS = 3.0
_PARTS_SECONDS = 10.0


class ReservedGangs:
    """Reconciles gangs that hold nodes and have no running attempt."""

    def __init__(self, services: Services, attempts: Attempts, metrics: Metrics, resizing: Resizing) -> None:
        self._state = services.state
        self._attempts = attempts
        self._writer = services.writer
        self._lost_nodes = services.lost_nodes
        self._missing = MissingMembers(services)
        self._monotonic = services.monotonic
        self._starts = Starts(services)
        self._paces = Paces(services, metrics)
        self._notices, self._members = resizing.notices, resizing.members
        due = services.state.changes.reconcile
        self._late = LateMembers(due)
        self._outcomes = Outcomes(
            metrics,
            self._starts,
            ends=Batches(_REMEMBER_SECONDS, due=due),
            parts=Batches(_PARTS_SECONDS, due=due),
            past_runs=services.state.past_runs,
            nodes=services.state.nodes,
        )

    def reconcile(self, gang: GangFact, reservation: Reservation, now: float) -> None:
        """Write the report that is due, resume the gang's attempt, or roll the gang back."""
        gang = with_pieces(self._state, gang)
        undone = self._must_go(gang)
        if undone is not None:
            self._undo(gang, reservation, undone)
            return
        counts = progress_of(self._state, gang, reservation)
        if self._state.phase_of(gang) is Phase.PLACED:
            self._reconcile_placed(gang, reservation, counts, now)
        else:
            self._reconcile_unplaced(gang, reservation, counts, now)

    def is_unwanted(self, gang: GangFact, now: float) -> bool:
        """Whether no more members of the gang may be created."""
        return gang.is_deleting or gang.policies.is_suspended or is_exceeded(gang, now)

    def end(self, gang: GangFact, now: float) -> None:
        """Write to the status that the gang has exceeded its active deadline."""
        self._writer.report(gang, partial(self._outcomes.deadline_exceeded, gang, now))

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that no longer holds nodes, or that is rolled back."""
        self._starts.forget(gang)
        self._paces.forget(gang)
        self._notices.forget(gang)
        self._members.forget(gang)
        self._outcomes.forget(gang)
        self._late.forget(gang)
        self._missing.forget(gang)
        self._attempts.unmark_for_undoing(gang)

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        self._outcomes.stop()
        self._late.stop()
        await self._missing.stop()
        await self._paces.stop()
        await self._notices.stop()
        await self._members.stop()
        await self._starts.stop()

    def _must_go(self, gang: GangFact) -> Failure | None:
        """Why the gang must be rolled back whatever the state of its members is; None if it need not be."""
        if gang.is_deleting:
            return _GANG_DELETED
        if self._state.assumptions.has_unowned(gang) and self._state.phase_of(gang) is not Phase.PLACED:
            return _NOT_OURS
        return undone_in_status(gang)

    def _reconcile_placed(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> None:
        """Take the next step that is due: first success or the deadline, then suspension, then failures."""
        # Computed once, since this takes a while for thousands of members.
        present = reservation.without_newcomers
        pieces = what_pieces_say(self._state, gang, counts)
        is_done = _is_done(gang, pieces, counts, present)
        self._starts.record(gang.key, counts, now)
        self._outcomes.run_times.record(gang.key, counts, now, has_succeeded=is_done)
        if is_done and self._waits_for_no_member(gang, pieces, counts, present, now):
            waived = counts.size - counts.succeeded if pieces is PiecesSay.DONE else 0
            self._writer.report(gang, partial(self._outcomes.succeeded, gang, reservation, waived, now))
        elif is_exceeded(gang, now):
            self.end(gang, now)
        elif gang.policies.is_suspended:
            self._undo(gang, reservation, _suspended(gang))
        elif (response := _failure_action(gang, pieces, counts, present)) is not None:
            self._carry_out(gang, reservation, counts, response, now)
        elif is_done:
            part = self._reported_part(gang, reservation)
            self._writer.report(gang, partial(self._outcomes.running, gang, reservation, counts, part, now))
        else:
            self._go_on(gang, reservation, counts, now)

    def _go_on(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> None:
        """Take the next step for members that work: go on without some, roll the gang back, or follow its members."""
        present = reservation.without_newcomers
        if counts.unseen and not self._missing.are_missing(gang, reservation):
            # Members are being listed. When the list is complete, the gang is marked as changed.
            return
        if (lost := counts.disrupted or self._lost(present, counts)) is not None:
            self._go_on_without(gang, reservation, self._leaving_ranks(present, counts, now), lost)
        elif (returned := interrupted(self._state, present, now)) is not None:
            self._go_on_without(gang, reservation, self._leaving_ranks(present, counts, now), returned)
        elif (late := self._starts.check(gang, reservation, now)) is not None:
            self._undo(gang, reservation, late)
        elif (change := self._notices.check(gang, reservation, counts, now)) is not None:
            self._undo(gang, reservation, change)
        else:
            self._attempts.placed(gang.key, is_running=counts.is_running)
            if counts.is_running:
                self._record_running(gang, present)
            self._members.check(gang, reservation, counts, now)
            self._paces.check(gang, present, counts)
            self._writer.report(gang, partial(self._running, gang, reservation, counts, now))

    def _waits_for_no_member(
        self, gang: GangFact, pieces: PiecesSay | FailureAction, counts: Progress, present: Reservation, now: float
    ) -> bool:
        """Whether a gang that is done succeeds now, without waiting for members that still run.

        It waits if all its pieces are settled while members still run: they have a minute. A suspension, a deadline or
        a loss lets it succeed at once, but a failure does not.
        """
        if pieces is not PiecesSay.DONE or counts.has_succeeded:
            return True
        if _failure_action(gang, pieces, counts, present) is not None:
            return False
        is_ending = gang.policies.is_suspended or is_exceeded(gang, now) or counts.disrupted is not None
        is_lost = self._lost(present, counts) is not None or interrupted(self._state, present, now) is not None
        return is_ending or is_lost or self._late.are_late(gang.key)

    def _record_running(self, gang: GangFact, present: Reservation) -> None:
        """Record that all members run. Also record their progress if a choice of size depends on it."""
        self._state.rejections.forget(gang.uid)
        if is_measured(gang):
            part = self._reported_part(gang, present)
            self._outcomes.unit_times.record(gang, present.size, part, self._monotonic())

    def _running(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> StatusReport | None:
        """The next report on running members, if any.

        Its write marks the gang as changed, so that other reports can follow.
        """
        part = self._reported_part(gang, reservation)
        report = self._notices.report(gang, reservation, counts, now)
        report = report or self._members.report(gang, reservation, counts, now)
        report = report or self._outcomes.running(gang, reservation, counts, part, now)
        return report or self._paces.report(gang, counts)

    def _reconcile_unplaced(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> None:
        if is_exceeded(gang, now):
            self.end(gang, now)
        elif gang.policies.is_suspended:
            self._undo(gang, reservation, _suspended(gang))
        elif counts.is_bound and counts.disrupted is None:
            self._attempts.placed(gang.key, is_running=False)
            self._writer.report(gang, partial(self._outcomes.placed, gang, now))
        elif not self._attempts.is_resting(gang.key):
            # After a failure, the end of its pause marks the gang as changed.
            self._attempts.resume(gang, reservation)

    def _carry_out(
        self, gang: GangFact, reservation: Reservation, counts: Progress, response: FailureAction, now: float
    ) -> None:
        """Write what the failure policy demands.

        A restart begins after its status is written, so it is counted once.
        """
        match response.action:
            case Action.FAIL_GANG:
                self._writer.report(gang, partial(self._outcomes.failed, gang, response, now))
            case Action.RESTART_GANG | Action.IGNORE:
                if counts.disrupted is not None:
                    record_lost(self._state, gang, reservation.attempt, counts.disrupted.lost_on, now)
                self._restart(gang, reservation, response, now)
            case _:
                assert_never(response.action)

    def _restart(self, gang: GangFact, reservation: Reservation, response: FailureAction, now: float) -> None:
        self._attempts.mark_for_undoing(gang.key)
        part = self._reported_part(gang, reservation)
        members = cached_members(self._state, gang, reservation.attempt)
        waits = waits_for(members, self._state, self._lost_nodes, now)
        self._writer.report(gang, partial(self._outcomes.restarting, gang, response, part, waits, now))

    def _go_on_without(self, gang: GangFact, reservation: Reservation, lost: Collection[int], failure: Failure) -> None:
        """Let the gang go on without the ``lost`` members if it can; otherwise roll it back."""
        if not self._members.go_on_without(gang, reservation, lost, failure):
            self._undo(gang, reservation, failure)

    def _undo(self, gang: GangFact, reservation: Reservation, failure: Failure) -> None:
        """Roll the gang back, unless it is in its pause after a failure."""
        self.forget(gang.key)
        if not self._attempts.is_resting(gang.key):
            self._attempts.interrupt(gang, reservation, failure)

    def _leaving_ranks(self, present: Reservation, counts: Progress, now: float) -> set[int]:
        """The ranks of members that are lost, and of members that must leave a node now.

        Programs fail when their peers vanish. So if a member is lost, all members that have failed count as lost, too.
        """
        lost = self._lost_on(present)
        gone = {loss.rank for loss in counts.losses}.union(counts.unseen_ranks)
        return gone | present.ranks_on(lost) | ranks_of_owners(self._state, present, now)

    def _lost_on(self, reservation: Reservation) -> dict[str, str]:
        """The lost nodes of the members, and why each is lost."""
        nodes = {entry.node for entry in reservation.members}
        return {node: why for node in nodes if (why := self._lost_nodes.why_lost(node))}

    def _lost(self, present: Reservation, counts: Progress) -> Failure | None:
        """Why members are lost although no watch shows a disruption; None if none is.

        The cause is missing pods or lost nodes.
        """
        if counts.unseen:
            return Failure(reason=Reason.POD_LOST, message=f"{n_pods(counts.unseen)} of the Gang are missing")
        lost = self._lost_on(present)
        for pod in self._state.pods_of(present) if lost else ():
            if pod.node in lost and not pod.has_ended:
                message = f"pod {pod.key.name} is lost: node {pod.node} {lost[pod.node]}"
                return Failure(reason=Reason.POD_LOST, message=message)
        return None

    def _reported_part(self, gang: GangFact, reservation: Reservation) -> str:
        return reported_part(gang, reservation, self._state.members(gang).values(), self._state.pieces)


def _suspended(gang: GangFact) -> Failure:
    return _WITHOUT_QUOTA if gang.policies.awaits_quota else _SUSPENDED


def _is_done(gang: GangFact, pieces: PiecesSay | FailureAction, counts: Progress, present: Reservation) -> bool:
    """Whether the work is done, by its members or by its pieces. If the pieces decide, members may still run."""
    match pieces:
        case PiecesSay.NOTHING:
            return has_succeeded(gang.policies, counts, present)
        case PiecesSay.DONE:
            return True
        case PiecesSay.GO_ON | FailureAction():
            return False
        case _:
            assert_never(pieces)


def _failure_action(
    gang: GangFact, pieces: PiecesSay | FailureAction, counts: Progress, present: Reservation
) -> FailureAction | None:
    """The action for failed pieces or members; None if there is none. Too many failed pieces fail any gang."""
    response = answer(gang.policies.failure, counts, present, restarts=gang.status.restarts)
    if isinstance(pieces, FailureAction) and (response is None or pieces.reason is Reason.PIECES_FAILED):
        return pieces
    return response
