"""How much room evictions would leave a gang at most, whatever gangs in front of it take of that.

A necessary condition that is cheap to ask, and that only a larger set of victims can meet where a smaller one does not.
Each role is asked for alone: what its members take from one another's room is left to the plan.
"""

from collections.abc import Iterable

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.gangs import PendingGang, Role
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT, Snapshot


class PlaceCount:
    """Counts the places that a gang would find on nodes that pass its constraints.

    Axes of what is ``free``: node, resource.
    """

    def __init__(self, snapshot: Snapshot, gang: PendingGang, feasibility: Feasibility, free: IntArray) -> None:
        offered = snapshot.until > snapshot.now
        self._roles = [_RoleRoom(role, offered & feasibility.mask(role.constraints)) for role in gang.roles]
        self.free = free

    def concerns(self, victim: RunningGang) -> bool:
        """Whether the victim holds anything that the gang could use."""
        return any(role.concerns(victim) for role in self._roles)

    def fits(self, free: IntArray) -> bool:
        """Whether the gang could find its places if so much were free, and nobody in front of it took anything."""
        return all(role.places(free, slice(None)) >= role.least for role in self._roles)

    def is_enough(self, victims: Iterable[RunningGang]) -> bool:
        """Whether the gang could fit if all of these were gone."""
        return self.fits(without_holdings(self.free, victims))

    def gain(self, victim: RunningGang) -> int:
        """How many places the victim alone leaves."""
        nodes = [node for node, _ in victim.holds]
        free = self.free[nodes] + np.array([request for _, request in victim.holds], dtype=np.int64)
        return sum(role.places(free, nodes) - role.places(self.free[nodes], nodes) for role in self._roles)


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

    def places(self, free: IntArray, nodes: slice | list[int]) -> int:
        """How many members could be on these nodes, of which so much is free."""
        places = np.where(self._passes[nodes], self._most, 0)
        for column in self._wanted:
            np.minimum(places, free[:, column] // self._request[column], out=places)
        return int(np.maximum(places, 0).sum())


def free_by(snapshot: Snapshot, time: float) -> IntArray:
    """What is free now or comes back by that time."""
    free = snapshot.free.copy()
    for release in snapshot.releases:
        if release.time <= time:
            give_back(free, release.node, release.request)
    return free


def without_holdings(free: IntArray, victims: Iterable[RunningGang]) -> IntArray:
    """What would be free if these were gone."""
    after = free.copy()
    for victim in victims:
        for node, request in victim.holds:
            give_back(after, node, request)
    return after


def give_back(free: IntArray, node: int, request: tuple[int, ...]) -> None:
    """Add to what is free of a node; sums stop at ``AMOUNT_LIMIT``."""
    amounts = np.minimum(request, AMOUNT_LIMIT)
    free[node] = np.minimum(free[node], AMOUNT_LIMIT - amounts) + amounts


def take_again(free: IntArray, victim: RunningGang) -> None:
    """Undo ``give_back``; where sums had stopped, less than that is left."""
    for node, request in victim.holds:
        free[node] -= np.minimum(request, AMOUNT_LIMIT)
