"""Who waits, until when and behind whom, as statuses say it: whoever may see GangJobs may see the queue."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from coschedule import GangKey
from lockstep.belief.phases import phase_of
from lockstep.belief.reservation import reserved_in_status
from lockstep.facts.gang import GangFact
from lockstep.facts.outlook import Outlook
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


def queue_of(gangs: Iterable[GangFact], now: float) -> list[Queued]:
    """Those of the gangs that wait at that time: by position, then, without a place, by age."""
    waiting = [gang for gang in gangs if _waits(gang, now)]
    queued = {gang.key: _queued(gang) for gang in waiting}
    ages = {gang.key: gang.created for gang in waiting}
    return sorted(queued.values(), key=lambda one: (one.position or math.inf, ages[one.gang], one.gang))


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


def _latest(outlook: Outlook) -> float | None:
    return outlook.late_start if outlook.promised_start is None else outlook.promised_start
