"""How much room a set of victims would leave a gang at most, whatever gangs in front of it take of that.

A necessary condition that is cheap to ask, and that only a larger set can meet where a smaller one does not.
"""

from collections.abc import Iterable

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.gangs import PendingGang
from coschedule.queue.running import RunningGang
from coschedule.queue.snapshot import AMOUNT_LIMIT, Snapshot


class Room:
    """Counts the places that a gang would find by a time, of nodes that pass its constraints."""

    def __init__(self, snapshot: Snapshot, gang: PendingGang, passes: BoolArray, *, by: float) -> None:
        self._passes = passes & (snapshot.until > snapshot.now)
        self._request = np.array(gang.request, dtype=np.int64)
        self._most, self._least = gang.maximum, gang.minimum
        self._free = snapshot.free.copy()
        for release in snapshot.releases:
            if release.time <= by:
                self._give_back(self._free, release.node, release.request)

    def concerns(self, victim: RunningGang) -> bool:
        """Whether the victim holds anything that the gang could use."""
        wanted = np.flatnonzero(self._request)
        return any(self._passes[node] and any(request[one] for one in wanted) for node, request in victim.holds)

    def is_enough(self, victims: Iterable[RunningGang]) -> bool:
        """Whether the gang could fit if all of these were gone, and nobody in front of it took anything."""
        return self.places(victims) >= self._least

    def places(self, victims: Iterable[RunningGang]) -> int:
        """How many members could be placed if all of these were gone."""
        free = self._free.copy()
        for victim in victims:
            for node, request in victim.holds:
                self._give_back(free, node, request)
        return int(self._places(free).sum())

    def _places(self, free: IntArray) -> IntArray:
        places = np.where(self._passes, self._most, 0)
        for resource in np.flatnonzero(self._request):
            np.minimum(places, free[:, resource] // self._request[resource], out=places)
        return np.maximum(places, 0, out=places)

    def _give_back(self, free: IntArray, node: int, request: tuple[int, ...]) -> None:
        amounts = np.minimum(request, AMOUNT_LIMIT)
        free[node] = np.minimum(free[node], AMOUNT_LIMIT - amounts) + amounts
