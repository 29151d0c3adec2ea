"""Several roles, equal load: the best start, slow-down and mix of members.

Objective: minimise the value (``queue.problem.price``) of runs of e * T(P) seconds. P is the number of members with a
load, e the largest slow-down among their nodes. Choose among all instants, slow-downs and mixes for which all members
fit on nodes that stay free until the finish. If values are equal, fewer members are better, then an earlier start. With
a deadline, fewer members come first (``roles.run_preferences``).

Method: search instants in the order of a bound (``roles.bounds``), until the next bound is worse than the best run
found. From an instant, take slow-downs in the order of a bound too, some at a time. Try pairs of slow-down and mix, the
best first. If nodes have no room for a mix up to its finish, they have none up to a later finish, nor for larger mixes.
Fewer nodes have none either. So each failure rules out many pairs. A pair is first tested by a bound, then by all ways
to seat its members.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.packing.places import Seats
from coschedule.queue.roles.bounds import MixBounds
from coschedule.queue.roles.rooms import ClassRoom
from coschedule.queue.roles.run_preferences import PossibleRuns, Rank, Wish
from coschedule.queue.roles.search import Found, PartySearch, Short
from coschedule.queue.search.finishes import finish_of, finishes_of

_AT_ONCE = 16
"""The number of slow-downs that are tried together: a matrix with thousands of them would need too much memory."""


class _Hit(NamedTuple):
    """A run with its ``rank`` (``run_preferences``). If ranks are equal, the run with the lesser pace is better."""

    rank: Rank
    pace: int
    found: Found


def best_equal(search: PartySearch, wish: Wish, *, among: FloatArray) -> Found | None:
    """Find the best run for a wish that starts at one of the instants ``among``, rising."""
    if not (wish.mixes.any() and len(search.timeline.slowdowns) and len(among)):
        return None
    rank_bounds = wish.from_instants(MixBounds.of(search, among, _shortest(search, wish)))
    best: _Hit | None = None
    for index in rank_bounds.order.tolist():
        if search.effort.is_over or (best is not None and not rank_bounds.may_reach(index, best.rank)):
            break
        best = _best_from(search, wish, float(among[index]), best)
    return None if best is None else best.found


def any_equal(search: PartySearch, wish: Wish, *, among: FloatArray) -> Found | None:
    """Find the first run with the fewest members that a wish allows, on nodes of any speed."""
    if not (wish.mixes.any() and len(search.timeline.slowdowns) and len(among)):
        return None
    mix, slowest = int(np.argmax(wish.mixes)), len(search.timeline.slowdowns) - 1
    may_fit = MixBounds.of(search, among, float(search.party.times[mix])).may_fit(mix)
    for start in among[may_fit].tolist():
        finish = finish_of(start, float(search.timeline.slowdowns[slowest] * search.party.times[mix]))
        outline = search.outline(mix, start, finish)
        if search.effort.is_over or outline.value > wish.limit:
            break
        room = search.room(start, finish)
        if search.may_fit_anywhere(room) > mix:
            seats = search.seats(mix, room, slowest)
            if not isinstance(seats, Short):
                return Found(outline, seats)
    return None


def _shortest(search: PartySearch, wish: Wish) -> float:
    return float(search.party.times[wish.mixes].min())


def _best_from(search: PartySearch, wish: Wish, start: float, best: _Hit | None) -> _Hit | None:
    """Return the best run from an instant, or ``best`` if that is no worse."""
    slowdowns = search.timeline.slowdowns
    shortest = float(slowdowns[0]) * _shortest(search, wish)
    most = search.may_fit(search.room(start, finish_of(start, shortest)))
    rank_bounds = wish.on_nodes(search.party, start, slowdowns, most)
    order = rank_bounds.order
    for first in range(0, len(order), _AT_ONCE):
        paces = order[first : first + _AT_ONCE]
        paces = paces if best is None else paces[[rank_bounds.may_reach(pace, best.rank) for pace in paces.tolist()]]
        if search.effort.is_over or not paces.size:
            break
        wanted = wish if best is None else wish.no_worse(search.party, best.found.outline)
        hit = _Rows.of(search, wanted, start, np.sort(paces), most).best()
        if hit is not None and (best is None or hit[:2] < best[:2]):
            best = hit
    return best


@dataclass(slots=True, eq=False)
class _Rows:
    """Runs from one instant on nodes up to some ``paces``, which rise: row ``t`` of the ``pairs`` is of paces[t]."""

    search: PartySearch
    wish: Wish
    start: float
    paces: IntArray
    pairs: PossibleRuns

    @classmethod
    def of(cls, search: PartySearch, wish: Wish, start: float, paces: IntArray, most: IntArray) -> Self:
        """Return the pairs that bounds allow: the first most[t] mixes may fit on nodes up to pace t."""
        party = search.party
        finish = finishes_of(start, search.timeline.slowdowns[paces, np.newaxis] * party.times)
        value = party.price.value(start, finish, party.sizes)
        may_fit = np.arange(len(party.needs)) < most[paces, np.newaxis]
        is_open = may_fit & (value <= wish.limit) & wish.mixes
        return cls(search=search, wish=wish, start=start, paces=paces, pairs=PossibleRuns(is_open, finish, value))

    def best(self) -> _Hit | None:
        """Return the best run of the pairs; None if no pair fits, or when the effort is over."""
        is_open, finish, _ = self.pairs
        while is_open.any() and not self.search.effort.is_over:
            self.search.effort.spend(is_open.size)
            row, mix = self.wish.best(self.pairs)
            end = float(finish[row, mix])
            room = self.search.room(self.start, end)
            most = self.search.may_fit(room)[self.paces, np.newaxis]
            is_open &= (np.arange(is_open.shape[1]) < most) | (finish < end)
            if is_open[row, mix]:
                seats = self._seats(row, mix, room)
                if not isinstance(seats, Short):
                    outline = self.search.outline(mix, self.start, end)
                    return _Hit(self.wish.rank(outline), int(self.paces[row]), Found(outline, seats))
                self._rule_out(row, mix, seats)
        return None

    def _seats(self, row: int, mix: int, room: ClassRoom) -> tuple[Seats, ...] | Short:
        pace = int(self.paces[row])
        seats = self.search.seats(mix, room, pace)
        fits = not isinstance(seats, Short)
        self.search.report(self.start, mix, pace, float(self.pairs.finish[row, mix]) if fits else np.inf)
        return seats

    def _rule_out(self, row: int, mix: int, short: Short) -> None:
        """After a mix did not fit at a row, rule out pairs that cannot fit either.

        Such pairs use the same or fewer nodes, end no earlier, and have a mix that is ``no_easier``.
        """
        is_open, finish, _ = self.pairs
        worse = self.search.party.no_easier(mix, short.most)
        is_open[: row + 1] &= (finish[: row + 1] < finish[row, mix]) | ~worse
