"""The attempts that hold nodes for their groups: by reservations, and for placed Gangs by their pods."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.shares.accounts import AttemptId
from lockstep.belief.shares.pool_capacity import PoolCapacity
from lockstep.facts.gang.gang import GangFact


class HeldAttempt(NamedTuple):
    """An attempt of a gang that holds a ``part`` of all nodes since ``start``, with members on ``nodes``."""

    gang: GangKey
    part: float
    start: float
    nodes: Collection[str]


class _Known(NamedTuple):
    """An attempt that was computed from its ``source``: a reservation, or the pods of a Gang.

    ``changes`` is the number of changes of these pods until then. After another change, the attempt is out of date.
    """

    source: Reservation | PodGroup
    changes: int
    held: HeldAttempt


class HeldAttempts:
    """All attempts that hold nodes. An attempt is computed anew only after it has changed, since it may be large."""

    def __init__(
        self,
        capacity: PoolCapacity,
        gangs: Mapping[GangKey, GangFact],
        reservations: Mapping[GangKey, Reservation],
        pod_gangs: PodGangs,
    ) -> None:
        self.capacity = capacity
        self._gangs = gangs
        self._reservations = reservations
        self._pod_gangs = pod_gangs
        self._known: dict[AttemptId, _Known] = {}
        self._known_of = 0

    def all(self) -> dict[AttemptId, HeldAttempt]:
        """The attempts that hold nodes now.

        A Gang whose pods are being placed holds its reservation or the requests of its pods, whichever is more.
        """
        before = self._known if self._known_of == self.capacity.counts_made else {}
        self._known, self._known_of = {}, self.capacity.counts_made
        for reservation in self._reservations.values():
            attempt = AttemptId(reservation.gang_uid, reservation.attempt)
            self._known[attempt] = self._of_reservation(reservation, before.get(attempt))
        for key in self._pod_gangs.names():
            gang, group = self._gangs.get(key), self._pod_gangs.group(key)
            if gang is not None and group.nodes:
                attempt = AttemptId(gang.uid, gang.status.attempt)
                by_pods, other = self._of_pods(gang, group, before.get(attempt)), self._known.get(attempt)
                if other is None or other.held.part < by_pods.held.part:
                    self._known[attempt] = by_pods
        return {attempt: known.held for attempt, known in self._known.items()}

    def _of_reservation(self, reservation: Reservation, before: _Known | None) -> _Known:
        if before is not None and before.source is reservation:
            return before
        nodes = frozenset(entry.node for entry in reservation.members)
        part = self.capacity.part(
            (reservation.requests[entry.role], entry.count)
            for entry in reservation.members
            if entry.role in reservation.requests
        )
        return _Known(reservation, 0, HeldAttempt(reservation.gang, part, reservation.start, nodes))

    def _of_pods(self, gang: GangFact, group: PodGroup, before: _Known | None) -> _Known:
        if before is not None and before.source is group and before.changes == group.changes:
            return before
        started = gang.status.started_at
        start = gang.created if started is None else started
        part = self.capacity.part(group.held.requests.items())
        return _Known(group, group.changes, HeldAttempt(gang.key, part, start, frozenset(group.nodes)))
