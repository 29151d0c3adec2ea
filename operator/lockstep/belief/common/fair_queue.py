"""A queue of gangs: the most urgent gangs come first, and namespaces take turns among equally urgent gangs.

A namespace with ten thousand gangs gets one turn, like any other. Within a namespace, gangs are served first in, first
out. The cost of a step does not grow with the number of gangs. It grows with the number of distinct priorities, which
only administrators create, and with the number of gangs in progress, which is bounded.
"""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from coschedule import GangKey

# An ordered set. In a plain dict, a search for the first entry has to pass all removed entries in front of it.
Line = OrderedDict[GangKey, None]


class Rank(NamedTuple):
    """How urgent a gang is; the lowest rank is served first."""

    group: int
    minus_priority: int


class FairQueue:
    """Waiting gangs, each once. A namespace that was served goes behind all others of its rank."""

    def __init__(self) -> None:
        self._ranks: list[Rank] = []
        self._lines: dict[Rank, OrderedDict[str, Line]] = {}
        self._rank_of: dict[GangKey, Rank] = {}

    def __contains__(self, gang: GangKey) -> bool:
        """Whether the gang waits."""
        return gang in self._rank_of

    def put(self, gang: GangKey, rank: Rank) -> None:
        """Add a gang; a gang that waits already keeps its place unless its rank has changed."""
        if self._rank_of.get(gang) == rank:
            return
        self.drop(gang)
        self._rank_of[gang] = rank
        if rank not in self._lines:
            insort(self._ranks, rank)
            self._lines[rank] = OrderedDict()
        self._lines[rank].setdefault(gang.namespace, Line())[gang] = None

    def take(self, is_busy: Callable[[str], bool]) -> GangKey | None:
        """Take the next gang from a namespace that is not busy; None if there is none."""
        for rank in self._ranks:
            for namespace, line in self._lines[rank].items():
                if not is_busy(namespace):
                    gang = next(iter(line))
                    self._serve(gang, rank)
                    return gang
        return None

    def drop(self, gang: GangKey) -> None:
        """Remove a gang, if it waits."""
        rank = self._rank_of.pop(gang, None)
        if rank is None:
            return
        line = self._lines[rank][gang.namespace]
        del line[gang]
        if not line:
            self._close(rank, gang.namespace)

    def _serve(self, gang: GangKey, rank: Rank) -> None:
        self.drop(gang)
        lines = self._lines.get(rank)
        if lines is not None and gang.namespace in lines:
            lines.move_to_end(gang.namespace)

    def _close(self, rank: Rank, namespace: str) -> None:
        del self._lines[rank][namespace]
        if not self._lines[rank]:
            del self._lines[rank]
            del self._ranks[bisect_left(self._ranks, rank)]
