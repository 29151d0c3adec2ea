"""The best start, pace and size for one gang in its room: equal load [A 3] over places that come and go.

Objective: minimise start + e * T(P), e being the largest slow-down used, over all instants at which places appear, all
slow-downs and all sizes; a place counts only if it lasts until the gang would finish. Ties: fewer members, then earlier
start. (With a price the cost T(P) * (1 + price * P) stands for T(P), and ties go to the earlier finish first.)

Method: an instant is bounded from below by granting it every place that outlasts the shortest run. Instants are taken
in the order of their bounds, some at a time, until the next bound is worse than the best choice found. The pairs of
such an instant and a slow-down are bounded by the places of that instant, and evaluated in that order, some at a time:
one matrix over pairs and sizes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.cluster.losses import Losses, losses_of
from coschedule.cluster.room import Room
from coschedule.cluster.tally import Tally, tally_of
from coschedule.groups.goal import SizeTable
from coschedule.numbers import FloatArray, IntArray

_MOST_RANGES = 16
"""Bounds of instants tell at most so many ranges of slow-downs apart: more of them cost more than they save."""

_AT_ONCE = 16
"""So many instants, or pairs, are looked at together: most of the time of a small matrix goes into calling numpy."""


class Candidate(NamedTuple):
    """One way to run a gang; the lesser tuple is the better one. ``pace`` is an index of the room's slow-downs."""

    value: float
    finish: float
    size: int
    start: float
    pace: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outlook:
    """A room, and what every search in it needs."""

    room: Room
    tally: Tally
    losses: Losses

    @property
    def instants(self) -> IntArray:
        """The indices of all instants of the room."""
        return np.arange(len(self.room.instants))


def outlook_of(room: Room) -> Outlook:
    """Prepare searches in a room."""
    return Outlook(room=room, tally=tally_of(room), losses=losses_of(room))


def earliest_finish(outlook: Outlook, table: SizeTable, *, among: IntArray, limit: float) -> Candidate | None:
    """Find the best candidate that starts at one of the instants ``among`` and whose value is at most ``limit``.

    ``among`` are indices of the room's instants, rising.
    """
    if not (len(outlook.room.slowdowns) and len(table.sizes)):
        return None
    search = _Search(outlook, table, limit)
    if len(among) <= _AT_ONCE:
        search.look_at(among)
        return search.best
    bounds = _bounds(outlook, table)
    possible = among[(bounds[among] <= limit) & (bounds[among] < np.inf)]
    order = possible[np.argsort(bounds[possible], kind="stable")]
    for first in range(0, len(order), _AT_ONCE):
        if bounds[order[first]] > search.limit:
            break
        search.look_at(np.sort(order[first : first + _AT_ONCE]))
    return search.best


def fewest_members(outlook: Outlook, table: SizeTable, *, among: IntArray, deadline: float) -> Candidate | None:
    """Find the candidate with the fewest members whose finish is at most ``deadline``; ties to the earlier finish."""
    if not (len(outlook.room.slowdowns) and len(table.sizes)):
        return None
    possible = table.without_price().where(_soonest_by_size(outlook, table, among) <= deadline)
    for index in range(len(possible.sizes)):
        size = SizeTable(*(column[index : index + 1] for column in possible))
        candidate = earliest_finish(outlook, size, among=among, limit=deadline)
        if candidate is not None:
            return candidate
    return None


def _soonest_by_size(outlook: Outlook, table: SizeTable, among: IntArray) -> FloatArray:
    """Bound every size's finish from below: the fastest run from the first instant that has as many places."""
    shortest = float(outlook.room.slowdowns[0] * table.times.min())
    [places] = outlook.tally.outlasting(shortest, ranges=1)
    first = np.searchsorted(np.maximum.accumulate(places[among]), table.sizes)
    starts = np.append(outlook.room.instants[among], np.inf)[first]
    soonest: FloatArray = starts + outlook.room.slowdowns[0] * table.times
    return soonest


def _bounds(outlook: Outlook, table: SizeTable) -> FloatArray:
    """Bound from below what can be had at every instant, inf where no size fits."""
    slowdowns = outlook.room.slowdowns
    ranges = min(_MOST_RANGES, len(slowdowns))
    fastest = slowdowns[-(-np.arange(ranges) * len(slowdowns) // ranges)]
    places = outlook.tally.outlasting(float(fastest[0] * table.times.min()), ranges=ranges)
    least = (fastest[:, np.newaxis] * _least_costs(table, places)).min(axis=0)
    bounds: FloatArray = outlook.room.instants + least
    return bounds


def _least_costs(table: SizeTable, places: IntArray) -> FloatArray:
    """Look up the least cost of any size that so many places could hold, inf where none."""
    cheapest = np.append(np.inf, np.minimum.accumulate(table.costs))
    costs: FloatArray = cheapest[np.searchsorted(table.sizes, places, side="right")]
    return costs


@dataclass(slots=True, eq=False)
class _Search:
    """The best candidate found so far, and the value that the next one must not exceed."""

    outlook: Outlook
    table: SizeTable
    limit: float
    best: Candidate | None = None

    def look_at(self, among: IntArray) -> None:
        """Look at every pair of an instant of ``among``, rising, and a slow-down that could be better than the best."""
        room = self.outlook.room
        places = self.outlook.tally.places(among)
        bounds = (room.instants[among] + room.slowdowns[:, np.newaxis] * _least_costs(self.table, places)).ravel()
        possible = np.flatnonzero((bounds <= self.limit) & (bounds < np.inf))
        order = possible[np.argsort(bounds[possible], kind="stable")]
        for first in range(0, len(order), _AT_ONCE):
            pairs = order[first : first + _AT_ONCE]
            pairs = pairs[bounds[pairs] <= self.limit]
            if not pairs.size:
                break
            paces, columns = np.divmod(pairs, len(among))
            self._evaluate(room.instants[among[columns]], paces, places[paces, columns])

    def _evaluate(self, starts: FloatArray, paces: IntArray, places: IntArray) -> None:
        """Evaluate every size for pairs ``q``, of which ``places[q]`` places are no slower than ``paces[q]``."""
        sizes, times, costs = self.table.up_to(int(places.max()))
        slowdowns, at = self.outlook.room.slowdowns[paces][:, np.newaxis], starts[:, np.newaxis]
        # A run that is too short for the resolution of time still takes an instant.
        finishes = np.maximum(at + slowdowns * times, np.nextafter(at, np.inf))
        lasting = places[:, np.newaxis] - self.outlook.losses.lost(starts, paces, finishes)
        values = np.where(lasting >= sizes, at + slowdowns * costs, np.inf)
        least = float(values.min())
        if least > self.limit or least == np.inf:
            return
        for pair, size in np.argwhere(values == least).tolist():
            found = Candidate(
                least, float(finishes[pair, size]), int(sizes[size]), float(starts[pair]), int(paces[pair])
            )
            self.best = found if self.best is None else min(self.best, found)
        self.limit = least
