"""The cycle: follow → snapshot → plan → act → report. One cycle runs at a time; changes in the cache start it.

Slow work runs beside the cycle: requests, on capacity that the cache already counts as taken, and the plan, on frozen
facts. The cache may change while a plan is made, so each placement is checked against it before it is carried out.
"""

import asyncio
import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import perf_counter

from coschedule import Decision, GangKey, Placement
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.requests.outcome import Ending, Outcome
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation, next_attempt, reserved_in_status
from lockstep.belief.run_times.overruns import patience
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.clockwork.wake_event import WakeEvent
from lockstep.cycle.explaining.attempt_events import AttemptEvents
from lockstep.cycle.explaining.explain import Explainer
from lockstep.cycle.explaining.start_estimates import StartEstimates
from lockstep.cycle.follow import Follower
from lockstep.cycle.placed.notices import Notices
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.planning.decision_log import log_decision
from lockstep.cycle.planning.evictions import Evictions
from lockstep.cycle.planning.planning import Planning, PlanOptions
from lockstep.cycle.planning.size_changes import SizeChanges
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.conditions import mark_reserved, with_narrowing
from lockstep.snapshot.holders.endings import next_plan_for_ends, victims_ending_for
from lockstep.snapshot.holders.running import lowest_held_priority
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

# Changes come in bursts, such as the pods of one gang: one cycle handles each burst.
_SHORTEST_PAUSE_SECONDS = 0.02
# The pause after a plan, as a share of the plan's time: planning a long queue slows down all other work.
_PAUSE_SHARE = 1.0
_PAUSE_AFTER_ERROR_SECONDS = 1.0
_STAND_BY_SECONDS = 1.0
_DEFAULT_PLANS = PlanOptions()

log = logging.getLogger(__name__)


