"""The fronts of a queue: the gangs that are planned again in other orders."""

import math
from collections.abc import Sequence

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.in_turn import fair_front
from coschedule.queue.shares.dealing import Charged

FRONT = 16
"""The number of gangs that are planned again in each order. In simulations of queues, more gained almost nothing."""

LONG_QUEUE = 500
"""From this many waiting gangs on, half a front is planned again: plans of long queues take longer."""


def fronts_of(gangs: Sequence[PendingGang], weights: Sequence[float], planner: Planner) -> list[Sequence[PendingGang]]:
    """Return the front of each weight: the gangs that are planned again, in order."""
    run_times = [planner.tried(_run_time, gang) or 0.0 for gang in gangs]
    return [_front(gangs, run_times, weight, planner.charged) for weight in weights]


def most_replanned(waiting: int) -> int:
    """Return the most gangs that are planned again if ``waiting`` gangs wait."""
    return FRONT if waiting < LONG_QUEUE else FRONT // 2


def _front(
    gangs: Sequence[PendingGang], run_times: Sequence[float], weight: float, charged: Charged
) -> list[PendingGang]:
    turns = [gang.counts_from + weight * run_time for gang, run_time in zip(gangs, run_times, strict=True)]
    ordered = [gangs[index] for index in sorted(range(len(gangs)), key=turns.__getitem__)]
    most = most_replanned(len(gangs))
    return fair_front(ordered, most, charged) if charged.is_contested(gangs) else ordered[:most]


def _run_time(gang: PendingGang) -> float:
    """Return the seconds that the fewest members of a gang run on idle reference nodes; 0 if that is unknown."""
    if gang.work is None:
        return 0.0
    fewest = sum(role.sizes.least for role in gang.roles if role.load.is_work)
    seconds = gang.work.float_time(fewest)
    return seconds if seconds < math.inf else 0.0
