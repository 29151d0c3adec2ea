"""Promises with slack: gangs that wait are promised their planned start and, beyond it, a third of the time they run.

The room in between lets the queue be planned anew whenever something has changed, short gangs before long ones: a gang
may be planned for later than before, but not for later than it was promised. As gangs are ordered by submission plus
some run times, who waits long comes to the front by itself.
"""

from collections.abc import Sequence

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned
from coschedule.queue.promises.renewal import Renewal

SLACK = 1 / 3
"""How far beyond its planned start a gang is promised to start, as a part of its run time."""


def plan_with_slack(planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
    """Plan gangs of one priority, which are in their order."""
    return Renewal(weights=(1.0, 4.0), slack=SLACK).plan(planner, gangs)
