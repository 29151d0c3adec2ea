"""How much room a set of victims would leave a gang at most, whatever gangs in front of it take of that.

A necessary condition that is cheap to ask, and that only a larger set can meet where a smaller one does not. Each role
is asked for alone: what its members take from one another's room is left to the plan.
"""

from collections.abc import Iterable

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.constraints.feasibility import Feasibility
from coschedule.queue.gangs import PendingGang, Role
from coschedule.queue.running import RunningGang
from coschedule.queue.snapshot import AMOUNT_LIMIT, Snapshot


class Room:
    """Counts the places that a gang would find by a time, on nodes that pass its constraints."""

    def __init__(self, snapshot: Snapshot, gang: PendingGang, feasibility: Feasibility, *, by: float) -> None:
        offered = snapshot.until > snapshot.now
        self._roles = [_RoleRoom(role, offered & feasibility.mask(role.constraints)) for role in gang.roles]
        self._free = snapshot.free.copy()
        for release in snapshot.releases:
            if release.time <= by:
                _give_back(self._free, release.node, release.request)

    def concerns(self, victim: RunningGang) -> bool:
        """Whether the victim holds anything that the gang could use."""
        return any(role.concerns(victim) for role in self._roles)

    def is_enough(self, victims: Iterable[RunningGang]) -> bool:
        """Whether the gang could fit if all of these were gone, and nobody in front of it took anything."""
        free = self._without(victims)
        return all(role.places(free) >= role.least for role in self._roles)

    def places(self, victims: Iterable[RunningGang]) -> int:
        """How many members could be placed if all of these were gone, each role by itself."""
        free = self._without(victims)
        return sum(role.places(free) for role in self._roles)

    def _without(self, victims: Iterable[RunningGang]) -> IntArray:
        free = self._free.copy()
        for victim in victims:
            for node, request in victim.holds:
                _give_back(free, node, request)
        return free


class _RoleRoom:
    """The places of one role; ``passes[n]`` says where its members may be."""

    def __init__(self, role: Role, passes: BoolArray) -> None:
        self.least = role.sizes.least
        self._most = role.sizes.maximum
        self._request = role.request
        self._wanted = [column for column, amount in enumerate(role.request) if amount]
        self._passes = passes

    def concerns(self, victim: RunningGang) -> bool:
        return any(self._passes[node] and any(request[one] for one in self._wanted) for node, request in victim.holds)

    def places(self, free: IntArray) -> int:
        places = np.where(self._passes, self._most, 0)
        for column in self._wanted:
            np.minimum(places, free[:, column] // self._request[column], out=places)
        return int(np.maximum(places, 0).sum())


def _give_back(free: IntArray, node: int, request: tuple[int, ...]) -> None:
    amounts = np.minimum(request, AMOUNT_LIMIT)
    free[node] = np.minimum(free[node], AMOUNT_LIMIT - amounts) + amounts