class Cycle:
    """Runs cycles. Setting ``woken`` requests the next one."""

    def __init__(
        self,
        services: Services,
        metrics: Metrics,
        *,
        woken: WakeEvent,
        plans: PlanOptions = _DEFAULT_PLANS,
    ) -> None:
        self._state = services.state
        self._metrics = metrics
        self._woken = woken
        self._now = services.now
        self._cutter = services.cutter
        self._lost_nodes = services.lost_nodes
        self._writer = services.writer
        self._attempt_events = AttemptEvents(services.state, services.writer, metrics, now=services.now)
        self._attempts = Attempts(
            services,
            ended=self._attempt_ended,
            due=self._retry_due,
            takes_long=self._attempt_events.undoing_lasts,
            reported=self._attempt_events.undoing,
        )
        self._dry_runs = DryRuns(services, changed=self._attempt_events.admission)
        notices = Notices(services, metrics)
        self._size_changes = SizeChanges(services, self._attempts, notices, metrics, guarded=self._guarded)
        self._follower = Follower(
            services, self._attempts, self._dry_runs, metrics, notices=notices, change_size=self._size_changes.go_on
        )
        self._explainer = Explainer(services.writer, metrics)
        self._planning = Planning(services, self._attempts, self._dry_runs, metrics, plans)
        self._evictions = Evictions(
            self._state,
            self._attempts,
            self._planning,
            self._dry_runs,
            now=services.now,
            guarded=self._guarded,
        )
        self._planner: asyncio.Task[None] | None = None
        self._monotonic = services.monotonic
        self._plan_at = float("inf")
        self._planning_since = 0.0
        self._start_estimates: StartEstimates | None = None
        self.decided: LastPlan | None = None

    async def run(self) -> None:
        """Run cycles until cancelled."""
        self._woken.renew()
        pause = _SHORTEST_PAUSE_SECONDS
        while True:
            await asyncio.sleep(pause)
            await self._until_due()
            pause = await self._run_guarded()

    async def stand_by(self) -> None:
        """Record since when nodes are unreachable, until cancelled: these times are stored nowhere else."""
        while True:
            self._lost_nodes.update()
            await asyncio.sleep(_STAND_BY_SECONDS)

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster; the next process continues from there."""
        if self._planner is not None:
            self._planner.cancel()
        await self._evictions.stop()
        await self._dry_runs.stop()
        await self._attempts.stop()
        await self._follower.stop()
        self._writer.stop()

    @property
    def lag(self) -> float:
        """For how many seconds the current plan has been running, or changes have waited for a cycle: the longer."""
        planning = 0.0 if self._planner is None else self._monotonic() - self._planning_since
        return max(planning, self._woken.seconds)

    async def _run_guarded(self) -> float:
        """Run one cycle; returns how long to pause after it."""
        try:
            await self._run_once()
        except Exception:
            # The next cycle starts from facts again.
            log.exception("a cycle failed")
            self._failed()
            self._woken.set()
            return _PAUSE_AFTER_ERROR_SECONDS
        return _SHORTEST_PAUSE_SECONDS

    def _failed(self) -> None:
        self._metrics.cycles.labels("error").inc()
        self._state.changes.plan()

    async def _run_once(self) -> None:
        now = self._now()
        self._state.advance_to(now)
        self._plan_by(self._state.bids.next_shared_update(), now)
        # 1. Reconcile gangs that changed, the deleted ones too; there may be thousands.
        await in_turns(self._reconcile_changed(now))
        if self._planner is not None or (not self._state.changes.is_plan_due and self._monotonic() < self._plan_at):
            self._metrics.cycles.labels("idle").inc()
            return
        # 2. Plan all waiting gangs on frozen facts, beside the cycle.
        has_changed = self._state.changes.begin_plan()
        self._plan_at = float("inf")
        self._planning_since = self._monotonic()
        self._planner = asyncio.create_task(self._plan(now, has_changed=has_changed))

    def _reconcile_changed(self, now: float) -> Generator[None, None, None]:
        changed = self._state.changes.gangs
        for gone in (yield from self._follower.reconcile_changed(now)):
            self._explainer.forget(gone)
            self._dry_runs.forget(gone)
            self._planning.forget(gone)
        for decision in self._explainer.take_unreported(changed):
            with self._guarded(decision.gang):
                self._report(decision, now)
            yield

    async def _plan(self, now: float, *, has_changed: bool) -> None:
        """Make one plan and carry it out; then pause for as long as that took."""
        began = perf_counter()
        try:
            self._dry_runs.set_lowest_held(lowest_held_priority(self._state))
            asked_about = self._evictions.asked_about
            decided = await self._planning.plan(now, has_changed=has_changed, asked_about=asked_about)
            self._plan_by(self._next_plan(now), now)
            if decided is None:
                self._evictions.take_orders(None)
            else:
                await self._carry_out(decided)
            self._metrics.cycles.labels("ok").inc()
        except Exception:
            log.exception("a plan failed")
            self._failed()
            await asyncio.sleep(_PAUSE_AFTER_ERROR_SECONDS)
        seconds = perf_counter() - began
        if seconds > _SHORTEST_PAUSE_SECONDS:
            await asyncio.sleep(_PAUSE_SHARE * seconds)
        self._planner = None
        self._woken.set()

    async def _carry_out(self, decided: LastPlan) -> None:
        self.decided = decided
        self._start_estimates = StartEstimates(self._state, decided)
        # 3. Start what is due. 4. Evict for gangs that admission still accepts. 5. Change sizes. 6. Report why the
        # others wait.
        await in_turns(self._start_due(decided), self._seconds_of("act"))
        self._evictions.take_orders(decided)
        now = self._now()
        self._plan_by(now + self._size_changes.begin(decided), now)
        await in_turns(self._report_others(decided), self._seconds_of("report"))
        self._plan_when_an_end_has_passed()

    def _next_plan(self, now: float) -> float:
        """When a plan is due although nothing changes; starts that the last plan decided are not included."""
        return min(
            self._attempts.next_retry(now),
            now + self._planning.seconds_to_next_plan(),
            self._state.bids.next_end() or float("inf"),
            self._state.failed_nodes.next_end(),
            self._state.rejections.next_end(),
            self._state.owners.next_due(now),
        )

    def _plan_when_an_end_has_passed(self) -> None:
        """Plan again when gangs that hold nodes were expected to end, including gangs that were just started."""
        now = self._now()
        self._plan_by(next_plan_for_ends(self._state, now), now)

    def _plan_by(self, time: float, now: float) -> None:
        """Plan at ``time`` at the latest; kept as a monotonic time, so a step of the clock does not move it."""
        self._plan_at = min(self._plan_at, self._monotonic() + time - now)

    def _start_due(self, decided: LastPlan) -> Generator[None, None, None]:
        for placement in decided.plan.decisions:
            if isinstance(placement, Placement) and decided.is_due(placement):
                now = self._now()
                with self._guarded(placement.gang):
                    log_decision(placement, now)
                    self._start(placement, decided, now)
                yield

    def _report_others(self, decided: LastPlan) -> Generator[None, None, None]:
        for decision in decided.plan.decisions:
            if not decided.is_due(decision) and decision.gang not in self._evictions.asked_about:
                now = self._now()
                with self._guarded(decision.gang):
                    log_decision(decision, now)
                    self._report_planned(decision, decided, now)
                yield

    def _report_planned(self, decision: Decision, decided: LastPlan, now: float) -> None:
        gang = self._state.gangs.get(decision.gang)
        if gang is not None and self._planning.still_asks(gang, decided):
            self._report(decision, now)

    @contextmanager
    def _guarded(self, gang: GangKey) -> Iterator[None]:
        """Log an error in work for one gang and quarantine that gang; the work for other gangs goes on."""
        try:
            yield
        except Exception as error:
            known = self._state.gangs.get(gang)
            if known is None:
                raise
            log.exception("it could not be started or told of", extra=about(gang))
            self._planning.quarantine(known, error)

    def _report(self, decision: Decision, now: float) -> None:
        gang = self._state.gangs.get(decision.gang)
        if gang is None or not self._planning.waits(gang) or self._planning.retry_at(gang) > now:
            # During its back-off, its status says why it was undone and when it is planned again.
            return
        self._dry_runs.ask(gang)
        victims = victims_ending_for(self._state, gang.key)
        learned = self._state.past_runs.in_force(gang)
        next_report_at = self._explainer.explain(
            gang, decision, now, victims=victims, start_estimates=self._start_estimates, learned=learned
        )
        self._plan_by(self._due_again(gang, decision, next_report_at, now), now)

    def _due_again(self, gang: GangFact, decision: Decision, next_report_at: float, now: float) -> float:
        """When a gang that waits is planned again though nothing changes. Starts that await no end are not delayed."""
        if not isinstance(decision, Placement):
            return next_report_at
        # Many gangs wait, and their likely starts pass one after the other: one plan for several of them.
        report_at = max(next_report_at, now + patience(now - gang.created))
        if self._start_estimates is not None and self._start_estimates.awaits_an_end(decision):
            return report_at
        return min(report_at, decision.start)

    def _start(self, placement: Placement, decided: LastPlan, now: float) -> None:
        gang = self._state.gangs.get(placement.gang)
        if not isinstance(gang, AcceptedGang) or not self._planning.still_asks(gang, decided):
            return
        if self._writer.make_way(gang.key):
            self._reserve(gang, placement, decided, now)

    def _reserve(self, gang: AcceptedGang, placement: Placement, decided: LastPlan, now: float) -> None:
        attempt = next_attempt(gang.status, self._state.members(gang).values())
        victims = self._state.preempted_gangs.victims_of(gang.key)
        learned = self._state.past_runs.in_force(gang)
        status = mark_reserved(gang, placement, attempt=attempt, now=now, victims=victims, learned=learned)
        status = with_narrowing(status, gang, decided.narrowing(placement), now)
        # Read back from the status, which is all that the next process has.
        reservation = reserved_in_status(replace(gang, status=status))
        assert reservation is not None, "a plan has sizes that the spec allows"
        has_changed = self._state.generation != decided.snapshot.generation
        if (has_changed or decided.changes) and self._is_outdated(gang, reservation, now):
            # The cache has changed since the snapshot, also by gangs that this plan started: leave it to the next plan.
            # If not, the gang was planned on what others give up when their sizes change, and a plan follows that.
            if has_changed:
                self._state.changes.plan()
            return
        self._state.hold(reservation)
        self._attempts.begin(gang, reservation, status)

    def _is_outdated(self, gang: AcceptedGang, reservation: Reservation, now: float) -> bool:
        is_allowed = QuotaBounds(self._state).allow(gang, reservation.members)
        return not is_allowed or self._cutter.conflict(gang, reservation, now) is not None

    def _attempt_ended(self, gang: GangFact, outcome: Outcome) -> None:
        if outcome.ending is Ending.PLACED:
            self._state.changes.reconcile(gang.key)
            if isinstance(gang, AcceptedGang) and gang.spec.elastic is not None:
                # After a change of size no plan has seen this attempt, and it may give way from now on.
                self._state.changes.plan()
        else:
            self._give_back(gang)
        self._attempt_events.ended(gang, outcome)
        if outcome.verdict is not None and self._state.apply_verdict(gang, outcome.verdict):
            self._attempt_events.admission(self._state.gangs[gang.key])
        self._woken.set()

    def _retry_due(self, gang: GangKey) -> None:
        """The back-off of a gang is over: reconcile it, and plan it if it waits."""
        self._state.changes.reconcile(gang)
        self._state.changes.plan()

    def _give_back(self, gang: GangFact) -> None:
        """Drop the attempt's reservation from the cache, and take over the one in the status if there is one."""
        self._state.forget(gang.key)
        known = self._state.gangs.get(gang.key)
        if known is not None:
            self._state.hold_what_is_reserved(known)
            self._state.changes.reconcile(gang.key)

    async def _until_due(self) -> None:
        seconds = min(self._plan_at - self._monotonic(), self._follower.seconds_to_next_retry())
        if seconds > 0:
            # Not wait_for: in Python 3.11 it loses a cancellation that comes together with the event.
            with suppress(TimeoutError):
                async with asyncio.timeout(None if seconds == float("inf") else seconds):
                    await self._woken.wait()
        self._woken.clear()

    def _seconds_of(self, stage: str) -> Callable[[float], None]:
        return self._metrics.cycle_duration.labels(stage).observe
