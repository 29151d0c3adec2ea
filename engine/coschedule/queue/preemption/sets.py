"""Tries sets of victims for one gang; ``preempt.py`` describes the problem and the method."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from coschedule.model.numbers import IntArray
from coschedule.queue.preemption.landing import Landing
from coschedule.queue.preemption.may_give_way import TakingBounds
from coschedule.queue.preemption.room import PlaceCount, give_back, take_again
from coschedule.queue.preemption.shrinking import ShrinkingGang, widest
from coschedule.queue.preemption.victims import Cost, cheapest_first, cost
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import Snapshot

MOST_EXACT = 10
"""The most candidates for which all sets are tried: they have 1,023 sets."""
MOST_SETS = 1_023
"""If some candidates may shrink and there are more sets than this, not all sets are tried."""

Victims = tuple[RunningGang, ...]
Ways = Sequence[Sequence[RunningGang]]
"""The ways in which each of some gangs may give way: by an eviction, or at smaller sizes, from the smallest on."""


class SetSearch(NamedTuple):
    """Searches a set of victims within ``bounds`` for one gang.

    ``room`` counts the room for the gang. ``room_behind`` counts its room after the starts of gangs in front.
    """

    snapshot: Snapshot
    bounds: TakingBounds
    landing: Landing
    room: PlaceCount
    room_behind: Callable[[], PlaceCount]

    def evictions(self, candidates: Sequence[RunningGang]) -> Victims | None:
        """Return the cheapest set of gangs to evict, exactly for few candidates; None if no set is found."""
        if len(candidates) <= MOST_EXACT:
            return self._first_of(cheapest_first(candidates, self.snapshot.now, self.room.is_enough))
        return _cheap_set(candidates, self.snapshot.now, self.bounds, self.room_behind(), self.landing)

    def shrinks(self, ways: Ways, evicted: Victims | None) -> Victims | None:
        """Return a set in which gangs shrink, with or without evictions, if it is cheaper than ``evicted``.

        Otherwise return ``evicted``. If there are few sets, the result is the cheapest set.
        """
        now = self.snapshot.now
        limit = None if evicted is None else cost(evicted, now)
        if math.prod(1 + len(of_gang) for of_gang in ways) - 1 <= MOST_SETS:
            every = list(chain.from_iterable(ways))
            found = self._first_of(cheapest_first(every, now, lambda some: self.room.is_enough(widest(some))), limit)
        else:
            found = self._few_of_many(ways)
        return found if found and (limit is None or cost(found, now) < limit) else evicted

    def _first_of(self, sets: Iterator[Victims], limit: Cost | None = None) -> Victims | None:
        """Return the first of these sets that helps; sets that cost ``limit`` or more are not tried."""
        for victims in sets:
            if limit is not None and cost(victims, self.snapshot.now) >= limit:
                break
            if self._is_possible(victims) and self.landing.is_worth(victims):
                return victims
            if self.landing.is_given_up:
                break
        return None

    def _is_possible(self, victims: Sequence[RunningGang]) -> bool:
        return self.room.is_enough(victims) and self.bounds.allow(victims)

    def _few_of_many(self, ways: Ways) -> Victims | None:
        """Return a set that helps, or None.

        At first, gangs are evicted or shrink as far as they may. Then each shrinks no further than needed.
        """
        extremes = [way for of_gang in ways for way in _extremes(of_gang)]
        found = _cheap_set(extremes, self.snapshot.now, self.bounds, self.room_behind(), self.landing)
        if found is None:
            return None
        by_gang = {of_gang[0].key: of_gang for of_gang in ways}
        for victim in found:
            if isinstance(victim, ShrinkingGang):
                found = self._with_less_of(victim, found, by_gang[victim.key])
        return found

    def _with_less_of(self, victim: ShrinkingGang, victims: Victims, ways: Sequence[RunningGang]) -> Victims:
        others = [one for one in victims if one is not victim]
        for way in sorted(ways, key=lambda one: one.going):
            less = (*others, way)
            if way.going < victim.going and self._is_possible(less) and self.landing.is_worth(less):
                return less
        return victims


def _extremes(ways: Sequence[RunningGang]) -> Iterator[RunningGang]:
    """List the eviction of a gang, and the way in which it shrinks most."""
    yield from (way for way in ways if not isinstance(way, ShrinkingGang))
    yield from widest(way for way in ways if isinstance(way, ShrinkingGang))


class _Chosen:
    """Victims that are chosen one by one within bounds, and the resources that are ``free`` after they have left."""

    def __init__(self, bounds: TakingBounds, free: IntArray) -> None:
        self.victims = dict[GangKey, RunningGang]()
        self.free = free.copy()
        self._bounds = bounds
        self._left = bounds.limits

    def take(self, victim: RunningGang) -> bool:
        """Choose a victim; return whether it was chosen.

        If its gang was already chosen in a way that gives up less, the victim replaces that way.
        """
        less = self.victims.get(victim.key)
        if less is not None and less.going >= victim.going:
            return False
        others = [one for one in self.victims.values() if one is not less] if less is not None else []
        bounds = self._bounds
        left = bounds.left(self._left, [victim]) if less is None else bounds.left(bounds.limits, [*others, victim])
        if min(left, default=0) < 0:
            return False
        if less is not None:
            take_again(self.free, less)
        for node, request in victim.holds:
            give_back(self.free, node, request)
        self._left = left
        self.victims[victim.key] = victim
        return True


def _cheap_set(
    candidates: Sequence[RunningGang], now: float, bounds: TakingBounds, room: PlaceCount, landing: Landing
) -> Victims | None:
    """Return a set in which each victim is needed, or None.

    Candidates are added to the set until it helps. If a try fails, the next try is made with twice as many candidates,
    or with all of them.
    """
    chosen = _Chosen(bounds, room.free)
    taken = tried_at = 0

    for candidate in _best_value_first([one for one in candidates if landing.may_help(one)], now, room):
        if not chosen.take(candidate):
            continue
        taken += 1
        if taken >= 2 * tried_at and room.fits(chosen.free):
            victims = _worth_it(chosen, now, room, landing)
            if victims is not None or landing.is_given_up:
                return victims
            tried_at = taken
    return _worth_it(chosen, now, room, landing) if taken > tried_at and room.fits(chosen.free) else None


def _best_value_first(candidates: Sequence[RunningGang], now: float, room: PlaceCount) -> list[RunningGang]:
    """Sort candidates by the work that is lost for each member that gets room, the least first."""
    priced = [
        (victim.lost_work(now) / max(1, gain), -victim.queued_since, victim.key, victim.going)
        for victim, gain in zip(candidates, room.gains(candidates), strict=True)
    ]
    return [candidates[place] for place in sorted(range(len(priced)), key=priced.__getitem__)]


def _worth_it(chosen: _Chosen, now: float, room: PlaceCount, landing: Landing) -> Victims | None:
    """Return the needed victims of a set that leaves enough room; None if even the whole set is not worth it."""
    victims = list(chosen.victims.values())
    needed = _needed_for_room(victims, now, room, chosen.free)
    if needed and landing.is_worth(needed):
        return needed
    return _spared(victims, now, landing.is_worth) if landing.is_worth(victims) else None


def _needed_for_room(chosen: Sequence[RunningGang], now: float, room: PlaceCount, free: IntArray) -> Victims:
    free = free.copy()

    def fits_without(victim: RunningGang) -> bool:
        without = free.copy()
        take_again(without, victim)
        if not room.fits(without):
            return False
        take_again(free, victim)
        return True

    return tuple(victim for victim in _dearest_first(chosen, now) if not fits_without(victim))


def _spared(victims: Sequence[RunningGang], now: float, is_enough: Callable[[Sequence[RunningGang]], bool]) -> Victims:
    """Return a sufficient set without the victims that are not needed; the most expensive are spared first."""
    kept = list(victims)
    for victim in _dearest_first(victims, now):
        others = [one for one in kept if one is not victim]
        if others and is_enough(others):
            kept = others
    return tuple(kept)


def _dearest_first(victims: Sequence[RunningGang], now: float) -> list[RunningGang]:
    return sorted(victims, key=lambda victim: cost([victim], now), reverse=True)
