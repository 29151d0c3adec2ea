"""Attempts without a gang or a reservation. They may have members that no watch has shown yet.

A watch of pods may be behind the watch of GangJobs. If the room of such members were free, a node would get more
members than it has room for. So these members count until a read of the API server shows which of them exist
(``act/ending/leftover_checks.py``).
"""

from typing import NamedTuple

from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangFact


class Leftover(NamedTuple):
    """The reservation of an attempt, and the last known fact of its gang."""

    gang: GangFact
    reservation: Reservation


class Leftovers:
    """The leftovers that no check has taken yet."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._new: list[Leftover] = []

    def add(self, one: Leftover) -> None:
        """Add a leftover of an attempt. If watches have shown all of its members, nothing is added."""
        if self.is_unseen(one):
            self._new.append(one)

    def take(self) -> list[Leftover]:
        """Return the leftovers that were added since the last call."""
        taken, self._new = self._new, []
        return taken

    def is_unseen(self, one: Leftover) -> bool:
        """Whether the leftover has members that count, and that no watch has shown."""
        return self._ledger.assumed_of(one.reservation.gang, one.reservation.gang_uid, one.reservation.attempt) > 0
