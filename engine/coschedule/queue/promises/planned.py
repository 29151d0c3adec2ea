"""The plan of the gangs of one priority."""

import math
from dataclasses import replace
from typing import NamedTuple

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import PendingGang


class Planned(NamedTuple):
    """The planner after these decisions, which are in the order in which they were made."""

    planner: Planner
    decisions: list[Decision]


def with_promise(decision: Decision, gang: PendingGang, *, slack: float) -> Decision:
    """Add the promise that the gang already has, or a new one if it has none or is planned for later than promised.

    A new promise is ``slack`` run times after the start. A gang of unknown end gets a new promise only without slack.
    """
    if not isinstance(decision, Placement):
        return decision
    promised = gang.promised
    if gang.is_late_at(decision.start) or math.isinf(promised):
        promised = decision.start + (slack * (decision.finish - decision.start) if slack else 0.0)
    if promised == decision.promised or math.isinf(promised):
        return decision
    return replace(decision, promised=promised)
