"""The best start and size for one gang whose members have more to do the faster their nodes are.

Objective: minimise start + the run time on the fastest places that last until the gang would finish, over all instants
at which places appear and all sizes.

Theorem: with fewer places no run ends earlier. So from one start, first grant every place there is; drop those that do
not last until the finish found, and look again: no finish on the way is later than the best one, and the first that all
its places outlast is the best.

Method: instants in the order of a lower bound on their finish, until the next bound is worse than the best found. Each
costs as many looks as losses matter to it, one or two as a rule. The bound grants an instant all places that outlast
the shortest run, at the fastest slow-down of each of some ranges, and looks at sizes range by range too.
"""

from typing import NamedTuple, Protocol

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.candidates import Candidate, Considered, Outlook

_MOST_RANGES = 16
"""Bounds tell at most so many ranges of slow-downs and of sizes apart: more of them cost more than they save."""


class Run(NamedTuple):
    """The best size on given places, and the seconds it runs."""

    seconds: float
    size: int


class UnequalLoad(Protocol):
    """A load whose run time depends on all the places it gets."""

    @property
    def sizes(self) -> IntArray:
        """The sizes that may run, rising: int[p]."""

    def runs_at(self, slowdown: float) -> FloatArray:
        """Seconds that each size runs when all its members have this slow-down: float[p]."""

    def least_runs(self, first: IntArray, speed: FloatArray) -> FloatArray:
        """Bound the run of the sizes from index ``first[s]`` to the next ``first``: they have ``speed[s, k]`` at most.

        float[s, k]; every speed is above 0.
        """

    def shortest_run(self, slowdowns: FloatArray, held: IntArray) -> Run | None:
        """Choose the size with the shortest run, then the fewest members; None when no size fits.

        ``held[t]`` places are no slower than ``slowdowns[t]``, which rise.
        """


def earliest_finish(outlook: Outlook, load: UnequalLoad, *, among: IntArray, limit: float) -> Candidate | None:
    """Find the best candidate that starts at one of the instants ``among``, rising, and ends by ``limit``."""
    if not (len(outlook.room.slowdowns) and len(load.sizes)):
        return None
    bounds = _bounds(outlook, load)[among]
    order = np.argsort(bounds, kind="stable")
    held = outlook.tally.places(among)
    best: Candidate | None = None
    for index in order.tolist():
        if bounds[index] > limit or bounds[index] == np.inf:
            break
        start = float(outlook.room.instants[among[index]])
        found = _from(outlook, load, start=start, held=held[:, index], soonest=bounds[index], limit=limit)
        if found is not None and (best is None or found < best):
            best, limit = found, found.finish
    return best


def _bounds(outlook: Outlook, load: UnequalLoad) -> FloatArray:
    """Bound from below what can be had at every instant, inf where no size fits."""
    slowdowns, sizes = outlook.room.slowdowns, load.sizes
    ranges = min(_MOST_RANGES, len(slowdowns))
    fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
    held = outlook.tally.outlasting(float(load.runs_at(float(slowdowns[0])).min()), ranges=ranges)
    first = np.arange(min(_MOST_RANGES, len(sizes))) * len(sizes) // min(_MOST_RANGES, len(sizes))
    largest = sizes[np.append(first[1:], len(sizes)) - 1]
    # The speed of the P fastest places: each of them counts as fast as the slowest, and more the faster it is.
    faster = -np.diff(1 / fastest, append=0)
    speed = np.einsum("rsk,r->sk", np.minimum(held[:, np.newaxis], largest[:, np.newaxis]), faster)
    fits = held[-1] >= sizes[first][:, np.newaxis]
    runs = np.where(fits, load.least_runs(first, np.where(fits, speed, 1)), np.inf)
    # Sums are rounded: what is bounded must not seem longer than it is.
    bounds: FloatArray = outlook.room.instants + runs.min(axis=0) * (1 - 1e-12)
    return bounds


def _from(
    outlook: Outlook, load: UnequalLoad, *, start: float, held: IntArray, soonest: float, limit: float
) -> Candidate | None:
    """Find the best candidate of one start, which ends no sooner than ``soonest``.

    At the start, ``held[t]`` places are no slower than each pace.
    """
    lost = outlook.losses.lost_by_pace(start, soonest, paces=len(held))
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
