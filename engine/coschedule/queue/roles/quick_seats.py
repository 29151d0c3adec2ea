"""Seats for several pools that are found at once. They are good, and the best where pools do not compete for nodes.

Method: nodes are taken from the fastest on. Each step seats a member of one pool: the pool that would end last if all
of its waiting members had the speed of its next node. Members without a load come last. No member is moved again. So
better seats may exist, and seats may exist even if none are found here.
"""

from dataclasses import dataclass, field

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.packing.places import Seats
from coschedule.queue.problem.pools import PiecePool
from coschedule.queue.roles.rooms import ClassRoom
from coschedule.queue.roles.search import PartySearch

_STEPS_A_MEMBER = 1_000
"""The cost of seating one member, in steps of ``Effort``."""


def quick_seats(search: PartySearch, mix: int, room: ClassRoom) -> tuple[Seats, ...] | None:
    """Seat a mix; None where no seats are found, and always for gangs with terms."""
    if search.party.terms:
        return None
    needs = search.party.needs[mix].tolist()
    search.effort.spend(len(needs) * len(search.timeline.node) + _STEPS_A_MEMBER * sum(needs))
    seating = _Seating.of(search, room)
    waiting = [_Waiting(pool, needs[pool.role], seating) for pool in search.party.pools]
    while any(one.left for one in waiting):
        if not max((one for one in waiting if one.left), key=lambda one: one.end).seat_next():
            return None
    for role in np.flatnonzero(~search.party.works).tolist():
        if not all(seating.take(role) for _ in range(needs[role])):
            return None
    return tuple(Seats(rank, counts) for rank, counts in seating.counts.items() if counts.any())


@dataclass(slots=True, eq=False)
class _Seating:
    """Members on nodes, by rank: ``counts[rank]`` of each role, and the amounts ``free[rank]`` that are left there.

    ``ahead[role]`` are the nodes that may have room for another member of a role, the fastest last.
    """

    search: PartySearch
    room: ClassRoom
    ahead: list[list[int]]
    counts: dict[int, IntArray] = field(default_factory=dict)
    free: dict[int, IntArray] = field(default_factory=dict)

    @classmethod
    def of(cls, search: PartySearch, room: ClassRoom) -> "_Seating":
        """Return nodes without members, which have the free amounts of a room."""
        has_slots = search.slots(room)[search.timeline.class_of] > 0
        return cls(search, room, [np.flatnonzero(of_role)[::-1].tolist() for of_role in has_slots.T])

    def next_slowdown(self, role: int) -> float:
        """Return the slow-down of the next node that may have room for a member of a role; there must be one."""
        timeline = self.search.timeline
        return float(timeline.slowdowns[timeline.pace[timeline.class_of[self.ahead[role][-1]]]])

    def take(self, role: int) -> bool:
        """Seat a member of a role on the next node that has room; return whether there is such a node."""
        ahead = self.ahead[role]
        while ahead and not self._has_room(ahead[-1], role):
            ahead.pop()
        if ahead:
            self.counts[ahead[-1]][role] += 1
            self.free[ahead[-1]] -= self.search.requests[role]
        return bool(ahead)

    def _has_room(self, rank: int, role: int) -> bool:
        one = int(self.search.timeline.class_of[rank])
        if rank not in self.free:
            self.free[rank] = self.room.free[one].copy()
            self.counts[rank] = np.zeros(len(self.search.party.works), dtype=np.int64)
        is_below = self.counts[rank][role] < self.search.most[one, role]
        return bool(is_below and (self.search.requests[role] <= self.free[rank]).all())


@dataclass(slots=True, eq=False)
class _Waiting:
    """The members of a pool that are not yet seated. Together, the seated ones do ``speed`` units in a unit of time."""

    pool: PiecePool
    left: int
    seating: _Seating
    speed: float = 0.0

    @property
    def end(self) -> float:
        """The units after which the pool would end if all waiting members had the speed of the next node with room."""
        return self.pool.units / (self.speed + self.left / self.seating.next_slowdown(self.pool.role))

    def seat_next(self) -> bool:
        """Seat one more member; return whether there was room."""
        if not self.seating.take(self.pool.role):
            return False
        self.left -= 1
        self.speed += 1 / self.seating.next_slowdown(self.pool.role)
        return True
