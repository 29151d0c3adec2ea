"""Reservations that stand in statuses though nobody here has made them."""

from coschedule import GangKey
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.facts.gang.gang import GangFact


class ForeignReservations:
    """Gangs whose status came to say that they hold nodes, though nobody here has reserved them.

    One that a status said already when the gang was first seen is no such: an earlier process has made it.
    """

    def __init__(self) -> None:
        self._gangs: set[GangKey] = set()

    def __contains__(self, gang: GangKey) -> bool:
        return gang in self._gangs

    def note(self, before: GangFact | None, fact: GangFact, held: Reservation | None) -> None:
        """Compare what a status comes to say with what is ``held`` for the gang here."""
        stands = reserved_in_status(fact)
        if stands is None:
            self._gangs.discard(fact.key)
        elif before is None or reserved_in_status(before) is not None:
            return
        elif held is None or (held.attempt, held.members) != (stands.attempt, stands.members):
            self._gangs.add(fact.key)

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._gangs.discard(gang)
