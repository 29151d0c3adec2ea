"""What a gang was told before this process planned it: its promise, and the plan that goes on from there."""

import math
from collections.abc import Mapping, Sequence

from coschedule import Kept, Role, kept_from
from lockstep.belief.past_runs import factor_planned_with
from lockstep.facts.gang import GangFact
from lockstep.facts.outlook import Outlook
from lockstep.facts.past_runs import Learned
from lockstep.facts.reasons import Condition


def promised_start(gang: GangFact) -> float:
    """By when the gang was told that it starts; inf where it was told nothing, or asks for something else now."""
    told = _told(gang)
    return math.inf if told is None or told.promised_start is None else told.promised_start


def kept_plan(
    gang: GangFact, roles: Sequence[Role], nodes: Mapping[str, int], learned: Learned | None = None
) -> Kept | None:
    """The placement that the gang was told of, on ``nodes`` by name; None where it stands no more.

    Its run takes as long as is known by what was ``learned`` now.
    """
    status = gang.status
    if _told(gang) is None or status.start is None or not status.members:
        return None
    finish = math.inf if status.expected_finish is None else status.expected_finish
    if not finish > status.start:
        return None
    times = (1.0 if learned is None else learned.times) / factor_planned_with(status)
    finish = status.start + (finish - status.start) * times
    return kept_from(status.members, [role.name for role in roles], nodes, start=status.start, finish=finish)


def _told(gang: GangFact) -> Outlook | None:
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.status != "True" or planned.observed_generation != gang.generation:
        return None
    return gang.status.plan
