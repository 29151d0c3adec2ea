"""What the gangs that hold nodes will release, and when.

Hundreds of gangs may hold thousands of nodes, and few change between two snapshots. So unchanged releases are kept.
"""

from typing import NamedTuple

from coschedule import GangKey, Release
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.snapshot.holders.endings import expected_end
from lockstep.snapshot.holders.running import holdings
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns


class _Kept(NamedTuple):
    """What a gang releases at ``end``, valid while its charges in the ledger have that ``mark``."""

    mark: int
    end: float
    releases: tuple[Release, ...]


class Releases:
    """The releases of one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._nodes: NodeArrays | None = None
        self._columns = Columns((), {})
        self._kept: dict[GangKey, _Kept] = {}

    def of(self, nodes: NodeArrays, columns: Columns, now: float) -> tuple[Release, ...]:
        """The releases on these nodes, in amounts of these columns. Ended members are free already."""
        if nodes is not self._nodes or columns.names != self._columns.names:
            self._kept = {}
        self._nodes, self._columns = nodes, columns
        kept = {}
        for key, reservation in self._state.reservations.items():
            end = expected_end(self._state, reservation, now)
            if end is not None:
                kept[key] = self._given_back(reservation, nodes, end)
        self._kept = kept
        return tuple(release for one in kept.values() for release in one.releases)

    def _given_back(self, reservation: Reservation, nodes: NodeArrays, end: float) -> _Kept:
        mark = self._state.ledger.mark(reservation.gang_uid, reservation.attempt)
        known = self._kept.get(reservation.gang)
        if known is not None and (known.mark, known.end) == (mark, end):
            return known
        held = holdings(self._state, nodes.index, self._columns, reservation)
        return _Kept(mark, end, tuple(Release(node=node, request=request, time=end) for node, request in held))
