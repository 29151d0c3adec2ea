"""Equal load: the best start, pace and size for one gang in its room [A 3], over places that come and go.

Objective: minimise start + e * T(P), e being the largest slow-down used, over all instants at which places appear, all
slow-downs and all sizes; a place counts only if it lasts until the gang would finish.

Method: an instant is bounded from below by granting it every place that outlasts the shortest run. Instants are taken
in the order of their bounds, some at a time, until the next bound is worse than the best choice found. The pairs of
such an instant and a slow-down are bounded by the places of that instant that outlast the shortest run at that
slow-down, and evaluated in that order, some at a time: one matrix over pairs and sizes. Where every node has a speed of
its own, there are thousands of pairs; few of them are left then.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.candidates import Candidate, Considered, Outlook

_MOST_RANGES = 16
"""Bounds of instants tell at most so many ranges of slow-downs apart: more of them cost more than they save."""

_AT_ONCE = 16
"""So many instants, or pairs, are looked at together: most of the time of a small matrix goes into calling numpy."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EqualLoad:
    """``sizes[p]`` members, rising, run ``times[p]`` seconds on idle reference nodes."""

    sizes: IntArray
    times: FloatArray

    def where(self, kept: BoolArray) -> Self:
        """Keep the sizes that ``kept``, bool[p], says."""
        return type(self)(sizes=self.sizes[kept], times=self.times[kept])

    def runs_at(self, slowdown: float) -> FloatArray:
        """Seconds that each size runs when all its members have this slow-down: float[p]."""
        return slowdown * self.times

    def earliest_finish(self, outlook: Outlook, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate that starts at one of the instants ``among``, rising, and ends by ``limit``."""
        if not (len(outlook.room.slowdowns) and len(self.sizes) and len(among)):
            return None
        search = _Search(outlook, self, limit)
        if len(among) <= _AT_ONCE:
            search.look_at(among)
            return search.best
        bounds = self._bounds(outlook)
        possible = among[(bounds[among] <= limit) & (bounds[among] < np.inf)]
        order = possible[np.argsort(bounds[possible], kind="stable")]
        for first in range(0, len(order), _AT_ONCE):
            if bounds[order[first]] > search.limit:
                break
            search.look_at(np.sort(order[first : first + _AT_ONCE]))
        return search.best

    def up_to(self, most: int) -> tuple[IntArray, FloatArray]:
        """List the sizes that are at most ``most``, and their times."""
        kept = int(np.searchsorted(self.sizes, most, side="right"))
        return self.sizes[:kept], self.times[:kept]

    def least_times(self, places: IntArray) -> FloatArray:
        """Look up the least time of any size that so many places could hold, inf where none."""
        shortest = np.append(np.inf, np.minimum.accumulate(self.times))
        times: FloatArray = shortest[np.searchsorted(self.sizes, places, side="right")]
        return times

    def _bounds(self, outlook: Outlook) -> FloatArray:
        """Bound from below what can be had at every instant, inf where no size fits."""
        slowdowns = outlook.room.slowdowns
        ranges = min(_MOST_RANGES, len(slowdowns))
        fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
        places = outlook.tally.outlasting(float(fastest[0] * self.times.min()), ranges=ranges)
        least = (fastest[:, np.newaxis] * self.least_times(places)).min(axis=0)
        bounds: FloatArray = outlook.room.instants + least
        return bounds


@dataclass(slots=True, eq=False)
class _Search:
    """The best candidate found so far, and the finish that the next one must not exceed."""

    outlook: Outlook
    load: EqualLoad
    limit: float
    best: Candidate | None = None

    def look_at(self, among: IntArray) -> None:
        """Look at every pair of an instant of ``among``, rising, and a slow-down that could be better than the best."""
        room = self.outlook.room
        places = self.outlook.tally.places(among)
        least = self.load.least_times(places - self._lost_soon(among))
        bounds = (room.instants[among] + room.slowdowns[:, np.newaxis] * least).ravel()
        possible = np.flatnonzero((bounds <= self.limit) & (bounds < np.inf))
        if len(possible) > _AT_ONCE:
            # What the lowest bounds find leaves little of the others to be sorted.
            lowest = np.argpartition(bounds[possible], _AT_ONCE)[:_AT_ONCE]
            self._look_at_pairs(possible[lowest], bounds, among, places)
            possible = np.delete(possible, lowest)
            possible = possible[bounds[possible] <= self.limit]
        self._look_at_pairs(possible, bounds, among, places)

    def _look_at_pairs(self, possible: IntArray, bounds: FloatArray, among: IntArray, places: IntArray) -> None:
        """Evaluate pairs in the order of their bounds, as long as these do not exceed the limit."""
        instants = self.outlook.room.instants[among]
        order = possible[np.argsort(bounds[possible], kind="stable")]
        for first in range(0, len(order), _AT_ONCE):
            pairs = order[first : first + _AT_ONCE]
            pairs = pairs[bounds[pairs] <= self.limit]
            if not pairs.size:
                break
            paces, columns = np.divmod(pairs, len(among))
            self._evaluate(instants[columns], paces, places[paces, columns])

    def _lost_soon(self, among: IntArray) -> IntArray:
        """Count the places no slower than each pace that not even the shortest run at that pace keeps: int[t, k]."""
        shortest = self.outlook.room.slowdowns * self.load.times.min()
        starts = self.outlook.room.instants[among].tolist()
        return np.stack([self.outlook.losses.lost_soon(start, start + shortest) for start in starts], axis=1)

    def _evaluate(self, starts: FloatArray, paces: IntArray, places: IntArray) -> None:
        """Evaluate every size for pairs ``q``, of which ``places[q]`` places are no slower than ``paces[q]``."""
        sizes, times = self.load.up_to(int(places.max()))
        slowdowns, at = self.outlook.room.slowdowns[paces], starts[:, np.newaxis]
        # A run that is too short for the resolution of time still takes an instant.
        finishes = np.maximum(at + slowdowns[:, np.newaxis] * times, np.nextafter(at, np.inf))
        lasting = places[:, np.newaxis] - self.outlook.losses.lost(starts, paces, finishes)
        finishes = np.where(lasting >= sizes, finishes, np.inf)
        self.outlook.consider(Considered(starts, slowdowns, sizes, finishes))
        least = float(finishes.min())
        if least > self.limit or least == np.inf:
            return
        for pair, size in np.argwhere(finishes == least).tolist():
            found = Candidate(least, int(sizes[size]), float(starts[pair]), int(paces[pair]))
            self.best = found if self.best is None else min(self.best, found)
        self.limit = least
