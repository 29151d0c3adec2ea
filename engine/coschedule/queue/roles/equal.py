"""Several roles, equal load: the best start, slow-down and mix of members.

Objective: minimise the value (``queue.price``) of runs of e * T(P) seconds, e being the largest slow-down among the
nodes of the P members with a load, over all instants, slow-downs and mixes for which all members fit on nodes that stay
free until the finish. Of equal values the fewest members, then the earlier start; where any finish up to a limit will
do, the fewest members first.

Method: instants as they come, until not even the cheapest run on the fastest nodes would be better than the best one
found. From an instant, pairs of a slow-down and a mix are looked at from the best on. What does not fit up to some
time does not fit up to a later one, on fewer nodes or with more members either: so each "no" rules out many pairs,
first by a bound, and where that is not enough by trying all ways to put the members on nodes.
"""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray
from coschedule.queue.finishes import finish_of, finishes_of
from coschedule.queue.roles.search import Found, Search, Short


def best_equal(search: Search, *, among: FloatArray, mixes: BoolArray, limit: float, fewest: bool) -> Found | None:
    """Find the best run that starts at one of the instants ``among``, rising, of a value up to ``limit``.

    ``mixes``, bool[m], may be chosen. The ``fewest`` members are wanted of gangs without a price only.
    """
    party, fastest = search.party, search.timeline.slowdowns[:1]
    if not (mixes.any() and len(fastest)):
        return None
    shortest = float(party.times[mixes].min() * fastest[0])
    cheapest = float((party.times * party.weights)[mixes].min() * fastest[0])
    best: Found | None = None
    for start in among.tolist():
        if party.price.least_value(start, cheapest, party.largest) > limit or search.effort.is_over:
            break
        found = _From.instant(search, start, mixes, limit, shortest).best(fewest=fewest, before=best)
        if found is not None and (best is None or _rank(found, fewest=fewest) < _rank(best, fewest=fewest)):
            best = found
            limit = limit if fewest else found.outline.value
    return best


def any_equal(search: Search, *, among: FloatArray, mixes: BoolArray, limit: float) -> Found | None:
    """Find some run of a value up to ``limit``: the first with the fewest members, on nodes however slow."""
    party, slowest = search.party, len(search.timeline.slowdowns) - 1
    for mix in np.flatnonzero(mixes)[:1].tolist():
        for start in among.tolist():
            run = float(search.timeline.slowdowns[slowest] * party.times[mix])
            finish = finish_of(start, run)
            outline = search.outline(mix, start, finish)
            room = search.room(start, finish)
            if outline.value > limit or search.effort.is_over or not search.may_fit(room)[slowest, mix]:
                continue
            seats = search.seats(mix, room, slowest)
            if not isinstance(seats, Short):
                return Found(outline, seats)
    return None


def _rank(found: Found, *, fewest: bool) -> tuple[float, ...]:
    value, size, _, _ = found.outline
    return (size, value) if fewest else (value, size)


@dataclass(slots=True, eq=False)
class _From:
    """Runs from one instant: of pace t and mix m, those that are still ``open[t, m]`` would end at finish[t, m]."""

    search: Search
    start: float
    finish: FloatArray
    value: FloatArray
    open: BoolArray

    @classmethod
    def instant(cls, search: Search, start: float, mixes: BoolArray, limit: float, shortest: float) -> "_From":
        """Bound the runs from an instant by what stays free for the shortest one."""
        runs = search.timeline.slowdowns[:, np.newaxis] * search.party.times
        finish = finishes_of(start, runs)
        value = search.party.price.value(start, finish, search.party.sizes)
        fits = search.may_fit(search.room(start, finish_of(start, shortest)))
        return cls(search=search, start=start, finish=finish, value=value, open=fits & (value <= limit) & mixes)

    def best(self, *, fewest: bool, before: Found | None) -> Found | None:
        """Find the best run; none that has more members than the one found before, where the fewest are wanted."""
        if fewest and before is not None:
            self.open &= self.search.party.sizes <= before.outline.size
        while self.open.any() and not self.search.effort.is_over:
            pace, mix = self._next(fewest=fewest)
            finish = float(self.finish[pace, mix])
            room = self.search.room(self.start, finish)
            self.open &= self.search.may_fit(room) | (self.finish < finish)
            if not self.open[pace, mix]:
                continue
            seats = self.search.seats(mix, room, pace)
            fits = not isinstance(seats, Short)
            self.search.tell(self.start, mix, pace, finish if fits else np.inf)
            if isinstance(seats, Short):
                self._rule_out(pace, mix, finish, seats)
            else:
                return Found(self.search.outline(mix, self.start, finish), seats)
        return None

    def _next(self, *, fewest: bool) -> tuple[int, int]:
        if fewest:
            mix = int(np.argmax(self.open.any(axis=0)))
            return int(np.argmin(np.where(self.open[:, mix], self.finish[:, mix], np.inf))), mix
        values = np.where(self.open, self.value, np.inf)
        mix = int(np.argmin(values.min(axis=0)))
        return int(np.argmin(values[:, mix])), mix

    def _rule_out(self, pace: int, mix: int, finish: float, short: Short) -> None:
        """Rule out runs that end no earlier, on no other nodes, with as many members as did not fit."""
        worse = self.search.party.no_easier(mix, short.most)
        self.open[: pace + 1] &= (self.finish[: pace + 1] < finish) | ~worse
