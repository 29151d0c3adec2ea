"""An upper bound on the room that evictions leave for a gang, as if gangs in front took nothing.

This is a cheap necessary condition. If a set of victims meets it, so do all larger sets. Each role is counted alone;
only the plan checks whether all roles fit together.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.gangs import PendingGang, Role
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT, Snapshot


class PlaceCount:
    """Counts the members of a gang for which nodes that pass its constraints have room; ``free`` is int[n, r]."""

    def __init__(self, snapshot: Snapshot, gang: PendingGang, feasibility: Feasibility, free: IntArray) -> None:
        offered = snapshot.until > snapshot.now
        self._roles = [_RoleRoom(role, offered & feasibility.mask(role.constraints)) for role in gang.roles]
        self.free = free

    def concerns(self, victim: RunningGang) -> bool:
        """Whether the victim uses anything that the gang could use."""
        return any(role.concerns(victim) for role in self._roles)

    def fits(self, free: IntArray) -> bool:
        """Whether each role alone would have room if ``free`` were free and gangs in front took nothing."""
        return all(role.places(free, slice(None)).sum() >= role.least for role in self._roles)

    def is_enough(self, victims: Iterable[RunningGang]) -> bool:
        """Whether the gang could fit after all victims have ended."""
        return self.fits(without_holdings(self.free, victims))

    def gains(self, victims: Sequence[RunningGang]) -> list[int]:
        """Return for each victim the number of members for which it alone makes room."""
        owner = np.repeat(np.arange(len(victims)), [len(victim.holds) for victim in victims])
        nodes = np.array([node for victim in victims for node, _ in victim.holds], dtype=np.int64)
        requests = np.array([request for victim in victims for _, request in victim.holds], dtype=np.int64)
        before = self.free[nodes]
        after = before + requests.reshape(before.shape)
        gained = sum((role.places(after, nodes) - role.places(before, nodes) for role in self._roles), start=0 * nodes)
        # ``bincount`` would add up floats, which are rounded.
        gains = np.zeros(len(victims), dtype=np.int64)
        np.add.at(gains, owner, gained)
        found: list[int] = gains.tolist()
        return found


class _RoleRoom:
    """The room of one role; its members may be on nodes with ``passes[n]``."""

    def __init__(self, role: Role, passes: BoolArray) -> None:
        self.least = role.sizes.least
        self._most = role.sizes.maximum
        self._request = role.request
        self._wanted = [column for column, amount in enumerate(role.request) if amount]
        self._passes = passes

    def concerns(self, victim: RunningGang) -> bool:
        return any(self._passes[node] and any(request[one] for one in self._wanted) for node, request in victim.holds)

    def places(self, free: IntArray, nodes: slice | IntArray) -> IntArray:
        """Return the number of members that could be on each of ``nodes`` if ``free`` is free there."""
        places = np.where(self._passes[nodes], self._most, 0)
        for column in self._wanted:
            np.minimum(places, free[:, column] // self._request[column], out=places)
        return np.maximum(places, 0)


def free_by(snapshot: Snapshot, time: float) -> IntArray:
    """Return the resources that are free now or released by ``time``: int[n, r]."""
    free = snapshot.free.copy()
    for release in snapshot.releases:
        if release.time <= time:
            give_back(free, release.node, release.request)
    return free


def without_holdings(free: IntArray, victims: Iterable[RunningGang]) -> IntArray:
    """Return the resources that would be free after the victims have ended: int[n, r]."""
    after = free.copy()
    for victim in victims:
        for node, request in victim.holds:
            give_back(after, node, request)
    return after


def give_back(free: IntArray, node: int, request: tuple[int, ...]) -> None:
    """Add ``request`` to the free resources of a node, in place; sums stop at ``AMOUNT_LIMIT``."""
    amounts = np.minimum(request, AMOUNT_LIMIT)
    free[node] = np.minimum(free[node], AMOUNT_LIMIT - amounts) + amounts


def take_again(free: IntArray, victim: RunningGang) -> None:
    """Undo ``give_back``, in place; where sums had stopped at the limit, less than before is left."""
    for node, request in victim.holds:
        free[node] -= np.minimum(request, AMOUNT_LIMIT)
