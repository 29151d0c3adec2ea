"""Reports why gangs wait: writes each decision that starts nothing now to a status, if it says something new."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from coschedule import Decision, GangKey, Placement, Unplaceable
from lockstep.api.cluster.event import Event
from lockstep.cycle.explaining.start_estimates import StartEstimates
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS, PlanChange, is_same_time
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.past_runs import Learned
from lockstep.facts.reason_meanings import LACKING_PODS
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import events, plan_marks
from lockstep.report.status.writer import StatusReport, StatusWriter

# Numbers in an explanation change with every pod that ends. So a new reason is reported at once, and new numbers after
# a pause. The pause grows while the reason stays the same.
_FIRST_PAUSE_SECONDS = 10.0
_PAUSE_GROWTH = 4.0
_LONGEST_PAUSE_SECONDS = 600.0
# A start that moves by a smaller share of the whole wait counts as unchanged.
_SAME_TIME_SHARE = 0.1


class _LastReport(NamedTuple):
    """The time of a gang's last report, and the pause in seconds before new numbers are reported."""

    time: float
    pause: float


_NEVER = _LastReport(-math.inf, _FIRST_PAUSE_SECONDS)


class _Explained(NamedTuple):
    """A decision that may be reported. The fields are the arguments of ``Explainer.explain``."""

    gang: GangFact
    decision: Decision
    now: float
    victims: Sequence[GangKey]
    start_estimates: StartEstimates | None
    learned: Learned | None

    def status(self) -> GangStatus:
        """The gang's status with the decision, but without the estimate of a later start."""
        status = _status_for(self.gang, self.decision, self.now, self.victims, self.learned)
        if self.start_estimates is None:
            return status
        narrowing, givers = self.start_estimates.narrowing(self.decision), self.start_estimates.givers(self.decision)
        status = plan_marks.with_narrowing(status, self.gang, narrowing, self.now)
        return plan_marks.with_givers(status, self.gang, givers, self.now)

    def with_start(self, status: GangStatus) -> GangStatus:
        """The status with the estimate of a later start."""
        if self.start_estimates is None or not isinstance(self.decision, Placement):
            return status
        return replace(status, plan=self.start_estimates.of(self.gang, self.decision))


class Explainer:
    """Writes the plan's decisions to the statuses of waiting gangs."""

    def __init__(self, writer: StatusWriter, metrics: Metrics) -> None:
        self._writer = writer
        self._metrics = metrics
        self._last_reports: dict[GangKey, _LastReport] = {}
        self._reported: dict[GangKey, tuple[str, Decision, Sequence[GangKey]]] = {}
        self._unreported: dict[GangKey, Decision] = {}

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self._last_reports.pop(gang, None)
        self._reported.pop(gang, None)
        self._unreported.pop(gang, None)

    def take_unreported(self, gangs: Iterable[GangKey]) -> list[Decision]:
        """Return and drop the decisions about these gangs that were not written because of another status write."""
        return [self._unreported.pop(gang) for gang in gangs if gang in self._unreported]

    def explain(
        self,
        gang: GangFact,
        decision: Decision,
        now: float,
        *,
        victims: Sequence[GangKey] = (),
        start_estimates: StartEstimates | None = None,
        learned: Learned | None = None,
    ) -> float:
        """Write the decision to the gang's status if the status would say something new.

        ``victims`` are gangs that are being evicted for this gang. The decision was planned with the run times in
        ``learned``. ``start_estimates`` adds details of a later start. Returns the time of day at which to call this
        again; infinity if that is not needed.
        """
        self._unreported.pop(gang.key, None)
        expiry = self._likely_start_expiry(gang.key, gang.status, now)
        if self._reported.get(gang.key) == (gang.resource_version, decision, victims) and now < expiry:
            return expiry
        explained = _Explained(gang, decision, now, victims, start_estimates, learned)
        next_report_at = math.inf

        def report() -> StatusReport | None:
            nonlocal next_report_at
            due, next_report_at = self._report_due(explained)
            return due

        if not self._writer.report(gang, report):
            self._unreported[gang.key] = decision
        return next_report_at

    def _report_due(self, explained: _Explained) -> tuple[StatusReport | None, float]:
        """The report if it is due, and the time of day at which to explain again."""
        status = explained.status()
        later = self._postponed_to(explained, status)
        if later is not None:
            return None, later
        status = explained.with_start(status)
        report = self._report(explained, status)
        return report, self._likely_start_expiry(explained.gang.key, status, explained.now)

    def _postponed_to(self, explained: _Explained, status: GangStatus) -> float | None:
        """The next time at which there may be something to report, infinity if never; None if the report is due now."""
        gang, decision, now = explained.gang, explained.decision, explained.now
        expiry = self._likely_start_expiry(gang.key, gang.status, now)
        promised = decision.promised if isinstance(decision, Placement) else None
        if says_the_same(gang, status, promised=promised) and now < expiry:
            self._reported[gang.key] = (gang.resource_version, decision, explained.victims)
            return expiry
        last = self._last_report(gang.key, now)
        is_due = (
            _is_new_reason(gang, status)
            or _is_age_turning(gang, status)
            or _has_passed(gang, now)
            or now >= expiry
            or _is_promised_anew(gang, decision)
            or now >= last.time + last.pause
        )
        return None if is_due else min(expiry, last.time + last.pause)

    def _likely_start_expiry(self, gang: GangKey, status: GangStatus, now: float) -> float:
        """When the likely start in that status has passed and must be replaced; at the earliest after the first pause.

        Infinity if the status has no likely start.
        """
        if status.plan is None:
            return math.inf
        rests_until = self._last_report(gang, now).time + _FIRST_PAUSE_SECONDS
        return max(status.plan.likely_start + SAME_TIME_SECONDS, rests_until)

    def _last_report(self, gang: GangKey, now: float) -> _LastReport:
        """The gang's last report. A report in the future counts as long past, because the clock was set back."""
        last = self._last_reports.get(gang, _NEVER)
        return last if last.time <= now else last._replace(time=-math.inf)

    def _report(self, explained: _Explained, status: GangStatus) -> StatusReport:
        gang, decision, estimates = explained.gang, explained.decision, explained.start_estimates
        is_new = _is_new_reason(gang, status)
        last, after = self._last_reports.get(gang.key), status.condition(Condition.PLANNED)
        grown = _PAUSE_GROWTH * (_FIRST_PAUSE_SECONDS if last is None else last.pause)
        self._last_reports[gang.key] = _LastReport(
            explained.now, _FIRST_PAUSE_SECONDS if is_new else min(grown, _LONGEST_PAUSE_SECONDS)
        )
        event = _event_for(decision, after.message if after else "") if is_new and not explained.victims else None
        why = PlanChange.QUEUE_CHANGED if estimates is None else estimates.why_changed(gang, decision)

        def written() -> None:
            self._metrics.decisions.labels(_outcome(decision)).inc()
            self._metrics.promises.reported(gang.status.plan, status.plan, why=why)

        return StatusReport(status=status, event=event, written=written, begins_wait=_begins_wait(gang))


