"""The search for the cheapest victims for one gang; ``preempt.py`` describes the problem and the method."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from coschedule.model.numbers import IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.preemption.landing import Landing, PlanningEffort
from coschedule.queue.preemption.may_give_way import MayGiveWay
from coschedule.queue.preemption.room import PlaceCount, free_by, without_holdings
from coschedule.queue.preemption.sets import SetSearch, Victims
from coschedule.queue.preemption.shrinking import ShrinkingGang
from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.shares.dealing import planning_order
from coschedule.queue.shares.taking_back import ShareClaim, Spare, TakenBack, claim_of


class CheckedVictims(NamedTuple):
    """The cheapest ``victims`` for a gang, those to evict ``instead`` if some shrink, and the ``Landing`` of both."""

    landing: Landing
    victims: Victims
    instead: Victims | None

    @property
    def choices(self) -> Sequence[Victims]:
        """All choices of victims, the cheapest first."""
        return (self.victims,) if self.instead is None else (self.victims, self.instead)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Givers:
    """The running gangs that may give way to some gangs, each in the way in which it gives up most.

    A gang that budgets or shares protect from an eviction may still shrink. ``by`` is the time at which all of these
    gangs would have ended if they were evicted now. ``free``, int[n, r], are the resources that are free by then
    without evictions. ``most_free`` is an upper bound on the resources that are free by then with evictions: ``free``
    and all resources of these gangs.
    """

    may: MayGiveWay
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
        self._givers: dict[tuple[int, tuple[Spare | None, ...]], _Givers | None] = {}

    def victims_for(self, gang: PendingGang) -> CheckedVictims | None:
        """Find the victims for a gang; None if no victims help it.

        If the priority of the gang is not enough, its group may take back resources that other groups have borrowed.
        """
        found = self._among(gang, None)
        claim = self._claim_of(gang) if found is None else None
        return found if claim is None else self._among(gang, claim)

    def _among(self, gang: PendingGang, claim: ShareClaim | None) -> CheckedVictims | None:
        givers = self._givers_to(gang, claim)
        if givers is None:
            return None
        room = PlaceCount(self._snapshot, gang, self._feasibility, givers.free)
        candidates = [one for one in givers.gangs if room.concerns(one)] if room.fits(givers.most_free) else []
        if not candidates:
            return None
        share = self._effort.share(gang.key.namespace)
        landing = Landing(self._snapshot, self._made, gang, share)
        behind = partial(self._room_behind, gang, landing, givers.by)
        search = SetSearch(self._snapshot, givers.may.bounds, landing, room, behind)
        victims = evicted = search.evictions([one for one in candidates if not isinstance(one, ShrinkingGang)])
        if any(one.whole.smaller for one in candidates):
            victims = search.shrinks([givers.may.ways_of(one.whole) for one in candidates], evicted)
        self._effort.take_back(share, gang.key)
        return None if victims is None else CheckedVictims(landing, victims, None if victims is evicted else evicted)

    def _room_behind(self, gang: PendingGang, landing: Landing, by: float) -> PlaceCount:
        """Return the room of a gang after the planned starts of gangs in front of it."""
        world = landing.after_those_in_front(by)
        return PlaceCount(world, gang, self._feasibility, free_by(world, by))

    def _claim_of(self, gang: PendingGang) -> ShareClaim | None:
        shares = self._snapshot.shares
        if len(shares.groups) == 1:
            return None
        return claim_of(shares, gang.key, self._coming, charged=self._charged_in_front[gang.key])

    @cached_property
    def _charged_in_front(self) -> dict[GangKey, float]:
        """For each gang, what this plan charges the gang's group for the gangs in front of it."""
        shares, decisions = self._snapshot.shares, {one.gang: one for one in self._made.decisions}
        charged, in_front = [0.0] * len(shares.groups), dict[GangKey, float]()
        for gang in planning_order(self._snapshot):
            group = shares.group_of(gang.key)
            in_front[gang.key] = charged[group]
            charged[group] += shares.charge(gang, decisions[gang.key])
        return in_front

    @cached_property
    def _coming(self) -> list[TakenBack]:
        """The resources of gangs that start now, or as soon as gangs that already give way to them have left."""
        shares, gangs = self._snapshot.shares, {gang.key: gang for gang in self._snapshot.gangs}
        placed = (one for one in self._made.decisions if isinstance(one, Placement) and one.gang in gangs)
        return [
            TakenBack(one.gang, shares.taken(gangs[one.gang], one))
            for one in placed
            if one.start <= max(self._snapshot.now, gangs[one.gang].awaits)
        ]

    def _givers_to(self, gang: PendingGang, claim: ShareClaim | None) -> _Givers | None:
        key = gang.priority, () if claim is None else claim.spare
        if key not in self._givers:
            self._givers[key] = self._find_givers(gang.priority, claim)
        return self._givers[key]

    def _find_givers(self, priority: int, claim: ShareClaim | None) -> _Givers | None:
        snapshot, may = self._snapshot, MayGiveWay(self._snapshot, priority, claim)
        gangs = tuple(may.widest_ways())
        if not gangs:
            return None
        by = max(one.gone_by(snapshot.now) for one in gangs)
        free = free_by(snapshot, by)
        return _Givers(may=may, gangs=gangs, by=by, free=free, most_free=without_holdings(free, gangs))
