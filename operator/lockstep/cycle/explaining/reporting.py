"""Reports the decisions of the newest plan in the statuses of waiting gangs."""

from collections.abc import Callable, Collection, Generator
from contextlib import AbstractContextManager
from functools import partial

from coschedule import Decision, GangKey, Placement
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.requests.services import Services
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.run_times.overruns import patience
from lockstep.cycle.awaiting.ahead_reports import ahead_report, report_due_at
from lockstep.cycle.clockwork.plan_time import PlanTime
from lockstep.cycle.explaining.explain import Explainer
from lockstep.cycle.explaining.start_estimates import StartEstimates
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.planning.decision_log import log_decision
from lockstep.cycle.planning.planning import Planning
from lockstep.facts.gang.gang import GangFact
from lockstep.snapshot.holders.awaited_ends import victims_ending_for


class Reporting:
    """Passes decisions to the explainer. ``guarded`` limits an error in the work for one gang to this gang."""

    def __init__(
        self,
        services: Services,
        explainer: Explainer,
        planning: Planning,
        dry_runs: DryRuns,
        plan_time: PlanTime,
        *,
        guarded: Callable[[GangKey], AbstractContextManager[None]],
    ) -> None:
        self._state = services.state
        self._now = services.now
        self._writer = services.writer
        self._explainer = explainer
        self._planning = planning
        self._dry_runs = dry_runs
        self._plan_time = plan_time
        self._guarded = guarded
        self._start_estimates: StartEstimates | None = None

    def begin(self, decided: LastPlan) -> None:
        """Take this plan as the newest one."""
        self._start_estimates = StartEstimates(self._state, decided)

    def reporting_others(self, decided: LastPlan, *, besides: Collection[GangKey]) -> Generator[None, None, None]:
        """Report, in steps, the decisions about gangs that do not start now.

        ``besides`` are left out, because they wait for an eviction.
        """
        for decision in decided.plan.decisions:
            if not decided.is_due(decision) and decision.gang not in besides:
                now = self._now()
                with self._guarded(decision.gang):
                    log_decision(decision, now)
                    self._report_planned(decision, decided, now)
                yield

    def reporting_ahead(self, decided: LastPlan) -> Generator[None, None, None]:
        """Report, in steps, when gangs that wait for others are likely to start."""
        for placement in decided.ahead:
            with self._guarded(placement.gang):
                self._report_ahead(placement, self._now())
            yield

    def reporting_unreported(self, gangs: Collection[GangKey], now: float) -> Generator[None, None, None]:
        """Report, in steps, decisions about these gangs that could not be reported when they were made."""
        for decision in self._explainer.take_unreported(gangs):
            with self._guarded(decision.gang):
                self._report(decision, now)
            yield

    def _report_planned(self, decision: Decision, decided: LastPlan, now: float) -> None:
        gang = self._state.gangs.get(decision.gang)
        if gang is not None and self._planning.standing.still_asks(gang, decided):
            self._report(decision, now)

    def _report_ahead(self, placement: Placement, now: float) -> None:
        gang = self._state.gangs.get(placement.gang)
        if gang is None or self._start_estimates is None or self._state.phase_of(gang) is not Phase.AWAITS_OTHERS:
            return
        estimate = self._start_estimates.of_ahead(gang, placement)
        due_at = report_due_at(gang, estimate, now)
        if due_at <= now:
            self._writer.report(gang, partial(ahead_report, gang, estimate))
        else:
            self._plan_time.plan_by(due_at, now)

    def _report(self, decision: Decision, now: float) -> None:
        gang = self._state.gangs.get(decision.gang)
        if gang is None or not self._planning.standing.waits(gang) or self._planning.standing.retry_at(gang, now) > now:
            # During the back-off, the status says why the gang was torn down, and when it is planned again.
            return
        self._dry_runs.ask(gang)
        victims = victims_ending_for(self._state, gang.key)
        learned = self._state.past_runs.in_force(gang)
        next_report_at = self._explainer.explain(
            gang, decision, now, victims=victims, start_estimates=self._start_estimates, learned=learned
        )
        self._plan_time.plan_by(self._due_again(gang, decision, next_report_at, now), now)

    def _due_again(self, gang: GangFact, decision: Decision, next_report_at: float, now: float) -> float:
        """The time at which a waiting gang is planned again although nothing changes.

        This is the gang's planned start at the latest, unless the gang starts when another gang ends.
        """
        if not isinstance(decision, Placement):
            return next_report_at
        # Many gangs wait, and their likely starts pass one after the other. So one plan serves several of them.
        report_at = max(next_report_at, now + patience(now - gang.created))
        if self._start_estimates is not None and self._start_estimates.awaits_an_end(decision):
            return report_at
        return min(report_at, decision.start)