def _is_new_reason(gang: GangFact, status: GangStatus) -> bool:
    before, after = gang.status.condition(Condition.PLANNED), status.condition(Condition.PLANNED)
    return before is None or after is None or (before.status, before.reason) != (after.status, after.reason)


def _begins_wait(gang: GangFact) -> bool:
    """Whether the gang was never planned before, or its pods were lacking until now."""
    before = gang.status.condition(Condition.PLANNED)
    return before is None or before.reason in LACKING_PODS


def _is_age_turning(gang: GangFact, status: GangStatus) -> bool:
    """Whether that status stops the gang's age, or lets it go on. The gang's place in the queue depends on this."""
    return (gang.status.waited_seconds is None) != (status.waited_seconds is None)


def _has_passed(gang: GangFact, now: float) -> bool:
    """Whether the start in the gang's status has passed."""
    return gang.status.start is not None and gang.status.start + SAME_TIME_SECONDS < now


def _is_promised_anew(gang: GangFact, decision: Decision) -> bool:
    """Whether the promise is the gang's first, or later than the one in the status.

    Users rely on a promise, so it is reported at once.
    """
    before = None if gang.status.plan is None else gang.status.plan.promised_start
    promised = decision.promised if isinstance(decision, Placement) else None
    return promised is not None and (before is None or promised > before + SAME_TIME_SECONDS)


def says_the_same(gang: GangFact, after: GangStatus, *, promised: float | None = None) -> bool:
    """Whether that status and the start that is now ``promised`` say nothing new to the user.

    A start is new if it has moved by more than a tenth of the whole wait. If only the nodes differ, nothing is new.
    """
    before = gang.status
    if before.condition(Condition.PLANNED) is None:
        return False
    if after.start is None:
        return before == replace(after, conditions=before.conditions) and _conditions_agree(
            before, after, with_messages=True
        )
    return (
        (before.size, before.attempt) == (after.size, after.attempt)
        and _same_time(before.start, after.start, since=gang.created)
        and _same_time(before.expected_finish, after.expected_finish, since=gang.created)
        and is_same_time(None if before.plan is None else before.plan.promised_start, promised)
        and _conditions_agree(before, after, with_messages=False)
    )


def _conditions_agree(before: GangStatus, after: GangStatus, *, with_messages: bool) -> bool:
    return [_compared(one, with_messages=with_messages) for one in before.conditions] == [
        _compared(one, with_messages=with_messages) for one in after.conditions
    ]


def _compared(one: ConditionFact, *, with_messages: bool) -> tuple[object, ...]:
    return one.type, one.status, one.reason, one.observed_generation, one.message if with_messages else ""


def _same_time(one: float | None, other: float | None, *, since: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= max(SAME_TIME_SECONDS, _SAME_TIME_SHARE * (other - since))


def _status_for(
    gang: GangFact,
    decision: Decision,
    now: float,
    victims: Sequence[GangKey],
    learned: Learned | None,
) -> GangStatus:
    if isinstance(decision, Placement):
        return plan_marks.mark_planned_for_later(gang, decision, now=now, victims=victims, learned=learned)
    return plan_marks.mark_unplaceable(gang, decision, now=now)


def _outcome(decision: Decision) -> str:
    return decision.reason if isinstance(decision, Unplaceable) else Reason.STARTS_LATER


def _event_for(decision: Decision, message: str) -> Event:
    if isinstance(decision, Placement):
        return events.gang_starts_later(message)
    if decision.hold is not None:
        return events.gang_holds_nodes(message)
    return events.gang_unplaceable(message)
