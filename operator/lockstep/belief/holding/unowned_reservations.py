"""Reservations in statuses that no process of Lockstep has made."""

from coschedule import GangKey
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.facts.gang.gang import GangFact


class UnownedReservations:
    """Gangs whose new status says that they hold nodes, though this process has not reserved these nodes.

    A reservation that was in the status when the gang was first seen does not count: an earlier process has made it.
    """

    def __init__(self) -> None:
        self._gangs: set[GangKey] = set()

    def __contains__(self, gang: GangKey) -> bool:
        return gang in self._gangs

    def compare(self, before: GangFact | None, fact: GangFact, held: Reservation | None) -> None:
        """Add or remove the gang: compare its new status with the reservation ``held`` in this process."""
        stands = reserved_in_status(fact)
        if stands is None:
            self._gangs.discard(fact.key)
        elif before is None or reserved_in_status(before) is not None:
            return
        elif held is None or (held.attempt, held.members) != (stands.attempt, stands.members):
            self._gangs.add(fact.key)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self._gangs.discard(gang)
