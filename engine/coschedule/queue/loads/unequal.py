"""The best start and size for a gang whose members get more of the work the faster their nodes are.

Objective: minimise start + the run time on the fastest slots that last until the gang would finish, over all instants
at which slots appear and all sizes.

Theorem: with fewer slots no run ends earlier. So from one start, first grant every slot there is; drop those that do
not last until the finish found, and look again: no finish on the way is later than the best one, and the first that all
its slots outlast is the best.

Method: instants in the order of a lower bound on their finish, until the next bound is worse than the best found. Each
costs as many looks as losses matter to it, one or two as a rule. The bound grants an instant all slots that outlast
the shortest run, at the fastest slow-down of each of some ranges, and looks at sizes range by range too.
"""

from typing import NamedTuple, Protocol

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.candidates import Candidate, Considered, SearchSpace

_MOST_RANGES = 16
"""Bounds tell at most so many ranges of slow-downs and of sizes apart: more of them cost more than they save."""


class Run(NamedTuple):
    """The best size on given slots, and the seconds it runs."""

    seconds: float
    size: int


class UnequalLoad(Protocol):
    """A load whose run time depends on all the slots it gets."""

    @property
    def sizes(self) -> IntArray:
        """The sizes that may run, rising: int[p]."""

    def runs_at(self, slowdown: float) -> FloatArray:
        """Seconds that each size runs when all its members have this slow-down: float[p]."""

    def least_runs(self, first: IntArray, speed: FloatArray) -> FloatArray:
        """Bound from below the seconds that sizes run, range of sizes by range: float[s, k].

        Range s has the sizes from index ``first[s]`` to before ``first[s + 1]``. At instant k their members have the
        speed ``speed[s, k]`` together at most, which is above 0.
        """

    def shortest_run(self, slowdowns: FloatArray, held: IntArray) -> Run | None:
        """Choose the size with the shortest run, then the fewest members; None when no size fits.

        ``held[t]`` slots have the slow-down ``slowdowns[t]``, which rise, or a smaller one.
        """


def earliest_finish(space: SearchSpace, load: UnequalLoad, *, among: IntArray, limit: float) -> Candidate | None:
    """Find the best candidate that starts at one of the instants ``among``, rising, and ends by ``limit``."""
    if not (len(space.open_slots.slowdowns) and len(load.sizes)):
        return None
    bounds = _bounds(space, load)[among]
    order = np.argsort(bounds, kind="stable")
    held = space.counts.at(among)
    best: Candidate | None = None
    for index in order.tolist():
        if bounds[index] > limit or bounds[index] == np.inf:
            break
        start = float(space.open_slots.instants[among[index]])
        found = _from(space, load, start=start, held=held[:, index], soonest=bounds[index], limit=limit)
        if found is not None and (best is None or found < best):
            best, limit = found, found.finish
    return best


def _bounds(space: SearchSpace, load: UnequalLoad) -> FloatArray:
    """Bound from below the finish of every run that starts at each instant, inf where no size fits: float[k]."""
    slowdowns, sizes = space.open_slots.slowdowns, load.sizes
    ranges = min(_MOST_RANGES, len(slowdowns))
    fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
    held = space.counts.outlasting(float(load.runs_at(float(slowdowns[0])).min()), ranges=ranges)
    first = np.arange(min(_MOST_RANGES, len(sizes))) * len(sizes) // min(_MOST_RANGES, len(sizes))
    largest = sizes[np.append(first[1:], len(sizes)) - 1]
    # The speed of the P fastest slots: each of them counts as fast as the slowest, and more the faster it is.
    faster = -np.diff(1 / fastest, append=0)
    speed = np.einsum("rsk,r->sk", np.minimum(held[:, np.newaxis], largest[:, np.newaxis]), faster)
    fits = held[-1] >= sizes[first][:, np.newaxis]
    runs = np.where(fits, load.least_runs(first, np.where(fits, speed, 1)), np.inf)
    # Sums are rounded: what is bounded must not seem longer than it is.
    bounds: FloatArray = space.open_slots.instants + runs.min(axis=0) * (1 - 1e-12)
    return bounds


def _from(
    space: SearchSpace, load: UnequalLoad, *, start: float, held: IntArray, soonest: float, limit: float
) -> Candidate | None:
    """Find the best candidate of one start; the caller knows that it ends no earlier than ``soonest``.

    At the start, ``held[t]`` slots are as fast as pace t or faster.
    """
    lost = space.losses.lost_by_pace(start, soonest, paces=len(held))
    while True:
        run = load.shortest_run(space.open_slots.slowdowns, held - lost)
        if run is None:
            return None
        # A run that is too short for the resolution of time still takes an instant.
        finish = max(start + run.seconds, float(np.nextafter(start, np.inf)))
        lost_by_then = space.losses.lost_by_pace(start, finish, paces=len(held))
        pace = int(np.searchsorted(held - lost, run.size))
        _tell(space, start, run.size, finish, pace, lasts=bool((lost_by_then == lost).all()))
        if finish > limit:
            return None
        if (lost_by_then == lost).all():
            return Candidate(finish, run.size, start, pace)
        lost = lost_by_then


def _tell(space: SearchSpace, start: float, size: int, finish: float, pace: int, *, lasts: bool) -> None:
    space.consider(
        Considered(
            start=np.array([start]),
            slowdown=space.open_slots.slowdowns[[pace]],
            size=np.array([size]),
            finish=np.array([[finish if lasts else np.inf]]),
        )
    )
