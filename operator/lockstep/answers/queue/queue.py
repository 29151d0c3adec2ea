"""The waiting gangs, from their statuses: users who may read GangJobs may see the queue.

Statuses are written at different times, so the positions in them may be from different plans. A position may then be
missing, or occur twice. If all gangs are read at one time, their positions are counted anew.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from coschedule import GangKey
from lockstep.belief.gangs.age import in_queue_since
from lockstep.belief.gangs.phases import Phase, phase_of
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.reasons import Condition

_NOT_YET = "It has not been planned yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """A waiting gang. ``behind`` says what it waits for. ``sweep`` is the sweep of which it is a run, if any.

    The other fields are set if the gang has a placement, now or later. ``position`` counts the gangs of all namespaces,
    and the gang at 1 starts first. ``start`` is the likely start. ``latest`` is the latest start, if it is promised or
    known.
    """

    gang: GangKey
    behind: str
    sweep: GangKey | None = None
    position: int | None = None
    size: int | None = None
    start: float | None = None
    latest: float | None = None


def queue_of(gangs: Iterable[GangFact], now: float, *, are_all: bool) -> list[Queued]:
    """The waiting gangs among these, by position; gangs without a position follow by age.

    If ``are_all`` is set, these are all gangs of all namespaces at one time, and positions are counted among them.
    Otherwise positions are from statuses.
    """
    waiting = [gang for gang in gangs if _waits(gang, now)]
    queued = [_queued(gang) for gang in waiting]
    ages = {gang.key: (in_queue_since(gang, now), gang.created) for gang in waiting}
    placed = _counted(queued) if are_all else queued
    return sorted(placed, key=lambda one: (one.position or math.inf, ages[one.gang], one.gang))


def _counted(queued: Sequence[Queued]) -> list[Queued]:
    """The gangs with new positions, which count only these gangs.

    Gangs that are likely to start together have the same position.
    """
    starts = sorted(one.start for one in queued if one.start is not None)
    return [one if one.start is None else replace(one, position=1 + bisect_left(starts, one.start)) for one in queued]


def _waits(gang: GangFact, now: float) -> bool:
    """Whether the gang's status says that it waits for a plan or for other gangs."""
    accepted = gang.status.condition(Condition.ACCEPTED)
    phase = phase_of(
        gang,
        is_reserved=reserved_in_status(gang) is not None,
        refusal=gang.refusal,
        is_resting=gang.restarts_at(now) is not None,
    )
    is_waiting = phase.is_planned or phase is Phase.AWAITS_OTHERS
    return is_waiting and (accepted is None or accepted.status != "False")


def _queued(gang: GangFact) -> Queued:
    sweep = None if gang.run is None else gang.run.sweep
    planned, estimate = gang.status.condition(Condition.PLANNED), gang.status.plan
    if planned is None or estimate is None or not (planned.status == "True" or gang.unmet):
        behind = planned.message if planned and planned.message else _NOT_YET
        return Queued(gang=gang.key, behind=behind, sweep=sweep)
    return Queued(
        gang=gang.key,
        sweep=sweep,
        behind=estimate.waits_for or planned.message,
        position=estimate.position,
        size=estimate.size,
        start=estimate.likely_start,
        latest=_latest(estimate),
    )


def _latest(estimate: StartEstimate) -> float | None:
    return estimate.late_start if estimate.promised_start is None else estimate.promised_start
