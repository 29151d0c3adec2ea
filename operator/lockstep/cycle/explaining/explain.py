"""Why gangs wait: a status for each decision that starts nothing, when it says something new and not too often."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from coschedule import Decision, GangKey, Placement, Unplaceable
from lockstep.api.cluster.event import Event
from lockstep.cycle.explaining.start_estimates import Outlooks
from lockstep.facts.gang.gang import ConditionFact, GangFact, GangStatus
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS, PlanChange, is_same_time
from lockstep.facts.past_runs import Learned
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import conditions, events
from lockstep.report.status.writer import StatusReport, StatusWriter

# Numbers in an explanation move with every pod that ends; a new reason is told at once, new numbers only so often: the
# longer a gang waits for the same reason, the less they are worth to its owner.
_FIRST_PAUSE_SECONDS = 10.0
_PAUSE_GROWTH = 4.0
_LONGEST_PAUSE_SECONDS = 600.0
# A start that moves by less of the whole wait is no news.
_SAME_TIME_SHARE = 0.1


class _Telling(NamedTuple):
    """When a gang was told something last, and how long new numbers have to wait since."""

    time: float
    pause: float


_NEVER = _Telling(-math.inf, _FIRST_PAUSE_SECONDS)


class Explainer:
    """Tells the owners of waiting gangs what the plan says of them."""

    def __init__(self, writer: StatusWriter, metrics: Metrics) -> None:
        self._writer = writer
        self._metrics = metrics
        self._told: dict[GangKey, _Telling] = {}
        self._known: dict[GangKey, tuple[str, Decision, Sequence[GangKey]]] = {}
        self._untold: dict[GangKey, Decision] = {}

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._told.pop(gang, None)
        self._known.pop(gang, None)
        self._untold.pop(gang, None)

    def take_untold(self, gangs: Iterable[GangKey]) -> list[Decision]:
        """What could not be told of these gangs while another status of them was being written."""
        return [self._untold.pop(gang) for gang in gangs if gang in self._untold]

    def explain(
        self,
        gang: GangFact,
        decision: Decision,
        now: float,
        *,
        victims: Sequence[GangKey] = (),
        outlooks: Outlooks | None = None,
        learned: Learned | None = None,
    ) -> float:
        """Write the decision to the gang's status if that is news; ``victims`` are being evicted for it.

        It was planned with the run times that were ``learned``; ``outlooks`` say what else to tell of a later start.
        Returns when to look again, infinity where there is no need.
        """
        self._untold.pop(gang.key, None)
        passes = self._likely_start_passes(gang.key, gang.status, now)
        if self._known.get(gang.key) == (gang.resource_version, decision, victims) and now < passes:
            return passes
        look_again = math.inf

        def news() -> StatusReport | None:
            nonlocal look_again
            status = _status_for(gang, decision, now, victims, learned)
            if outlooks is not None:
                status = conditions.with_narrowing(status, gang, outlooks.narrowing(decision), now)
            later = self._look_again(gang, decision, now, victims, status)
            if later is not None:
                look_again = later
                return None
            if isinstance(decision, Placement) and outlooks is not None:
                status = replace(status, plan=outlooks.of(gang, decision))
            report = self._report(gang, decision, now, victims, status, outlooks)
            look_again = self._likely_start_passes(gang.key, status, now)
            return report

        if not self._writer.report(gang, news):
            self._untold[gang.key] = decision
        return look_again

    def _look_again(
        self, gang: GangFact, decision: Decision, now: float, victims: Sequence[GangKey], status: GangStatus
    ) -> float | None:
        """When there may be something to tell, infinity where that is nothing; None where there is, now."""
        passes = self._likely_start_passes(gang.key, gang.status, now)
        promised = decision.promised if isinstance(decision, Placement) else None
        if says_the_same(gang, status, promised=promised) and now < passes:
            self._known[gang.key] = (gang.resource_version, decision, victims)
            return passes
        told = self._last_telling(gang.key, now)
        is_due = (
            _is_new_reason(gang, status)
            or _has_passed(gang, now)
            or now >= passes
            or _is_promised_later(gang, decision)
            or now >= told.time + told.pause
        )
        return None if is_due else min(passes, told.time + told.pause)

    def _likely_start_passes(self, gang: GangKey, status: GangStatus, now: float) -> float:
        """When the likely start in that status has passed, so that another one is told: not sooner than new numbers."""
        if status.plan is None:
            return math.inf
        rests_until = self._last_telling(gang, now).time + _FIRST_PAUSE_SECONDS
        return max(status.plan.likely_start + SAME_TIME_SECONDS, rests_until)

    def _last_telling(self, gang: GangKey, now: float) -> _Telling:
        """When the gang was told something last, if ever."""
        told = self._told.get(gang, _NEVER)
        # A clock that was set back makes nobody wait until it has caught up.
        return told if told.time <= now else told._replace(time=-math.inf)

    def _report(
        self,
        gang: GangFact,
        decision: Decision,
        now: float,
        victims: Sequence[GangKey],
        status: GangStatus,
        outlooks: Outlooks | None,
    ) -> StatusReport:
        is_new = _is_new_reason(gang, status)
        told, after = self._told.get(gang.key), status.condition(Condition.PLANNED)
        grown = _PAUSE_GROWTH * (_FIRST_PAUSE_SECONDS if told is None else told.pause)
        self._told[gang.key] = _Telling(now, _FIRST_PAUSE_SECONDS if is_new else min(grown, _LONGEST_PAUSE_SECONDS))
        event = _event_for(decision, after.message if after else "") if is_new and not victims else None
        why = PlanChange.QUEUE_CHANGED if outlooks is None else outlooks.why_changed(gang, decision)

        def written() -> None:
            self._metrics.decisions.labels(_outcome(decision)).inc()
            self._metrics.promises.reported(gang.status.plan, status.plan, why=why)

        return StatusReport(status=status, event=event, written=written)


def _is_new_reason(gang: GangFact, status: GangStatus) -> bool:
    before, after = gang.status.condition(Condition.PLANNED), status.condition(Condition.PLANNED)
    return before is None or after is None or (before.status, before.reason) != (after.status, after.reason)


def _has_passed(gang: GangFact, now: float) -> bool:
    """Whether the start that the gang was told is over, and it waits still."""
    return gang.status.start is not None and gang.status.start + SAME_TIME_SECONDS < now


def _is_promised_later(gang: GangFact, decision: Decision) -> bool:
    """Whether the gang was told of an earlier promise: who counts on that must not have to wait for the news."""
    told = None if gang.status.plan is None else gang.status.plan.promised_start
    promised = decision.promised if isinstance(decision, Placement) else None
    return told is not None and promised is not None and promised > told + SAME_TIME_SECONDS


def says_the_same(gang: GangFact, after: GangStatus, *, promised: float | None = None) -> bool:
    """Whether the gang's owner would learn nothing from that status, and from what is promised now.

    A start is news if it has moved by more than a tenth of the whole wait; other nodes for as many members are not.
    """
    before = gang.status
    if before.condition(Condition.PLANNED) is None:
        return False
    if after.start is None:
        return before == replace(after, conditions=before.conditions) and _conditions_agree(before, after, words=True)
    return (
        (before.size, before.attempt) == (after.size, after.attempt)
        and _same_time(before.start, after.start, since=gang.created)
        and _same_time(before.expected_finish, after.expected_finish, since=gang.created)
        and is_same_time(None if before.plan is None else before.plan.promised_start, promised)
        and _conditions_agree(before, after, words=False)
    )


def _conditions_agree(before: GangStatus, after: GangStatus, *, words: bool) -> bool:
    return [_told(one, words=words) for one in before.conditions] == [
        _told(one, words=words) for one in after.conditions
    ]


def _told(one: ConditionFact, *, words: bool) -> tuple[object, ...]:
    return one.type, one.status, one.reason, one.observed_generation, one.message if words else ""


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
        return conditions.mark_planned_for_later(gang, decision, now=now, victims=victims, learned=learned)
    return conditions.mark_unplaceable(gang, decision, now=now)


def _outcome(decision: Decision) -> str:
    return decision.reason if isinstance(decision, Unplaceable) else Reason.STARTS_LATER


def _event_for(decision: Decision, note: str) -> Event:
    if isinstance(decision, Placement):
        return events.gang_starts_later(note)
    if decision.hold is not None:
        return events.gang_holds_nodes(note)
    return events.gang_unplaceable(note)
