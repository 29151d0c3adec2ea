"""Gangs that may give up members, gangs that wait, and whether such members leave enough seats for a waiting gang."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.gangs import RESOLUTION_SECONDS, GangKey, PendingGang
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import SeatKind
from coschedule.resizing.open_ended.idle_nodes import free_by
from coschedule.resizing.seats import members_that_fit

# At most this number of members of one role is counted on a node.
_MOST_SEATS = 1_000_000


def soon(now: float, givers: Sequence[OpenEndedRun]) -> float:
    """Return the time at which the room that these gangs give up is free."""
    return now + max(run.grace for run in givers) + RESOLUTION_SECONDS


class Waiter(NamedTuple):
    """A gang that waits, and when it starts if no gang shrinks."""

    gang: PendingGang
    start: float

    def gains_from(self, run: OpenEndedRun, now: float) -> bool:
        """Return whether a run may shrink for this gang.

        The run must not be more urgent. The gang must be able to start now. If no gang shrinks, the gang must wait for
        longer than a change takes.
        """
        may_start = self.gang.not_before <= now < self.start - max(run.terms.restart_time, run.grace)
        return may_start and run.priority <= self.gang.priority


def spare_members(run: OpenEndedRun) -> int:
    """Return how many members a gang can give up."""
    return 0 if run.asked is not None else run.size - least_members(run)


def least_members(run: OpenEndedRun) -> int:
    """Return the smallest size to which a gang may shrink."""
    return int(run.sizes.between(min(run.least, run.size), run.size)[0])


def given_up(snapshot: Snapshot, run: OpenEndedRun) -> list[int]:
    """Return the last of ``seats_to_keep``: those that a gang gives up if it shrinks as far as it may."""
    return run.seats_to_keep(snapshot.slowdown, snapshot.until)[least_members(run) :]


def with_equal_parts(runs: Sequence[OpenEndedRun], waiting: int) -> list[OpenEndedRun]:
    """Return the runs, where measured gangs may shrink further: to an equal part of the seats that they hold.

    The seats of measured gangs with equal seats are divided by the number of these gangs plus ``waiting``, the number
    of waiting gangs. As in the share auction, a newcomer takes from gangs whose loss is known [C 5.7.3].
    """
    measured = [run for run in runs if run.is_measured]
    held, count = Counter[SeatKind](), Counter[SeatKind](run.seat for run in measured)
    for run in measured:
        held[run.seat] += run.size
    parts = {seat: max(1, held[seat] // (count[seat] + waiting)) for seat in held}
    return [replace(run, least=min(run.least, parts[run.seat])) if run.is_measured else run for run in runs]


class SeatCounts:
    """Counts the seats for a waiting gang if the first of the ``able`` gangs shrink to their smallest size."""

    def __init__(self, snapshot: Snapshot, able: Sequence[OpenEndedRun]) -> None:
        self._snapshot = snapshot
        self._able = able
        self._feasibility = Feasibility(snapshot.nodes)
        self._free = free_by(snapshot, soon(snapshot.now, able))
        self._counts: dict[tuple[SeatKind, tuple[GangKey, ...]], int] = {}

    def are_enough(self, waiter: Waiter, count: int) -> bool:
        """Return whether each role has seats for its fewest members if the first ``count`` gangs shrink for it.

        A gang among these that may not shrink for the waiting gang keeps its size.
        """
        givers = [run for run in self._able[:count] if waiter.gains_from(run, self._snapshot.now)]
        return all(
            self._count(SeatKind(role.constraints, role.request), givers) >= role.sizes.least
            for role in waiter.gang.roles
        )

    def _count(self, seat: SeatKind, givers: Sequence[OpenEndedRun]) -> int:
        key = seat, tuple(run.key for run in givers)
        if key not in self._counts:
            free = self._free.copy()
            for run in givers:
                np.add.at(free, given_up(self._snapshot, run), run.request)
            self._counts[key] = self._room(seat, free)
        return self._counts[key]

    def _room(self, seat: SeatKind, free: IntArray) -> int:
        is_usable = self._feasibility.mask(seat.constraints) & (self._snapshot.start <= self._snapshot.now)
        room = members_that_fit(free[is_usable], np.array(seat.request, dtype=np.int64), most=_MOST_SEATS)
        return int(room.sum())
