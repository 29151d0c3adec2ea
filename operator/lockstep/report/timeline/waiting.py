"""The waiting gangs without a bar in the picture, and why they wait."""

from collections.abc import Iterable

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition
from lockstep.report.timeline.bars import Bar
from lockstep.report.timeline.facts import TimelineFacts

_NOTHING_YET = "It has not been planned yet."


def waiting(facts: TimelineFacts, bars: Iterable[Bar]) -> list[GangFact]:
    """The waiting gangs without a bar, in the order of the plan. Gangs that are not in the plan follow, by name."""
    shown = {bar.gang for bar in bars}
    decided = (decision.gang for decision in facts.decisions)
    names = dict.fromkeys((*decided, *sorted(facts.gangs)))
    return [facts.gangs[name] for name in names if name not in shown and facts.waits(name)]


def says(gang: GangFact) -> str:
    """The sentence in the gang's status that describes its state."""
    end = gang.status.end
    if end is not None:
        return end.message
    accepted, planned = gang.status.condition(Condition.ACCEPTED), gang.status.condition(Condition.PLANNED)
    if accepted is not None and accepted.status == "False":
        return accepted.message
    return _NOTHING_YET if planned is None else planned.message
