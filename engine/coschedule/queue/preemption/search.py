"""The search for the cheapest victims for one gang; ``preempt.py`` describes the problem and the method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.model.numbers import IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.preemption.landing import Landing, PlanningEffort
from coschedule.queue.preemption.room import PlaceCount, free_by, without_holdings
from coschedule.queue.preemption.sets import SetSearch, Victims, are_within
from coschedule.queue.preemption.shrinking import ShrinkingGang, shrinks_of
from coschedule.queue.problem.decisions import Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import Snapshot


class Landed(NamedTuple):
    """The victims for a gang, and the planner that has checked them."""

    landing: Landing
    victims: Victims


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Below:
    """The running gangs below some priority, each in the way in which it gives up most.

    A gang that budgets protect from an eviction may still shrink. ``by`` is when all of them would have ended if they
    were evicted now. ``free``, int[n, r], is what is free by then if none is evicted. ``most_free`` is an upper bound
    on what is free by then after evictions: ``free`` plus all that these gangs use.
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
        self._ways: dict[GangKey, Sequence[RunningGang]] = {}

    def victims_for(self, gang: PendingGang) -> Landed | None:
        """Find the victims for a gang; None where no gang that gives way helps it."""
        below = self._below_priority(gang.priority)
        if below is None:
            return None
        room = PlaceCount(self._snapshot, gang, self._feasibility, below.free)
        candidates = [one for one in below.gangs if room.concerns(one)] if room.fits(below.most_free) else []
        if not candidates:
            return None
        share = self._effort.half()
        landing = Landing(self._snapshot, self._made, gang, share)
        search = SetSearch(self._snapshot, landing, room, lambda: self._room_behind(gang, landing, below.by))
        victims = search.evictions([one for one in candidates if not isinstance(one, ShrinkingGang)])
        if any(one.whole.smaller for one in candidates):
            victims = search.shrinks([self._ways_of(one.whole) for one in candidates], victims)
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
        lower = (one for one in snapshot.running if one.priority < priority)
        gangs = tuple(way for one in lower if (way := self._widest_way(one)) is not None)
        if not gangs:
            return None
        by = max(one.gone_by(snapshot.now) for one in gangs)
        free = free_by(snapshot, by)
        return _Below(gangs=gangs, by=by, free=free, most_free=without_holdings(free, gangs))

    def _widest_way(self, gang: RunningGang) -> RunningGang | None:
        """Return how a gang may give up most within the budgets; None where they protect it."""
        if are_within(self._snapshot.budgets, [gang]):
            return gang
        return max(self._ways_of(gang), key=lambda way: way.going, default=None)

    def _ways_of(self, gang: RunningGang) -> Sequence[RunningGang]:
        """Return the ways in which a gang may give way within the budgets."""
        if gang.key not in self._ways:
            ways = (gang, *shrinks_of(gang))
            self._ways[gang.key] = [way for way in ways if are_within(self._snapshot.budgets, [way])]
        return self._ways[gang.key]
