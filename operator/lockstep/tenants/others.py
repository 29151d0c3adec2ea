"""Summarizes the gangs of all namespaces in an answer: only numbers, and rounded times."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import Decision, GangKey, Placement, RunningGang
from lockstep.facts.gang.keys import is_room

STEP_MINUTES = 5
"""Times of other gangs are multiples of this number of minutes."""

_STEP_SECONDS = 60.0 * STEP_MINUTES
_MOST_TIMES = 8


class Freed(NamedTuple):
    """Gangs release ``nodes`` nodes within ``within_minutes`` minutes.

    The exact time is less than two steps of ``STEP_MINUTES`` minutes earlier.
    """

    within_minutes: int
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherGangs:
    """The gangs of all namespaces, including the caller's. A node counts once for each gang that holds it.

    ``waiting`` gangs are planned; ``running`` gangs hold nodes and have ``members`` members. ``lasting`` nodes are held
    by gangs without a known end.
    """

    waiting: int
    running: int
    members: int
    freed: tuple[Freed, ...]
    lasting: int


class Ahead(NamedTuple):
    """How many gangs are planned before a gang, and how many members these gangs get."""

    gangs: int
    members: int


def others_of(decisions: Sequence[Decision], running: Iterable[RunningGang], now: float) -> OtherGangs:
    """Count the gangs of a plan and the running gangs."""
    runs = list(running)
    freed = Counter[int]()
    for one in runs:
        if math.isfinite(one.end):
            freed[minutes_until(max(one.end, math.nextafter(now, math.inf)), now)] += len(one.holds)
    return OtherGangs(
        waiting=sum(not is_room(one.gang) for one in decisions),
        running=len(runs),
        members=sum(one.size for one in runs),
        freed=tuple(Freed(minutes, freed[minutes]) for minutes in sorted(freed)[:_MOST_TIMES]),
        lasting=sum(len(one.holds) for one in runs if math.isinf(one.end)),
    )


def minutes_until(time: float, now: float) -> int:
    """The minutes within which a time comes, as a multiple of ``STEP_MINUTES``; 0 if it has come.

    ``time`` and ``now`` are each rounded to steps of the clock. If their difference were rounded instead, it would
    change exactly a whole number of steps before the time. So users could find the exact time by asking repeatedly.
    """
    if time <= now:
        return 0
    return STEP_MINUTES * (math.ceil(time / _STEP_SECONDS) - math.floor(now / _STEP_SECONDS))


def ahead_of(decisions: Sequence[Decision], gang: GangKey) -> Ahead:
    """Count the gangs, and their members, that are planned before a gang of the plan."""
    keys = [one.gang for one in decisions]
    before = [one for one in decisions[: keys.index(gang)] if not is_room(one.gang)]
    return Ahead(len(before), sum(one.size for one in before if isinstance(one, Placement)))
