"""Why gangs wait: a status for each decision that starts nothing, when it says something new and not too often."""

import math
from dataclasses import replace

from coschedule.cluster.decision import Decision, Placement, Unplaceable
from coschedule.cluster.snapshot import GangKey
from lockstep.facts import ConditionFact, GangFact, GangStatus
from lockstep.names import Condition, Reason
from lockstep.report import conditions, events
from lockstep.report.metrics import Metrics
from lockstep.report.reporter import Reporter
from lockstep.state import State

# Numbers in an explanation move with every pod that ends; a new reason is told at once, new numbers only so often.
_SAME_REASON_PAUSE_SECONDS = 10.0
# A status keeps whole seconds, and a plan made again from the same facts may differ by a rounding.
_SAME_TIME_SECONDS = 1.0


class Explainer:
    """Tells the owners of waiting gangs what the plan says of them."""

    def __init__(self, state: State, reporter: Reporter, metrics: Metrics) -> None:
        self._state = state
        self._reporter = reporter
        self._metrics = metrics
        self._told_at: dict[GangKey, float] = {}

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._told_at.pop(gang, None)

    def explain(self, gang: GangFact, decision: Decision, now: float) -> float:
        """Write the decision to the gang's status if that is news.

        Returns when to look again, infinity where there is no need.
        """
        status = _status_for(gang, decision, now)
        if self._reporter.is_writing(gang.key) or says_the_same(gang.status, status):
            return math.inf
        before, after = gang.status.condition(Condition.PLANNED), status.condition(Condition.PLANNED)
        is_new_reason = (
            before is None or after is None or (before.status, before.reason) != (after.status, after.reason)
        )
        next_telling = self._told_at.get(gang.key, -math.inf) + _SAME_REASON_PAUSE_SECONDS
        if not is_new_reason and now < next_telling:
            return next_telling
        self._told_at[gang.key] = now
        event = _event_for(decision, after.message if after else "") if is_new_reason else None
        outcome = decision.reason if isinstance(decision, Unplaceable) else Reason.STARTS_LATER
        self._reporter.report(gang, status, event, written=self._metrics.decisions.labels(outcome).inc)
        return math.inf


def says_the_same(before: GangStatus, after: GangStatus) -> bool:
    """Whether a reader would learn nothing: equal but for roundings, and words that depend on when they are said."""
    if before.condition(Condition.PLANNED) is None:
        return False
    if after.start is None:
        return before == replace(after, conditions=before.conditions) and _conditions_agree(before, after, words=True)
    return (
        (before.size, before.members, before.attempt) == (after.size, after.members, after.attempt)
        and _same_time(before.start, after.start)
        and _same_time(before.expected_finish, after.expected_finish)
        and _conditions_agree(before, after, words=False)
    )


def _conditions_agree(before: GangStatus, after: GangStatus, *, words: bool) -> bool:
    return [_told(one, words=words) for one in before.conditions] == [
        _told(one, words=words) for one in after.conditions
    ]


def _told(one: ConditionFact, *, words: bool) -> tuple[object, ...]:
    return one.type, one.status, one.reason, one.observed_generation, one.message if words else ""


def _same_time(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _SAME_TIME_SECONDS


def _status_for(gang: GangFact, decision: Decision, now: float) -> GangStatus:
    if isinstance(decision, Placement):
        return conditions.planned_for_later(gang, decision, now=now)
    return conditions.unplaceable(gang, decision, now=now)


def _event_for(decision: Decision, note: str) -> events.Event:
    if isinstance(decision, Placement):
        return events.gang_starts_later(note)
    return events.gang_unplaceable(note)
