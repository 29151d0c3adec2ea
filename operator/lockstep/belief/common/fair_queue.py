"""A queue of gangs: the most urgent gangs come first, and namespaces take turns among equally urgent gangs.

A namespace with ten thousand gangs gets one turn, like any other. Within a namespace, gangs are served first in, first
out. The cost of a step does not grow with the number of gangs. It grows with the number of distinct priorities, which
only administrators create, and with the number of gangs in progress, which is bounded.
"""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from coschedule import GangKey

# In this number of turns of ``take_in_turns``, one turn begins with any rank, whether it is the most urgent or not.
_ROUND = 8

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
        self._turns = 0

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
        return self._take_by(self._ranks, is_busy)

    def take_in_turns(self, is_busy: Callable[[str], bool]) -> GangKey | None:
        """Take a gang like ``take``. But in each eighth turn another rank comes first, each rank once in a while.

        So no gang waits for ever, even if more urgent gangs are put again as fast as they are taken.
        """
        rounds, turn = divmod(self._turns, _ROUND)
        ranks = self._ranks
        if ranks and turn == _ROUND - 1:
            ranks = [ranks[rounds % len(ranks)], *ranks]
        gang = self._take_by(ranks, is_busy)
        self._turns += gang is not None
        return gang

    def drop(self, gang: GangKey) -> None:
        """Remove a gang, if it waits."""
        rank = self._rank_of.pop(gang, None)
        if rank is None:
            return
        line = self._lines[rank][gang.namespace]
        del line[gang]
        if not line:
            self._close(rank, gang.namespace)

    def _take_by(self, ranks: Iterable[Rank], is_busy: Callable[[str], bool]) -> GangKey | None:
        for rank in ranks:
            for namespace, line in self._lines[rank].items():
                if not is_busy(namespace):
                    gang = next(iter(line))
                    self._serve(gang, rank)
                    return gang
        return None

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
