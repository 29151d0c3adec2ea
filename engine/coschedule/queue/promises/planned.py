"""What was planned for gangs of one priority."""

import math
from dataclasses import replace
from typing import NamedTuple

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import PendingGang


class Planned(NamedTuple):
    """The planner after these decisions, which stand in the order in which they were made."""

    planner: Planner
    decisions: list[Decision]


def with_promise(decision: Decision, gang: PendingGang, *, slack: float) -> Decision:
    """Add what the gang is promised: what it was promised already, unless it is planned for later than that.

    To a promise that is new belong ``slack`` run times beyond the start. Nothing is promised to a gang without a known
    end, unless no slack is needed.
    """
    if not isinstance(decision, Placement):
        return decision
    promised = gang.promised
    if gang.is_late_at(decision.start) or math.isinf(promised):
        promised = decision.start + (slack * (decision.finish - decision.start) if slack else 0.0)
    if promised == decision.promised or math.isinf(promised):
        return decision
    return replace(decision, promised=promised)
