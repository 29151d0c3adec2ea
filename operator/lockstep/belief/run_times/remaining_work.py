"""The work that a gang still has to do, for planning.

This is the work of the spec, at learned run times, without the part that members reported as done.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from coschedule import Members, ProfileWork, SerialWork, TimedSize, WorkFit
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import Learned
from lockstep.facts.ranks import MOST_RANKS

# A gang that reported all of its work as done and runs again has at least this part left.
_LEAST_REST = 1 / 1024


def remaining_work(gang: GangFact, learned: Learned | None = None) -> SerialWork | ProfileWork | None:
    """The work of the next attempt, including its overheads; ``None`` if the run time is unknown.

    All times are multiplied by the ``learned`` factor. So sizes compare as in the spec, or as in the learned law if it
    replaces the spec's work.
    """
    work = gang.spec.work if isinstance(gang, AcceptedGang) else None
    if work is None or (learned is None and not gang.status.done):
        return work
    if learned is not None and learned.law is not None:
        work = _by_law(work, learned.law)
    rest, times = _rest(gang.status), 1.0 if learned is None else learned.times
    if isinstance(work, SerialWork):
        return _multiplied(work, serial=rest * times, overhead=times)
    return ProfileWork(
        points=tuple(TimedSize(point.members, point.seconds * rest * times) for point in work.points),
        law=None if work.law is None else _multiplied(work.law, serial=rest * times, overhead=rest * times),
    )


def factor_at(gang: GangFact, members: Iterable[Members], learned: Learned | None) -> float:
    """The factor by which the stated time of these members is multiplied for planning."""
    if learned is None or learned.law is None or not isinstance(gang, AcceptedGang) or gang.spec.work is None:
        return 1.0 if learned is None else learned.times
    working = gang.spec.working(members)
    if not 1 <= working <= MOST_RANKS:
        # No gang has such a size, so Lockstep has not written the status.
        return learned.times
    stated = float(gang.spec.work.float_times(working)[-1])
    return learned.times * float(learned.law.seconds(np.array([working]))[0]) / stated


def _by_law(work: SerialWork | ProfileWork, law: WorkFit) -> SerialWork | ProfileWork:
    """The learned law in place of the stated work. A profile keeps its sizes, and no other sizes are allowed."""
    if isinstance(work, SerialWork):
        return law.work
    return replace(work, law=law.work)


def _multiplied(work: SerialWork, *, serial: float, overhead: float) -> SerialWork:
    return SerialWork(
        serial=float(work.serial) * serial,
        fixed=float(work.fixed) * overhead,
        per_member=float(work.per_member) * overhead,
        per_log_member=float(work.per_log_member) * overhead,
    )


def _rest(status: GangStatus) -> float:
    return max(1.0 - status.done, _LEAST_REST)
