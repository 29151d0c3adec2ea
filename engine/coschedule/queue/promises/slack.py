"""Promises with slack: waiting gangs are promised their planned start plus a third of their run time.

The slack lets the queue be planned again after each change, short gangs before long ones. A gang may then be planned
for later than before, but not for later than its promise. Gangs are ordered by submission plus some run times, so gangs
that wait long move to the front.
"""

from collections.abc import Sequence

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned
from coschedule.queue.promises.renewal import Renewal

SLACK = 1 / 3
"""The slack of a promise after the planned start, as a part of the run time."""


def plan_with_slack(planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
    """Plan gangs of one priority, given in the order of the queue."""
    return Renewal(weights=(1.0, 4.0), slack=SLACK).plan(planner, gangs)
