"""Who waits, until when and behind whom, as statuses say it. A user who may see GangJobs may see the queue.

Each status is as old as its last write, so the place in it is one of an earlier plan. Where all gangs of a
moment are known, places are counted anew among them, so that none is there twice, and none is missing.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from coschedule import GangKey
from lockstep.belief.gangs.phases import phase_of
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.reasons import Condition

_NOT_YET = "It has not been planned yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """A gang that waits. ``behind`` says for whom or for what.

    Only one that has a place, now or later, has a ``position`` (1 starts first, of all namespaces), a ``size``, and is
    likely to start at ``start``; ``latest`` is by when it does, as far as that is promised or known.
    """

    gang: GangKey
    behind: str
    position: int | None = None
    size: int | None = None
    start: float | None = None
    latest: float | None = None


def queue_of(gangs: Iterable[GangFact], now: float, *, are_all: bool) -> list[Queued]:
    """Those of the gangs that wait at that time: by position, then, without a place, by age.

    Unless these ``are_all`` gangs of all namespaces at one moment, positions are those that statuses have.
    """
    waiting = [gang for gang in gangs if _waits(gang, now)]
    queued = [_queued(gang) for gang in waiting]
    ages = {gang.key: gang.created for gang in waiting}
    placed = _counted(queued) if are_all else queued
    return sorted(placed, key=lambda one: (one.position or math.inf, ages[one.gang], one.gang))


def _counted(queued: Sequence[Queued]) -> list[Queued]:
    """The same gangs with places among themselves; those that are likely to start together share one."""
    starts = sorted(one.start for one in queued if one.start is not None)
    return [one if one.start is None else replace(one, position=1 + bisect_left(starts, one.start)) for one in queued]


def _waits(gang: GangFact, now: float) -> bool:
    """Whether the gang is to be planned, as far as its status tells."""
    accepted = gang.status.condition(Condition.ACCEPTED)
    phase = phase_of(
        gang,
        is_reserved=reserved_in_status(gang) is not None,
        refusal=gang.refusal,
        is_resting=(gang.status.restart_at or 0.0) > now,
    )
    return phase.is_planned and (accepted is None or accepted.status != "False")


def _queued(gang: GangFact) -> Queued:
    planned, outlook = gang.status.condition(Condition.PLANNED), gang.status.plan
    if planned is None or planned.status != "True" or outlook is None:
        return Queued(gang=gang.key, behind=planned.message if planned and planned.message else _NOT_YET)
    return Queued(
        gang=gang.key,
        behind=outlook.waits_for or planned.message,
        position=outlook.position,
        size=outlook.size,
        start=outlook.likely_start,
        latest=_latest(outlook),
    )


def _latest(outlook: StartEstimate) -> float | None:
    return outlook.late_start if outlook.promised_start is None else outlook.promised_start
