"""What the gangs that hold nodes will release, and when.

Hundreds of gangs may hold thousands of nodes, and few change between two snapshots. So unchanged releases are kept.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from coschedule import GangKey, Release
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.snapshot.holders.endings import expected_end, expected_finish
from lockstep.snapshot.holders.running import each_member, holdings
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns


class _Kept(NamedTuple):
    """What a gang releases at ``end``, valid while its charges in the ledger have that ``mark``.

    ``by_member``: there is one release for each member.
    """

    mark: int
    end: float
    by_member: bool
    releases: tuple[Release, ...]


class Releases:
    """The releases of one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._nodes: NodeArrays | None = None
        self._columns = Columns((), {})
        self._kept: dict[tuple[GangKey, int], _Kept] = {}

    def of(
        self, nodes: NodeArrays, columns: Columns, now: float, *, by_member: Collection[GangKey] = ()
    ) -> tuple[Release, ...]:
        """The releases on these nodes, in amounts of these columns. Ended members are free already.

        Gangs in ``by_member``, whose size may change, have a release for each member; the others one for each node.
        """
        if nodes is not self._nodes or columns.names != self._columns.names:
            self._kept = {}
        self._nodes, self._columns = nodes, columns
        kept = {}
        for reservation, end in self._ends(now):
            if end is not None:
                kept[reservation.gang, reservation.attempt] = self._given_back(
                    reservation, nodes, end, by_member=reservation.gang in by_member
                )
        self._kept = kept
        return tuple(release for one in kept.values() for release in one.releases)

    def _ends(self, now: float) -> Iterator[tuple[Reservation, float | None]]:
        """What is held, and its end: of reservations, and of the next sizes of gangs."""
        for reservation in self._state.reservations.values():
            yield reservation, expected_end(self._state, reservation, now)
        for following in self._state.next_sizes:
            yield following, expected_finish(following, now)

    def _given_back(self, reservation: Reservation, nodes: NodeArrays, end: float, *, by_member: bool) -> _Kept:
        mark = self._state.ledger.mark(reservation.gang_uid, reservation.attempt)
        known = self._kept.get((reservation.gang, reservation.attempt))
        if known is not None and (known.mark, known.end, known.by_member) == (mark, end, by_member):
            return known
        held = (each_member if by_member else holdings)(self._state, nodes.index, self._columns, reservation)
        releases = tuple(Release(node=node, request=request, time=end) for node, request in held)
        return _Kept(mark, end, by_member, releases)
