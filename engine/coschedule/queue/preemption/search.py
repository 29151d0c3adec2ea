"""The search for the cheapest victims for one gang; ``preempt.py`` describes the problem and the method."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.model.numbers import IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.preemption.landing import Landing, PlanningEffort
from coschedule.queue.preemption.room import PlaceCount, free_by, give_back, take_again, without_holdings
from coschedule.queue.preemption.victims import cheapest_first, cost
from coschedule.queue.preemption.worlds import left_of
from coschedule.queue.problem.decisions import Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import Snapshot

MOST_EXACT = 10
"""The most candidates of which each set is tried: 1,023 sets."""

Victims = tuple[RunningGang, ...]


class Landed(NamedTuple):
    """The victims for a gang, and the planner that has checked them."""

    landing: Landing
    victims: Victims


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Below:
    """The running gangs below some priority.

    ``by`` is when all of them would have ended if they were evicted now. ``free``, int[n, r], is what is free by then
    if none is evicted. ``most_free`` is an upper bound on what is free by then after evictions: ``free`` plus all that
    these gangs use.
    """

    gangs: Victims
    by: float
    free: IntArray
    most_free: IntArray


class VictimSearch:
    """Searches victims for the gangs of one plan."""

    def __init__(self, snapshot: Snapshot, made: Plan, effort: PlanningEffort) -> None:
        self._snapshot = snapshot
        self._made = made
        self._effort = effort
        self._feasibility = Feasibility(snapshot.nodes)
        self._below: dict[int, _Below | None] = {}

    def victims_for(self, gang: PendingGang) -> Landed | None:
        """Find the victims for a gang; None where no eviction helps it."""
        below = self._below_priority(gang.priority)
        if below is None:
            return None
        room = PlaceCount(self._snapshot, gang, self._feasibility, below.free)
        candidates = [one for one in below.gangs if room.concerns(one)] if room.fits(below.most_free) else []
        if not candidates:
            return None
        share = self._effort.half()
        landing = Landing(self._snapshot, self._made, gang, share)
        if len(candidates) <= MOST_EXACT:
            victims = _every_set(candidates, self._snapshot, room, landing)
        else:
            room = self._room_behind(gang, landing, below.by)
            victims = _cheap_set(candidates, self._snapshot, room, landing)
        self._effort.take_back(share)
        return None if victims is None else Landed(landing, victims)

    def _room_behind(self, gang: PendingGang, landing: Landing, by: float) -> PlaceCount:
        """Return the room of a gang after the planned starts of gangs in front of it."""
        world = landing.after_those_in_front(by)
        return PlaceCount(world, gang, self._feasibility, free_by(world, by))

    def _below_priority(self, priority: int) -> _Below | None:
        if priority not in self._below:
            self._below[priority] = self._find_below(priority)
        return self._below[priority]

    def _find_below(self, priority: int) -> _Below | None:
        snapshot = self._snapshot
        gangs = tuple(one for one in snapshot.running if one.priority < priority and _within(snapshot.budgets, [one]))
        if not gangs:
            return None
        by = max(one.gone_by(snapshot.now) for one in gangs)
        free = free_by(snapshot, by)
        return _Below(gangs=gangs, by=by, free=free, most_free=without_holdings(free, gangs))


def _within(budgets: Sequence[int], victims: Sequence[RunningGang]) -> bool:
    """Return whether the budgets allow the eviction of all victims."""
    return min(left_of(budgets, victims), default=0) >= 0


def _every_set(
    candidates: Sequence[RunningGang], snapshot: Snapshot, room: PlaceCount, landing: Landing
) -> Victims | None:
    for victims in cheapest_first(candidates, snapshot.now, room.is_enough):
        if room.is_enough(victims) and _within(snapshot.budgets, victims) and landing.is_worth(victims):
            return victims
        if landing.is_given_up:
            break
    return None


def _cheap_set(
    candidates: Sequence[RunningGang], snapshot: Snapshot, room: PlaceCount, landing: Landing
) -> Victims | None:
    """Find a set of which no victim can be spared; a set that is too small is doubled before the next try."""
    now, budgets, free = snapshot.now, snapshot.budgets, room.free.copy()
    chosen: list[RunningGang] = []
    tried_at = 0

    def price(victim: RunningGang) -> tuple[float, float, GangKey]:
        return victim.lost_work(now) / max(1, room.gain(victim)), -victim.queued_since, victim.key

    for candidate in sorted(filter(landing.may_help, candidates), key=price):
        left = left_of(budgets, [candidate])
        if min(left, default=0) < 0:
            continue
        budgets = left
        chosen.append(candidate)
        for node, request in candidate.holds:
            give_back(free, node, request)
        if len(chosen) >= 2 * tried_at and room.fits(free):
            victims = _worth_it(chosen, now, room, free, landing)
            if victims is not None or landing.is_given_up:
                return victims
            tried_at = len(chosen)
    return _worth_it(chosen, now, room, free, landing) if len(chosen) > tried_at and room.fits(free) else None


def _worth_it(
    chosen: Sequence[RunningGang], now: float, room: PlaceCount, free: IntArray, landing: Landing
) -> Victims | None:
    """Return the victims that are needed of those ``chosen``, which leave enough room; None if it is not worth it."""
    needed = _needed_for_room(chosen, now, room, free)
    if needed and landing.is_worth(needed):
        return needed
    return _spared(chosen, now, landing.is_worth) if landing.is_worth(chosen) else None


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
