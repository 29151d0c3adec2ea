"""What an answer says of the gangs of all namespaces together: numbers only, and coarse times."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import Decision, GangKey, Placement, RunningGang
from lockstep.facts.gang.keys import is_room

STEP_MINUTES = 5
"""Times of others are multiples of it."""

_STEP_SECONDS = 60.0 * STEP_MINUTES
_MOST_TIMES = 8


class Freed(NamedTuple):
    """So many entries of nodes become free within so many minutes, and not within two steps less."""

    within_minutes: int
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherGangs:
    """The gangs of all namespaces, the asker's own among them. A node counts once for each gang that holds it.

    ``waiting`` gangs are planned, ``running`` hold nodes and have ``members``. On ``lasting`` nodes they give no end.
    """

    waiting: int
    running: int
    members: int
    freed: tuple[Freed, ...]
    lasting: int


class Ahead(NamedTuple):
    """How many gangs are planned before a gang, and how many members they get."""

    gangs: int
    members: int


def others_of(decisions: Sequence[Decision], running: Iterable[RunningGang], now: float) -> OtherGangs:
    """Count the gangs of a plan, and those that run."""
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
    """Minutes within which a time comes, in whole steps; 0 if it has come.

    Both are rounded to steps of the clock. A difference that is rounded would change at the exact time, so users could
    find it out by asking again.
    """
    if time <= now:
        return 0
    return STEP_MINUTES * (math.ceil(time / _STEP_SECONDS) - math.floor(now / _STEP_SECONDS))


def ahead_of(decisions: Sequence[Decision], gang: GangKey) -> Ahead:
    """Count what is planned before a gang of the plan."""
    keys = [one.gang for one in decisions]
    before = [one for one in decisions[: keys.index(gang)] if not is_room(one.gang)]
    return Ahead(len(before), sum(one.size for one in before if isinstance(one, Placement)))
