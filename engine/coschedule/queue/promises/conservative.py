"""Conservative backfilling (D. G. Feitelson and A. M. Weil, 1998): no waiting gang is ever delayed by gangs behind it.

Each gang is promised its first planned start. After a change, gangs are planned again in their order. The previous plan
is kept if it breaks fewer promises.
"""

from collections.abc import Sequence

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned
from coschedule.queue.promises.renewal import Renewal


def plan_conservative(planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
    """Plan gangs of one priority, given in the order of the queue."""
    return Renewal(weights=(0.0,), slack=0.0).plan(planner, gangs)
