"""The best start and size for one gang whose members have more to do the faster their nodes are.

Objective: minimise start + the run time on the fastest places that last until the gang would finish, over all instants
at which places appear and all sizes.

Theorem: with fewer places no run ends earlier. So from one start, first grant every place there is; drop those that do
not last until the finish found, and look again: no finish on the way is later than the best one, and the first that all
its places outlast is the best.

Method: instants in the order of a lower bound on their finish, until the next bound is worse than the best found. Each
costs as many looks as losses matter to it, one or two as a rule.
"""

from typing import NamedTuple, Protocol

import numpy as np

from coschedule.cluster.choice import Candidate, Considered, Outlook
from coschedule.numbers import FloatArray, IntArray


class Run(NamedTuple):
    """The best size on given places, and the seconds it runs."""

    seconds: float
    size: int


class UnequalLoad(Protocol):
    """A load whose run time depends on all the places it gets."""

    def least_runs(self, slowdowns: FloatArray, held: IntArray) -> FloatArray:
        """Bound the run time from below, inf where no size fits: float[k].

        ``held[t, k]`` places no slower than ``slowdowns[t]``, rising, are there in case ``k``; some t, some k.
        """

    def shortest_run(self, slowdowns: FloatArray, held: IntArray) -> Run | None:
        """Choose the size with the shortest run, then the fewest members; ``held[t]`` as above."""


def earliest_finish(outlook: Outlook, load: UnequalLoad, *, among: IntArray, limit: float) -> Candidate | None:
    """Find the best candidate that starts at one of the instants ``among``, rising, and ends by ``limit``."""
    room = outlook.room
    if not len(room.slowdowns):
        return None
    held = outlook.tally.places(among)
    bounds = room.instants[among] + load.least_runs(room.slowdowns, held)
    best: Candidate | None = None
    for index in np.argsort(bounds, kind="stable"):
        if bounds[index] > limit or bounds[index] == np.inf:
            break
        found = _from(outlook, load, start=float(room.instants[among[index]]), held=held[:, index], limit=limit)
        if found is not None and (best is None or found < best):
            best, limit = found, found.finish
    return best


def _from(outlook: Outlook, load: UnequalLoad, *, start: float, held: IntArray, limit: float) -> Candidate | None:
    """Find the best candidate of one start at which ``held[t]`` places are no slower than each pace."""
    lost = np.zeros_like(held)
    while True:
        run = load.shortest_run(outlook.room.slowdowns, held - lost)
        if run is None:
            return None
        # A run that is too short for the resolution of time still takes an instant.
        finish = max(start + run.seconds, float(np.nextafter(start, np.inf)))
        lost_by_then = outlook.losses.lost_by_pace(start, finish, paces=len(held))
        pace = int(np.searchsorted(held - lost, run.size))
        _tell(outlook, start, run.size, finish, pace, lasts=bool((lost_by_then == lost).all()))
        if finish > limit:
            return None
        if (lost_by_then == lost).all():
            return Candidate(finish, run.size, start, pace)
        lost = lost_by_then


def _tell(outlook: Outlook, start: float, size: int, finish: float, pace: int, *, lasts: bool) -> None:
    outlook.consider(
        Considered(
            start=np.array([start]),
            slowdown=outlook.room.slowdowns[[pace]],
            size=np.array([size]),
            finish=np.array([[finish if lasts else np.inf]]),
        )
    )
