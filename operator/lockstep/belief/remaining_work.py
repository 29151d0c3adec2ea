"""The work that a gang still has to do, for planning.

It is what the spec says, less the part that a member has said is done, at the times that finished runs have shown.
"""

import math

from coschedule import SerialWork, TimesWork, Work
from lockstep.facts.gang import GangFact, GangStatus
from lockstep.facts.past_runs import Learned

# Who says that all is done, and runs again, has something left to do.
_LEAST_REST = 1 / 1024


def remaining_work(gang: GangFact, learned: Learned | None = None) -> Work | None:
    """The work as the next attempt has it; overheads are paid again. ``None`` where its run time is not known.

    All of its times are multiplied by what was ``learned``, so that sizes compare as in the spec.
    """
    work = None if gang.spec is None else gang.spec.work
    if work is None or (learned is None and not gang.status.progress):
        return work
    rest, times = _rest(gang.status), 1.0 if learned is None else learned.times
    if isinstance(work, SerialWork):
        return SerialWork(
            serial=float(work.serial) * rest * times,
            fixed=float(work.fixed) * times,
            per_member=float(work.per_member) * times,
            per_log_member=float(work.per_log_member) * times,
        )
    return TimesWork(times=tuple(time if time == math.inf else float(time) * rest * times for time in work.times))


def _rest(status: GangStatus) -> float:
    return max(1.0 - float(status.progress), _LEAST_REST) if status.progress else 1.0
