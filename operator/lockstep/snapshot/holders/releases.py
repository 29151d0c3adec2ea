"""The amounts that the gangs that hold nodes will release, and the times.

Hundreds of gangs may hold thousands of nodes, and few change between two snapshots. So unchanged releases are kept.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from coschedule import GangKey, Holding, Release
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.snapshot.holders.counted_twice import counted_twice_of
from lockstep.snapshot.holders.endings import expected_end, expected_finish
from lockstep.snapshot.holders.leaving import leaving_members, releases_of, without
from lockstep.snapshot.holders.pod_gang_releases import PodGangReleases
from lockstep.snapshot.holders.running import each_member, holdings
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns


class _Kept(NamedTuple):
    """The releases of a gang at ``end``; valid while its ``marks`` are the same.

    ``marks`` has the ledger's mark of the reservation, its mark of the next size, and the number of members that leave.
    A mark of the ledger changes whenever charges change. ``by_member``: there is one release for each member.
    """

    marks: tuple[int, int, int]
    end: float
    by_member: bool
    releases: tuple[Release, ...]


class Releases:
    """The releases of the gangs in one cache."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._nodes: NodeArrays | None = None
        self._columns = Columns((), {})
        self._kept: dict[tuple[GangKey, int], _Kept] = {}
        self._of_pod_gangs = PodGangReleases(state)

    def of(
        self, nodes: NodeArrays, columns: Columns, now: float, *, by_member: Collection[GangKey] = ()
    ) -> tuple[Release, ...]:
        """The releases on these nodes, in amounts of these columns. Ended members are free already.

        Gangs in ``by_member``, whose size may change, have one release for each member. Other gangs, and gangs that
        give way to their next size, have one for each node.
        """
        if nodes is not self._nodes or columns.names != self._columns.names:
            self._kept = {}
            self._of_pod_gangs.forget()
        self._nodes, self._columns = nodes, columns
        kept = {}
        left = list[Release]()
        for reservation, end in self._ends(now):
            pods = leaving_members(self._state, reservation)
            leaving = tuple(releases_of(self._state, pods, nodes, columns, now))
            left += leaving
            if end is not None:
                is_by_member = reservation.gang in by_member and not self._gives_way(reservation)
                kept[reservation.gang, reservation.attempt] = self._given_back(
                    reservation, nodes, end, leaving, by_member=is_by_member
                )
        self._kept = kept
        of_members = tuple(release for one in kept.values() for release in one.releases)
        return of_members + tuple(left) + self._of_pod_gangs.of(nodes, columns, now, by_member=by_member)

    def _ends(self, now: float) -> Iterator[tuple[Reservation, float | None]]:
        """The reservations and the next sizes of gangs, each with its expected end; None if unknown."""
        for reservation in self._state.reservations.values():
            yield reservation, expected_end(self._state, reservation, now)
        for following in self._state.counts.next_sizes:
            yield following, expected_finish(following, now)

    def _gives_way(self, reservation: Reservation) -> bool:
        """Whether another reservation, of the gang's next size, takes its place."""
        return self._state.counts.next_sizes.of(reservation.gang) not in (None, reservation)

    def _given_back(
        self, reservation: Reservation, nodes: NodeArrays, end: float, leaving: Sequence[Release], *, by_member: bool
    ) -> _Kept:
        marks = (*self._marks(reservation), len(leaving))
        known = self._kept.get((reservation.gang, reservation.attempt))
        if known is not None and (known.marks, known.end, known.by_member) == (marks, end, by_member):
            return known
        held: Sequence[Holding] = (each_member if by_member else holdings)(
            self._state, nodes.index, self._columns, reservation
        )
        held = without(held, leaving)
        once = self._counted_once(reservation.gang, nodes, held) if marks[1] else held
        releases = tuple(Release(node=node, request=request, time=end) for node, request in once)
        return _Kept(marks, end, by_member, releases)

    def _marks(self, reservation: Reservation) -> tuple[int, int]:
        """The ledger's marks of the reservation and of the next size.

        The second mark is 0 if there is no next size, or if it has the same attempt.
        """
        ledger, following = self._state.ledger, self._state.counts.next_sizes.of(reservation.gang)
        mark = ledger.mark(reservation.gang, reservation.gang_uid, reservation.attempt)
        if following is None or following.attempt == reservation.attempt:
            return mark, 0
        return mark, ledger.mark(following.gang, following.gang_uid, following.attempt)

    def _counted_once(self, gang: GangKey, nodes: NodeArrays, held: Iterable[Holding]) -> Iterator[Holding]:
        """The amounts of the gang's members beyond its next size; the release of the next size has the rest."""
        for node, request in held:
            twice = counted_twice_of(self._state, gang, nodes.table.names[node])
            amounts = zip(self._columns.names, request, strict=True)
            yield Holding(node, tuple(max(0, amount - twice.get(name, 0)) for name, amount in amounts))
