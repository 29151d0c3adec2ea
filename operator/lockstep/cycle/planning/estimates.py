"""Estimates for gangs too far back in the queue to be planned exactly: how many are in front, and a rough start.

The estimate divides the work in front, in member-seconds, by the rate at which the exact plan does its work. This takes
constant time for each gang. Results are rounded coarsely, so that they stay the same for a while.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from coschedule import Decision, GangKey, Placement, Unplaceable
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.past_runs import Learned
from lockstep.report.text.operator_refusals import BehindInQueue

_STEPS = (1, 2, 5)
_FINEST_SECONDS = 60.0
_FURTHEST_SECONDS = 10 * 365 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pace:
    """The pace of the exact plan: from the time ``since`` on, it does ``rate`` member-seconds per second.

    ``usual`` is the mean work of a gang, in member-seconds.
    """

    since: float
    rate: float
    usual: float


def estimates(
    gangs: Sequence[GangFact],
    rest: Sequence[GangFact],
    planned: Sequence[Decision],
    now: float,
    learned: Callable[[GangFact], Learned | None],
) -> list[Unplaceable]:
    """Estimate the start of each gang in ``rest``, from the decisions ``planned`` about gangs in front of them.

    ``gangs`` has all gangs in queue order, also those in ``rest``. ``learned`` returns the learned run times of a gang.
    """
    position = {gang.key: number for number, gang in enumerate(gangs)}
    pace = _pace([one for one in planned if isinstance(one, Placement)])
    usual = 0.0 if pace is None else pace.usual
    before = accumulate((_work(gang, learned(gang), usual) for gang in rest), initial=0.0)
    return [
        _behind(gang.key, position[gang.key], None if pace is None else pace.since + work / pace.rate, now)
        for gang, work in zip(rest, before, strict=False)
    ]


def _pace(placements: Sequence[Placement]) -> _Pace | None:
    ending = [one for one in placements if one.finish < math.inf]
    if not ending:
        return None
    work = sum(one.size * (one.finish - one.start) for one in ending)
    # The seconds from the first start to the last finish. They are constant while the plan stays the same.
    seconds = max(one.finish for one in ending) - min(one.start for one in ending)
    return _Pace(since=max(one.start for one in ending), rate=work / seconds, usual=work / len(ending))


def _work(gang: GangFact, learned: Learned | None, usual: float) -> float:
    """The member-seconds of a gang at its smallest size; ``usual`` if unknown."""
    work = remaining_work(gang, learned)
    if not isinstance(gang, AcceptedGang) or work is None:
        return usual
    seconds = float(work.float_times(gang.spec.least_working)[-1])
    return gang.spec.minimum * seconds if seconds < math.inf else usual


def _behind(gang: GangKey, in_front: int, start: float | None, now: float) -> Unplaceable:
    starts_by = None if start is None or start - now >= _FURTHEST_SECONDS else coarse_time(start, now)
    return Unplaceable(gang=gang, refusal=BehindInQueue(in_front=coarsely(in_front), starts_by=starts_by))


def coarsely(count: int) -> int:
    """The largest of 1, 2, 5, 10, 20, 50 … that is at most ``count``; 1 if ``count`` is below 1."""
    power = int(10.0 ** int(math.log10(max(count, 1))))
    return max(step * power for step in _STEPS if step * power <= max(count, 1))


def coarse_time(time: float, now: float) -> float:
    """Round a time up to a multiple of 1, 2, 4, 8 … minutes.

    The step is the largest of these that is at most a quarter of the time from ``now`` to ``time``, or else one minute.
    """
    quarter = max((time - now) / 4, _FINEST_SECONDS)
    grid = _FINEST_SECONDS * 2.0 ** int(math.log2(quarter / _FINEST_SECONDS))
    return math.ceil(time / grid) * grid
