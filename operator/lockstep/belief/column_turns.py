"""Whose columns a snapshot has, where gangs ask for more of their own than one plan has room for.

A quarter goes to the most urgent in every plan, the rest to all others in turn, the longest unserved first. Gangs that
ask for what others have too cost nothing more.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from coschedule import GangKey

MOST_COLUMNS = 512
"""So many host ports, disks and volumes of single gangs a snapshot tells apart, beside what nodes publish."""

_SHARE_OF_URGENT = 0.25


class ColumnTurns:
    """Chooses who is served. ``most``: how many columns in one plan."""

    def __init__(self, most: int = MOST_COLUMNS) -> None:
        self._most = most
        self._plans = 0
        self._served: dict[GangKey, int] = {}

    def left_out(self, needed: Mapping[GangKey, AbstractSet[str]]) -> set[GangKey]:
        """Who of these, in their order, has to wait for another plan; a gang that needs nothing is not among them."""
        self._plans += 1
        asking = {gang: columns for gang, columns in needed.items() if columns}
        if len(frozenset(chain.from_iterable(asking.values()))) <= self._most:
            self._served.clear()
            return set()
        urgent = self._fitting(asking, asking, int(_SHARE_OF_URGENT * self._most), set())
        in_turn = sorted((gang for gang in asking if gang not in urgent), key=self._last_served)
        taken = set(chain.from_iterable(asking[gang] for gang in urgent))
        served = {*urgent, *self._fitting(in_turn, asking, self._most, taken)}
        self._served = {gang: self._plans if gang in served else self._last_served(gang) for gang in asking}
        return asking.keys() - served

    def _fitting(
        self, gangs: Iterable[GangKey], needed: Mapping[GangKey, AbstractSet[str]], most: int, taken: set[str]
    ) -> Sequence[GangKey]:
        """Those whose columns fit beside each other, up to the first that does not; one always does."""
        fitting: list[GangKey] = []
        taken = set(taken)
        for gang in gangs:
            taken |= needed[gang]
            if len(taken) > most and fitting:
                break
            fitting.append(gang)
        return fitting

    def _last_served(self, gang: GangKey) -> int:
        return self._served.get(gang, 0)
