"""Conservative backfilling (D. G. Feitelson and A. M. Weil, 1998): nobody who waits is ever delayed by anybody behind.

Each gang is promised its first planned start. When something has changed, gangs are planned anew in their order, and
the plan before is kept where that would delay somebody.
"""

from collections.abc import Sequence

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned
from coschedule.queue.promises.renewal import Renewal


def plan_conservative(planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
    """Plan gangs of one priority, which are in their order."""
    return Renewal(weights=(0.0,), slack=0.0).plan(planner, gangs)
