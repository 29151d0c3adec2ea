"""Promises with slack: waiting gangs are promised their planned start plus a third of their run time.

The slack lets the queue be planned again after each change, short gangs before long ones. A gang may then be planned
for later than before, but not for later than its promise. Gangs are ordered by submission plus some run times, so gangs
that wait long move to the front.

If gangs give way to a waiting gang, it is promised to start when they have left. Otherwise shorter gangs would take
their room, and still more gangs would have to give way.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned, with_promise
from coschedule.queue.promises.renewal import Renewal

SLACK = 1 / 3
"""The slack of a promise after the planned start, as a part of the run time."""


def plan_with_slack(planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
    """Plan gangs of one priority, given in the order of the queue."""
    bound = [_bound(gang, planner.now) for gang in gangs]
    planned = Renewal(weights=(1.0, 4.0), slack=SLACK).plan(planner, bound)
    own = {gang.key: gang for gang in gangs}
    return planned._replace(decisions=[_with_own_promise(one, own[one.gang], planner.now) for one in planned.decisions])


def _bound(gang: PendingGang, now: float) -> PendingGang:
    by = gang.starts_after_victims(now)
    return gang.remembering(by, gang.kept, lost_place=gang.lost_place) if by < gang.promised else gang


def _with_own_promise(decision: Decision, gang: PendingGang, now: float) -> Decision:
    """Return the decision; if its start breaks the promise that ``_bound`` made, the decision gets another promise.

    The other promise is ``starts_after_victims``. If the start is later still, ``with_promise`` adds the promise.
    """
    by = gang.starts_after_victims(now)
    if by == math.inf or not isinstance(decision, Placement) or not _bound(gang, now).is_late_at(decision.start):
        return decision
    return replace(decision, promised=by) if decision.start <= by else with_promise(decision, gang, slack=SLACK)
