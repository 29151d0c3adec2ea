"""The work that a gang still has to do: what its spec says, less the part that a member has said is done."""

import math
from dataclasses import replace

from coschedule import SerialWork, TimesWork, Work
from lockstep.facts.gang import GangFact

# Who says that all is done, and runs again, has something left to do.
_LEAST_REST = 1 / 1024


def remaining_work(gang: GangFact) -> Work | None:
    """The work as the next attempt has it; overheads are paid again. ``None`` where its run time is not known."""
    work = None if gang.spec is None else gang.spec.work
    if work is None or not gang.status.progress:
        return work
    rest = max(1.0 - float(gang.status.progress), _LEAST_REST)
    if isinstance(work, SerialWork):
        return replace(work, serial=float(work.serial) * rest)
    return TimesWork(times=tuple(time if time == math.inf else float(time) * rest for time in work.times))
