"""Groups of gangs whose members can take each other's seats, and the turns that they take if there are many."""

import math
from collections.abc import Sequence
from typing import TypeVar

from coschedule.resizing.gangs.sized_run import SeatKind, SizedRun

MOST_GROUPS = 32
"""The most groups of gangs that may change their size in one plan; the free room of all nodes is read for each."""
TURN_SECONDS = 60.0
"""After this time it is the turn of other groups, and of other gangs of a group, if there are more of them."""

R = TypeVar("R", bound=SizedRun)
T = TypeVar("T")


def grouped(runs: Sequence[R]) -> Sequence[tuple[SeatKind, Sequence[R]]]:
    """Return groups of runs with the same seats: the group with most members first, then the one with the first key."""
    groups: dict[SeatKind, list[R]] = {}
    for run in sorted(runs, key=lambda run: run.key):
        groups.setdefault(run.seat, []).append(run)
    return sorted(groups.items(), key=lambda group: -sum(run.size for run in group[1]))


def in_turn(those: Sequence[T], now: float, most: int) -> list[T]:
    """Return ``most`` of the items, or all if they are fewer. After each ``TURN_SECONDS`` it is the turn of others."""
    if len(those) <= most:
        return list(those)
    first = int(now // TURN_SECONDS) * most % len(those)
    return [*those, *those][first : first + most]


def next_turn(those: Sequence[object], now: float, most: int) -> float:
    """Return when it is the turn of other items, inf for never."""
    return (now // TURN_SECONDS + 1) * TURN_SECONDS if len(those) > most else math.inf
